/* ANCHOR: top */
/* The executor: the loop that runs an application. Its functions have asyncio's names
 * and asyncio's rules, so that an executor of CPython's can stand in the same place. */
#ifndef EXECUTOR_EXECUTOR_H
#define EXECUTOR_EXECUTOR_H

#include <stdint.h>
/* ANCHOR_END: top */

/* ANCHOR: types */
typedef void callback(void *argument);

/* Names one call_later() until it has run or was cancelled; 0 names none. */
typedef uint64_t timer_handle;
/* ANCHOR_END: types */

/* ANCHOR: executor */
/* What any executor can do. Every function is for the executor's own thread alone.
 * Those that return an int return 0, or -1 with errno; nothing has happened then. */
struct executor {
    void *self; /* handed to each function; belongs to whoever made the executor */
                /* ANCHOR_END: executor */

    /* ANCHOR: readers */
    /* Calls `run(argument)` in each iteration in which `fd` is readable. A second call
     * for the same descriptor replaces the first. The descriptor stays the caller's. */
    int (*add_reader)(void *self, int fd, callback *run, void *argument);

    /* After it, the reader's callback isn't called again, not even for readiness that
     * the executor has seen already. Call it before closing the descriptor. */
    int (*remove_reader)(void *self, int fd);
    /* ANCHOR_END: readers */

    /* ANCHOR: calls */
    /* Calls `run(argument)` once, in the next iteration, in the order of the calls. */
    int (*call_soon)(void *self, callback *run, void *argument);

    /* Calls `run(argument)` once, when `delay_ns` have passed. Timers that are due
     * together run in the order of their times. 0 with errno ENOMEM if it can't. */
    timer_handle (*call_later)(void *self, uint64_t delay_ns, callback *run,
                               void *argument);

    /* Takes a timer back. One that has run, or was cancelled, is left alone. */
    void (*cancel)(void *self, timer_handle timer);
    /* ANCHOR_END: calls */

    /* ANCHOR: running */
    /* Nanoseconds of the clock that call_later() goes by: that of clock_now(). */
    uint64_t (*now)(void *self);

    /* Iterates until stop(): wait for readiness or the next timer, then run what was
     * ready at that moment. What a callback schedules runs in the next iteration. */
    int (*run_forever)(void *self);

    /* Ends run_forever() after the callbacks of the iteration that is under way. */
    void (*stop)(void *self);
};
/* ANCHOR_END: running */

/* ANCHOR: bottom */
#endif
/* ANCHOR_END: bottom */
