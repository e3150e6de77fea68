/* One executor timer that stands for many deadlines: it goes off at the earliest. */
#ifndef EXECUTOR_ALARM_H
#define EXECUTOR_ALARM_H

#include <stdint.h>

#include "05-executor/executor.h"

struct alarm {
    const struct executor *executor;
    callback *run;
    void *argument;
    uint64_t at; /* ns when the timer goes off; NEVER: no timer runs */
    timer_handle timer;
};

void alarm_init(struct alarm *alarm, const struct executor *executor, callback *run,
                void *argument);

/* Sees to it that `run(argument)` is called at `deadline` (ns of the executor's clock)
 * or earlier. The timer is moved only when the deadline is earlier than it: for a later
 * one it goes off too soon, and whoever it calls sets it anew. Dies when memory runs
 * out. */
void alarm_by(struct alarm *alarm, uint64_t deadline);

void alarm_off(struct alarm *alarm);

#endif
