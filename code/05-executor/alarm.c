/* ANCHOR: init */
#include "05-executor/alarm.h"

#include "00-ground/clock.h"
#include "00-ground/error.h"

static void ring(void *argument) {
    struct alarm *alarm = argument;
    alarm->at = NEVER;
    alarm->run(alarm->argument);
}

void alarm_init(struct alarm *alarm, const struct executor *executor, callback *run,
                void *argument) {
    *alarm = (struct alarm){
        .executor = executor, .run = run, .argument = argument, .at = NEVER};
}
/* ANCHOR_END: init */

/* ANCHOR: by */
void alarm_by(struct alarm *alarm, uint64_t deadline) {
    if (deadline >= alarm->at)
        return;
    alarm_off(alarm);
    uint64_t now = alarm->executor->now(alarm->executor->self);
    uint64_t delay = deadline > now ? deadline - now : 0;
    alarm->timer =
        alarm->executor->call_later(alarm->executor->self, delay, ring, alarm);
    if (!alarm->timer)
        die("can't set a timer: out of memory");
    alarm->at = deadline;
}
/* ANCHOR_END: by */

/* ANCHOR: off */
void alarm_off(struct alarm *alarm) {
    if (alarm->at != NEVER)
        alarm->executor->cancel(alarm->executor->self, alarm->timer);
    alarm->at = NEVER;
}
/* ANCHOR_END: off */
