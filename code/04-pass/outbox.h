/* ANCHOR: top */
/* The outbox: the slots whose answers wait to be sent. The application's thread puts,
 * the native loop's thread flushes; they may be the same thread. */
#ifndef PASS_OUTBOX_H
#define PASS_OUTBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "00-ground/stats.h"
#include "02-readiness/slots.h"
/* ANCHOR_END: top */

/* ANCHOR: outbox */
/* A table of two functions, for there is more than one way to keep such a list. */
struct outbox {
    /* Marks `slot`. What was written to the exchange before is seen by the flush. */
    void (*put)(struct outbox *outbox, uint32_t slot);

    /* Calls `deliver(argument, slot)` for every slot that was put since the last
     * time. */
    void (*flush)(struct outbox *outbox, void (*deliver)(void *argument, uint32_t slot),
                  void *argument, struct counters *counters);
};
/* ANCHOR_END: outbox */

/* ANCHOR: sweep */
/* One flag a slot; each flush sweeps over all of them. */
struct sweep_outbox {
    struct outbox outbox;
    _Atomic bool waiting[SLOTS];
};

/* Empty. Returns it as a table, which lives as long as `sweep` does. */
struct outbox *sweep_outbox_init(struct sweep_outbox *sweep);

#endif
/* ANCHOR_END: sweep */
