/* ANCHOR: includes */
#include "05-executor/c_executor.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "00-ground/clock.h"
#include "02-readiness/backend.h"
#include "05-executor/ready.h"
#include "05-executor/timers.h"
#include "05-executor/watchers.h"
/* ANCHOR_END: includes */

/* ANCHOR: state */
/* Descriptors that an iteration looks at; more that are ready wait for the next. */
enum { BATCH = 256 };

struct c_executor {
    struct executor functions;
    const struct gate *gate; /* or NULL */
    struct ready_queue ready;
    struct timers timers;
    struct watchers watchers;
    bool running, stopping;
};
/* ANCHOR_END: state */

/* ANCHOR: reserve */
/* Every watcher and every timer has a place in the ready queue kept for it, so that an
 * iteration allocates nothing and can't fail for want of memory. */
static int reserve_one_more(struct c_executor *executor) {
    return ready_reserve(&executor->ready, executor->ready.count +
                                               executor->watchers.count +
                                               executor->timers.alive + 1);
}
/* ANCHOR_END: reserve */

/* ANCHOR: queue */
static void queue_timers(struct c_executor *executor) {
    if (timers_next(&executor->timers) == NEVER)
        return;
    uint64_t now = clock_now();
    timer_handle due;
    while ((due = timers_due(&executor->timers, now)))
        ready_push(&executor->ready, (struct ready){READY_TIMER, -1, due, NULL, NULL});
}
/* ANCHOR_END: queue */

/* ANCHOR: wait */
static int wait_until_ready(struct c_executor *executor, struct readiness *events) {
    int ms = 0;
    if (executor->ready.count == 0 && !executor->stopping) {
        uint64_t next = timers_next(&executor->timers);
        ms = next == NEVER ? -1 : clock_wait_ms(next, clock_now());
    }
    return gate_wait(executor->gate, executor->watchers.backend, events, BATCH, ms);
}
/* ANCHOR_END: wait */

/* ANCHOR: wanted */
/* Whether the call is still wanted: one before it in the same iteration may have taken
 * it back, or closed the descriptor and watched another of the same number. */
static bool still_wanted(struct c_executor *executor, struct ready *call) {
    if (call->kind == READY_SOON)
        return true;
    if (call->kind == READY_TIMER)
        return timers_take(&executor->timers, call->ticket, &call->run,
                           &call->argument);
    return watchers_take(&executor->watchers, call);
}
/* ANCHOR_END: wanted */

/* ANCHOR: iterate */
static int iterate(struct c_executor *executor) {
    struct readiness events[BATCH];
    int n = wait_until_ready(executor, events);
    if (n < 0)
        return -1;
    for (int i = 0; i < n; i++)
        watchers_queue(&executor->watchers, &events[i], &executor->ready);
    queue_timers(executor);
    for (size_t left = executor->ready.count; left > 0; left--) {
        struct ready call = ready_pop(&executor->ready);
        if (still_wanted(executor, &call))
            call.run(call.argument);
        gate_pause(executor->gate); /* a callback can't be asked, but here we can */
    }
    return 0;
}

static int run_forever(void *self) {
    struct c_executor *executor = self;
    assert(!executor->running); /* iterations don't nest */
    executor->running = true;
    int result;
    do
        result = iterate(executor);
    while (result == 0 && !executor->stopping);
    executor->running = executor->stopping = false;
    return result;
}
/* ANCHOR_END: iterate */

/* ANCHOR: functions */
static int add_watcher(struct c_executor *executor, int fd, enum side side,
                       callback *run, void *argument) {
    if (reserve_one_more(executor) != 0)
        return -1;
    return watchers_add(&executor->watchers, fd, side, run, argument);
}

static int add_reader(void *self, int fd, callback *run, void *argument) {
    return add_watcher(self, fd, READER, run, argument);
}

static int remove_reader(void *self, int fd) {
    return watchers_remove(&((struct c_executor *)self)->watchers, fd, READER);
}
/* ANCHOR_END: functions */

/* ANCHOR: call_soon */
static int call_soon(void *self, callback *run, void *argument) {
    struct c_executor *executor = self;
    if (reserve_one_more(executor) != 0)
        return -1;
    ready_push(&executor->ready, (struct ready){READY_SOON, -1, 0, run, argument});
    return 0;
}
/* ANCHOR_END: call_soon */

/* ANCHOR: later */
static timer_handle call_later(void *self, uint64_t delay_ns, callback *run,
                               void *argument) {
    struct c_executor *executor = self;
    if (reserve_one_more(executor) != 0)
        return 0;
    uint64_t now = clock_now();
    uint64_t when = delay_ns < NEVER - now ? now + delay_ns : NEVER;
    return timers_add(&executor->timers, when, run, argument);
}

static void cancel(void *self, timer_handle timer) {
    timers_cancel(&((struct c_executor *)self)->timers, timer);
}

static uint64_t now_of(void *self) {
    (void)self;
    return clock_now();
}

static void stop(void *self) {
    ((struct c_executor *)self)->stopping = true;
}
/* ANCHOR_END: later */

/* ANCHOR: open */
struct c_executor *c_executor_open(const char *backend_name, const struct gate *gate) {
    struct c_executor *executor = calloc(1, sizeof *executor);
    if (!executor)
        return NULL;
    executor->functions = (struct executor){
        .self = executor,
        .add_reader = add_reader,
        .remove_reader = remove_reader,
        .call_soon = call_soon,
        .call_later = call_later,
        .cancel = cancel,
        .now = now_of,
        .run_forever = run_forever,
        .stop = stop,
    };
    executor->gate = gate;
    executor->watchers.backend = backend_open(backend_name);
    if (executor->watchers.backend)
        return executor;
    int saved = errno;
    free(executor);
    errno = saved;
    return NULL;
}
/* ANCHOR_END: open */

/* ANCHOR: rest */
void c_executor_close(struct c_executor *executor) {
    backend_close(executor->watchers.backend);
    watchers_free(&executor->watchers);
    ready_free(&executor->ready);
    timers_free(&executor->timers);
    free(executor);
}

const struct executor *c_executor_functions(struct c_executor *executor) {
    return &executor->functions;
}

int c_executor_add_writer(struct c_executor *executor, int fd, callback *run,
                          void *argument) {
    return add_watcher(executor, fd, WRITER, run, argument);
}

int c_executor_remove_writer(struct c_executor *executor, int fd) {
    return watchers_remove(&executor->watchers, fd, WRITER);
}
/* ANCHOR_END: rest */
