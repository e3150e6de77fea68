/* A bell: a wake that is rung once until it is answered. Who rings it while a ring is
 * still unanswered makes no system call, for the sleeper is about to look anyway. */
#ifndef PUMP_BELL_H
#define PUMP_BELL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "05-executor/wake.h"

struct bell {
    struct wake wake;
    _Atomic bool pending; /* rung, and not answered yet */
    bool every;           /* wakes at every ring, as the simplest pump does */
};

/* Opens its wake. 0, or -1 with errno; then there is nothing to close. */
int bell_open(struct bell *bell, enum wake_kind kind, bool every);
void bell_close(struct bell *bell);

/* Call it after the sleeper's queue was filled; from any thread, never blocks. Whether
 * it made the system call. */
bool bell_ring(struct bell *bell);

/* Call it before the queue is read, when `wake.watched` is readable. What was queued
 * before a ring, whether that ring woke or not, is in the queue then, or rings again. */
void bell_answer(struct bell *bell);

#endif
