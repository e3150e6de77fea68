/* Calls from other threads. call_soon() may not be called from them, and it would wake
 * nobody: the executor's thread sleeps in its wait and looks at no queue. So the calls
 * go to a queue of their own, under a lock, and a descriptor that the executor watches
 * like any other becomes readable. Nothing here needs more than add_reader. */
#ifndef EXECUTOR_THREADSAFE_H
#define EXECUTOR_THREADSAFE_H

#include <pthread.h>

#include "05-executor/executor.h"
#include "05-executor/ready.h"
#include "05-executor/wake.h"

struct threadsafe {
    const struct executor *executor; /* borrowed */
    pthread_mutex_t lock;            /* guards `calls` and nothing else */
    struct ready_queue calls;
    struct wake wake;
};

/* Opens the wake descriptor and has `executor` watch it. 0, or -1 with errno. */
int threadsafe_open(struct threadsafe *threadsafe, const struct executor *executor);

/* Closes it; calls that wait are forgotten. No other thread may call any more. */
void threadsafe_close(struct threadsafe *threadsafe);

/* Has the executor's thread call `run(argument)` and ends its sleep; for any thread.
 * Such calls keep their order among themselves. 0, or -1 with ENOMEM. */
int threadsafe_call_soon(struct threadsafe *threadsafe, callback *run, void *argument);

#endif
