/* ANCHOR: includes */
#include "06-pump/pump.h"

#include <errno.h>
#include <string.h>

#include "00-ground/error.h"
#include "00-ground/trace.h"
/* ANCHOR_END: includes */

/* ANCHOR: submit */
/* On the native loop's thread. */

static bool ring_executor(struct pump *pump) {
    bool woke = bell_ring(&pump->to_executor);
    pump->loop.counters.wakes_to_executor += woke;
    return woke;
}

static void submit(void *argument, const struct notice *notices, int count) {
    struct pump *pump = argument;
    for (int i = 0; i < count; i++)
        channel_push(&pump->submits, notices[i]);
    uint64_t began = trace_begin();
    if (ring_executor(pump))
        trace_end(began, "wake executor", notices[0].slot, notices[0].tag);
}
/* ANCHOR_END: submit */

/* ANCHOR: begin_to_stop */
/* Rings only if somebody wants to know. */
static void begin_to_stop(struct pump *pump) {
    atomic_store_explicit(&pump->stopping, true, memory_order_release);
    if (pump->application->stopping)
        ring_executor(pump);
}
/* ANCHOR_END: begin_to_stop */

/* ANCHOR: native */
static void on_wake(void *argument) {
    struct pump *pump = argument;
    bell_answer(&pump->to_loop); /* this pass will flush the outbox, after this */
}

static void end_passes(void *argument) {
    struct pump *pump = argument;
    loop_shutdown(&pump->loop);
    atomic_store_explicit(&pump->stopped, true, memory_order_release);
    ring_executor(pump);
}

static void *run_native_loop(void *argument) {
    struct pump *pump = argument;
    const struct gate *gate = pump->loop.links.gate;
    trace_thread("native loop");
    gate_enter(gate);
    while (pump->loop.stops == 0)
        loop_pass(&pump->loop, -1);
    begin_to_stop(pump);
    pump->stopper->stop(pump->stopper->self, &pump->loop, end_passes, pump);
    gate_leave(gate);
    return NULL;
}
/* ANCHOR_END: native */

/* ANCHOR: tell_stopping */
/* On the executor's thread. */

static void tell_stopping(struct pump *pump) {
    const struct application *application = pump->application;
    if (!application->stopping || pump->told ||
        !atomic_load_explicit(&pump->stopping, memory_order_acquire))
        return;
    pump->told = true;
    application->stopping(application->self);
}
/* ANCHOR_END: tell_stopping */

/* ANCHOR: on_submit */
static void on_submit(void *argument) {
    struct pump *pump = argument;
    bell_answer(&pump->to_executor);
    struct notice notice;
    while (channel_pop(&pump->submits, &notice))
        soon_deliver(&pump->soon, notice, &pump->loop.conns[notice.slot].exchange);
    tell_stopping(pump);
    if (atomic_load_explicit(&pump->stopped, memory_order_acquire)) {
        soon_close(&pump->soon);
        pump->application->shutdown(pump->application->self);
        pump->executor->stop(pump->executor->self);
    }
}
/* ANCHOR_END: on_submit */

/* ANCHOR: answered */
static void answered(void *argument, uint32_t slot) {
    struct pump *pump = argument;
    pump->outbox->put(pump->outbox, slot);
    uint64_t began = trace_begin();
    if (!bell_ring(&pump->to_loop))
        return;
    pump->counters.wakes_to_loop++;
    trace_end(began, "wake loop", slot, 0);
}
/* ANCHOR_END: answered */

/* ANCHOR: bells */
/* On the caller's thread, which becomes the executor's. */

static void open_bells(struct pump *pump, const struct pump_options *own) {
    const struct executor *executor = pump->executor;
    if (bell_open(&pump->to_executor, own->wake, own->every_wake) != 0 ||
        bell_open(&pump->to_loop, own->wake, own->every_wake) != 0)
        die("can't open a wake descriptor: %s", strerror(errno));
    if (executor->add_reader(executor->self, pump->to_executor.wake.watched, on_submit,
                             pump) != 0)
        die("can't watch the wake descriptor: %s", strerror(errno));
}

static void close_bells(struct pump *pump) {
    pump->executor->remove_reader(pump->executor->self, pump->to_executor.wake.watched);
    bell_close(&pump->to_executor);
    bell_close(&pump->to_loop);
}
/* ANCHOR_END: bells */

/* ANCHOR: links */
void pump_run(struct pump *pump, const struct server_options *options,
              const struct pump_options *own, const struct executor *executor,
              const struct application *application, const struct stopper *stopper,
              struct outbox *outbox) {
    pump->executor = executor;
    pump->application = application;
    pump->stopper = stopper;
    pump->outbox = outbox;
    channel_init(&pump->submits);
    atomic_init(&pump->stopping, false);
    atomic_init(&pump->stopped, false);
    soon_init(&pump->soon, executor, application, &pump->counters);
    open_bells(pump, own);
    const struct loop_links links = {
        .argument = pump,
        .submit = submit,
        .answered = answered,
        .wake = pump->to_loop.wake.watched,
        .on_wake = on_wake,
        .outbox = outbox,
        .gate = own->gate,
    };
    /* ANCHOR_END: links */

    /* ANCHOR: run */
    loop_prepare(&pump->loop, options, &links);
    int failed = pthread_create(&pump->thread, NULL, run_native_loop, pump);
    if (failed)
        die("can't start the native loop's thread: %s", strerror(failed));
    if (executor->run_forever(executor->self) != 0)
        die("the executor can't wait: %s", strerror(errno));
    pthread_join(pump->thread, NULL); /* before anything it uses goes away */
    close_bells(pump);
}
/* ANCHOR_END: run */
