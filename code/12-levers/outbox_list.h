/* ANCHOR: list */
/* The outbox as a list of the slots that have something: a flush looks at these alone. */
#ifndef LEVERS_OUTBOX_LIST_H
#define LEVERS_OUTBOX_LIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "04-pass/outbox.h"

/* A ring, in the order in which they were put. One thread puts and one flushes, as 04's
 * table has it; neither waits for the other. A slot is in it once at most, so that it
 * has room for all of them and can't overflow. */
struct list_outbox {
    struct outbox outbox;
    uint32_t slots[SLOTS];
    _Atomic bool waiting[SLOTS]; /* it is in the list */
    _Atomic uint32_t put;        /* ever; written by the putter only */
    uint32_t flushed;            /* ever; the flusher's own */
};

/* A count's place mustn't jump when the counts wrap around. */
_Static_assert((SLOTS & (SLOTS - 1)) == 0, "SLOTS isn't a power of two");

/* Empty. Returns it as a table, which lives as long as `list` does. */
struct outbox *list_outbox_init(struct list_outbox *list);

#endif
/* ANCHOR_END: list */
