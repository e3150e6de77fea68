/* ANCHOR: top */
#include "11-stepped/stepped.h"

#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
/* ANCHOR_END: top */

/* ANCHOR: step */
/* One step, without waiting; then the executor has everything else to do first. */
static void step(void *argument) {
    struct stepped *stepped = argument;
    const struct executor *host = stepped->host;
    if (drain_step(&stepped->drain, 0)) {
        drain_end(&stepped->drain);
        return;
    }
    uint64_t ns = stepped->sleep_ns;
    if (loop_next_deadline(stepped->drain.loop) == 0)
        ns = 0; /* the step has left something to be done by the next */
    if (!host->call_later(host->self, ns, step, stepped))
        die("can't set a timer: out of memory");
}

static void stop_stepped(void *self, struct loop_state *loop,
                         void (*done)(void *argument), void *argument) {
    struct stepped *stepped = self;
    drain_begin(&stepped->drain, loop, done, argument);
    step(stepped);
}
/* ANCHOR_END: step */

/* ANCHOR: evented */
static void at_deadline(void *argument) {
    struct stepped *stepped = argument;
    drain_finish(&stepped->drain);
}

/* A pass was made, for a reason of its own: is that the end? */
static void passed(void *self) {
    struct stepped *stepped = self;
    if (!drain_is_over(&stepped->drain))
        return;
    alarm_off(&stepped->deadline);
    drain_end(&stepped->drain);
}

static void stop_evented(void *self, struct loop_state *loop,
                         void (*done)(void *argument), void *argument) {
    struct stepped *stepped = self;
    drain_begin(&stepped->drain, loop, done, argument);
    alarm_init(&stepped->deadline, stepped->host, at_deadline, stepped);
    alarm_by(&stepped->deadline, stepped->drain.deadline);
    passed(stepped);
}
/* ANCHOR_END: evented */

/* ANCHOR: pump */
/* The application runs on another thread, which we don't hold up by waiting. */
static void stop_in_pump(void *self, struct loop_state *loop,
                         void (*done)(void *argument), void *argument) {
    struct stepped *stepped = self;
    drain_begin(&stepped->drain, loop, done, argument);
    bool over = drain_is_over(&stepped->drain);
    while (!over)
        over = drain_step(&stepped->drain, stepped->wait_ms);
    drain_finish(&stepped->drain);
}
/* ANCHOR_END: pump */

/* ANCHOR: init */
enum drain_kind drain_kind_named(const char *name) {
    static const char *const names[] = {"blocking", "stepped", "evented"};
    for (int kind = DRAIN_BLOCKING; kind <= DRAIN_EVENTED; kind++)
        if (strcmp(name, names[kind]) == 0)
            return (enum drain_kind)kind;
    die_of_usage("--drain %s: there is blocking, stepped and evented", name);
}

void stepped_init(struct stepped *stepped, enum drain_kind kind, uint64_t step_ms,
                  uint64_t budget_ms, const struct executor *host) {
    *stepped = (struct stepped){
        .host = host, .sleep_ns = step_ms * NS_PER_MS, .wait_ms = (int)step_ms};
    drain_init(&stepped->drain, budget_ms, host);
    stepped->stopper.self = stepped;
    if (kind == DRAIN_EVENTED)
        stepped->wait_ms = -1;
    if (kind == DRAIN_BLOCKING)
        stepped->stopper = stepped->drain.blocking;
    else if (!host)
        stepped->stopper.stop = stop_in_pump;
    else if (kind == DRAIN_STEPPED)
        stepped->stopper.stop = stop_stepped;
    else {
        stepped->stopper.stop = stop_evented;
        stepped->stopper.passed = passed;
    }
}
/* ANCHOR_END: init */
