/* ANCHOR: includes */
#include "08-inversion/inversion.h"

#include <errno.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
/* ANCHOR_END: includes */

/* ANCHOR: submit */
/* In a pass: submit is call_soon. The application runs in the next iteration, so it
 * can't run inside the pass, and nobody has to be woken. */
static void submit(void *argument, const struct notice *notices, int count) {
    struct inversion *inversion = argument;
    for (int i = 0; i < count; i++)
        soon_deliver(&inversion->soon, notices[i],
                     &inversion->loop.conns[notices[i].slot].exchange);
}
/* ANCHOR_END: submit */

/* ANCHOR: schedule */
static void scheduled_pass(void *argument);

/* Once for all that happens before that pass runs. */
static void schedule_pass(struct inversion *inversion) {
    const struct executor *executor = inversion->executor;
    if (inversion->pass_scheduled)
        return;
    if (executor->call_soon(executor->self, scheduled_pass, inversion) != 0)
        die("can't schedule a pass: %s", strerror(errno));
    inversion->pass_scheduled = true;
}
/* ANCHOR_END: schedule */

/* ANCHOR: answered */
/* Outside a pass: an answer lies in the outbox, and no readiness will announce it. */
static void answered(void *argument, uint32_t slot) {
    struct inversion *inversion = argument;
    inversion->outbox->put(inversion->outbox, slot);
    schedule_pass(inversion);
}
/* ANCHOR_END: answered */

/* ANCHOR: end */
/* Unwatch first: once the backend is closed its descriptor's number may be
 * another's. */
static void end(void *argument) {
    struct inversion *inversion = argument;
    inversion->ended = true;
    const struct executor *executor = inversion->executor;
    executor->remove_reader(executor->self, loop_fd(&inversion->loop));
    alarm_off(&inversion->alarm);
    loop_shutdown(&inversion->loop);
    soon_close(&inversion->soon); /* notices of the last passes may still be queued */
    inversion->application->shutdown(inversion->application->self);
    executor->stop(executor->self);
}
/* ANCHOR_END: end */

/* ANCHOR: stop */
/* After a pass: once the end has begun, it is the stopper who says when it is over. */
static void stop(struct inversion *inversion) {
    const struct application *application = inversion->application;
    const struct stopper *stopper = inversion->stopper;
    if (inversion->stopping) {
        if (stopper->passed)
            stopper->passed(stopper->self);
        return;
    }
    inversion->stopping = true;
    if (application->stopping)
        application->stopping(application->self);
    stopper->stop(stopper->self, &inversion->loop, end, inversion);
}
/* ANCHOR_END: stop */

/* ANCHOR: pass */
/* One pass, without waiting: what would be waited for is on this thread. */
static void pass(void *argument) {
    struct inversion *inversion = argument;
    struct loop_state *loop = &inversion->loop;
    if (inversion->ended)
        return; /* this pass was scheduled before the end */
    loop_pass(loop, 0);
    if (loop->stops > 0)
        stop(inversion);
    if (inversion->ended)
        return;
    if (loop_next_deadline(loop) == 0)
        schedule_pass(inversion);
    else
        alarm_by(&inversion->alarm, loop_next_deadline(loop));
}
/* ANCHOR_END: pass */

/* ANCHOR: scheduled */
static void scheduled_pass(void *argument) {
    struct inversion *inversion = argument;
    inversion->pass_scheduled = false;
    pass(inversion);
}
/* ANCHOR_END: scheduled */

/* ANCHOR: links */
void inversion_run(struct inversion *inversion, const struct server_options *options,
                   const struct executor *executor,
                   const struct application *application, const struct stopper *stopper,
                   struct outbox *outbox) {
    inversion->executor = executor;
    inversion->application = application;
    inversion->stopper = stopper;
    inversion->outbox = outbox;
    soon_init(&inversion->soon, executor, application, &inversion->loop.counters);
    alarm_init(&inversion->alarm, executor, pass, inversion);
    const struct loop_links links = {
        .argument = inversion,
        .submit = submit,
        .answered = answered,
        .wake = -1,
        .outbox = outbox,
        .nested = true,
    };
    /* ANCHOR_END: links */

    /* ANCHOR: run */
    loop_prepare(&inversion->loop, options, &links);
    int nested = loop_fd(&inversion->loop);
    if (executor->add_reader(executor->self, nested, pass, inversion) != 0)
        die("can't watch the native loop: %s", strerror(errno));
    if (executor->run_forever(executor->self) != 0)
        die("the executor can't wait: %s", strerror(errno));
}
/* ANCHOR_END: run */
