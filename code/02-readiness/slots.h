/* The table of connections: each has a slot, and a tag tells the slot's tenants
 * apart. */
#ifndef READINESS_SLOTS_H
#define READINESS_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "02-readiness/backend.h"

enum {
    SLOTS = 1024,
    /* Slot numbers past the table stand for the descriptors that aren't connections. */
    LISTENER_SLOT = SLOTS,
    STOP_SLOT,
    WAKE_SLOT,
};

/* A slot's number in the lower half of a token, its tenant's tag in the upper. */
watch_token token_of(uint32_t slot, uint32_t tag);
uint32_t token_slot(watch_token token);
uint32_t token_tag(watch_token token);

struct slots {
    uint32_t tag[SLOTS]; /* of the present tenant, or of the one who left last */
    bool taken[SLOTS];
    uint16_t free[SLOTS]; /* a stack of `free_count` slots */
    int free_count;
    uint16_t leaving[SLOTS]; /* left in this batch; free after it */
    int leaving_count;
    int closing[SLOTS]; /* descriptors to close after this batch */
    int closing_count;
    uint64_t idle_since[SLOTS]; /* NEVER: isn't idle */
};

void slots_init(struct slots *slots);

/* Takes a free slot for a new tenant, with a new tag; returns its token in `*token`, or
 * false if all are taken. */
bool slots_take(struct slots *slots, watch_token *token);

/* Is the tenant that `token` names still there? An event for one who left is stale. */
bool slots_current(const struct slots *slots, watch_token token);

/* The tenant of `slot` leaves. The slot gets no new one before slots_end_batch(), so a
 * later event of the same batch can't reach the wrong tenant. */
void slots_leave(struct slots *slots, uint32_t slot);

/* Closes `fd` in slots_end_batch(), for the same reason: until then no new connection
 * can get its number. Unwatch it first. */
void slots_close_later(struct slots *slots, int fd);

/* The tenant of `slot` waits for nothing but its client's next request, since `now_ns`
 * (as clock_now() has it): if the table is full it may have to go. slots_busy() takes
 * that back. A new tenant isn't idle, and neither is one who has left. */
void slots_idle(struct slots *slots, uint32_t slot, uint64_t now_ns);
void slots_busy(struct slots *slots, uint32_t slot);

/* Which tenant has been idle longest? Its slot in `*slot`, or false if nobody is idle.
 * Looks at the whole table. */
bool slots_longest_idle(const struct slots *slots, uint32_t *slot);

/* Call it when every event of a batch has been handled. */
void slots_end_batch(struct slots *slots);

#endif
