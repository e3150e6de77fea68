/* The timers: which is due next, and which were taken back. A binary heap over a table,
 * so that both a call and its cancellation cost O(log n). */
#ifndef EXECUTOR_TIMERS_H
#define EXECUTOR_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "05-executor/executor.h"

struct timer;

/* All zero bytes are an empty one. */
struct timers {
    struct timer *table; /* a timer stays in its row; free rows form a list */
    uint32_t *heap;      /* rows; the one that is due first is at the top */
    uint32_t capacity;   /* of both; only grows */
    uint32_t free_row;   /* the first of the list, or `capacity` */
    uint32_t waiting;    /* timers in the heap */
    uint32_t alive;      /* those, and the due ones that haven't been run */
    uint64_t created;    /* numbers the timers: ties run in this order */
};

/* Adds a timer for clock_now() == `when` and returns its handle; 0 with ENOMEM if it
 * can't. */
timer_handle timers_add(struct timers *timers, uint64_t when, callback *run,
                        void *argument);

/* Takes a timer back, also when it is due already. Any other number is left alone. */
void timers_cancel(struct timers *timers, timer_handle handle);

/* When the next timer is due; NEVER if none waits. */
uint64_t timers_next(const struct timers *timers);

/* Takes the next timer that is due at `now` out of the heap; its time is over but its
 * call is yet to come. 0 if there is none. */
timer_handle timers_due(struct timers *timers, uint64_t now);

/* The call of a due timer, for its turn; the handle ends here. False if it was
 * cancelled since it was due. */
bool timers_take(struct timers *timers, timer_handle handle, callback **run,
                 void **argument);

/* Frees everything. */
void timers_free(struct timers *timers);

#endif
