/* ANCHOR: top */
/* The whole native server with its application inline: the floor for all that follows.
 *
 * Try it:
 *     build/04-pass --port 8080 --stats &
 *     curl http://127.0.0.1:8080/
 *     kill %1
 * The idea is in pass.c: the loop of chapter 03, taken apart into prepare, pass and
 * shutdown, so that this main() turns it today and another loop can turn it
 * tomorrow. */
#include <stdbool.h>

#include "00-ground/clock.h"
#include "03-request/hello.h"
#include "03-request/server_options.h"
#include "04-pass/pass.h"

static struct loop_state loop;
static struct sweep_outbox outbox;
static const struct application *application = &hello_application;
/* ANCHOR_END: top */

/* ANCHOR: links */
static void run_inline(void *argument, const struct notice *notices, int count) {
    (void)argument;
    for (int i = 0; i < count; i++)
        notice_deliver(notices[i], &loop.conns[notices[i].slot].exchange, application,
                       &loop.counters);
}

static void put(void *argument, uint32_t slot) {
    (void)argument;
    outbox.outbox.put(&outbox.outbox, slot); /* this very pass will flush it */
}
/* ANCHOR_END: links */

/* ANCHOR: start */
int main(int argc, char **argv) {
    uint64_t began = clock_now();
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS];
    server_options_rows(&options, rows);
    options_read(argc, argv, "Serves HTTP from a loop that others can turn.", rows,
                 SERVER_OPTIONS);
    server_trace(&options, "native loop");
    const struct loop_links links = {
        .submit = run_inline,
        .answered = put,
        .wake = -1,
        .outbox = sweep_outbox_init(&outbox),
    };
    /* ANCHOR_END: start */
    /* ANCHOR: turn */
    loop_prepare(&loop, &options, &links);
    while (loop.stops == 0)
        loop_pass(&loop, -1);
    application->shutdown(application->self);
    loop_shutdown(&loop);
    /* ANCHOR_END: turn */
    /* ANCHOR: end */
    server_report(&options, &loop.counters, began);
    return 0;
}
/* ANCHOR_END: end */
