/* ANCHOR: top */
/* Streamed answers on either topology, with the traps that one thread sets.
 *
 * Try it:
 *     build/09-traps --topology inversion --port 8080 &
 *     curl -N 'http://127.0.0.1:8080/stream?chunks=5&ms=300&bytes=40&word=hello'
 *     kill %1
 * The idea is in stream.c: a stream whose output is full returns, and goes on when it is
 * told that there is room. The traps wait, each in its own way. */
#include <stddef.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "03-request/server_options.h"
#include "05-executor/c_executor.h"
#include "05-executor/demo.h"
#include "09-traps/stream.h"
#include "09-traps/topology.h"
#include "09-traps/traps.h"

static struct sweep_outbox outbox;
static struct demo demo;
static struct stream stream;
static struct overtake overtake;
/* ANCHOR_END: top */

/* ANCHOR: plug */
/* Puts the trap where the good way stands; returns the application to serve. */
static const struct application *plug(const char *trap, enum topology topology,
                                      const struct executor *executor) {
    chunk_call *chunk = exchange_chunk;
    const struct application *application = &stream.application;
    if (!strcmp(trap, "self-wait"))
        chunk = self_wait_chunk;
    else if (!strcmp(trap, "pass-instead") && topology == INVERSION) {
        pass_instead_on(topology_loop(topology));
        chunk = pass_instead_chunk;
    } else if (!strcmp(trap, "pass-instead"))
        die_of_usage("--trap pass-instead needs --topology inversion: in the pump the "
                     "passes are another thread's");
    else if (!strcmp(trap, "overtake")) {
        overtake_init(&overtake, &stream);
        application = &overtake.application;
    } else if (strcmp(trap, "none") != 0)
        die_of_usage("--trap %s: it is none, self-wait, pass-instead or overtake",
                     trap);
    stream_init(&stream, executor, &demo.application, chunk);
    return application;
}
/* ANCHOR_END: plug */

/* ANCHOR: main */
enum { OWN_OPTIONS = 3 };

int main(int argc, char **argv) {
    uint64_t began = clock_now(), spins_per_us = 0;
    const char *name, *trap = "none";
    struct server_options options;
    const struct option_row own_rows[OWN_OPTIONS] = {
        demo_option(&spins_per_us),
        topology_option(&name),
        {"--trap", OPTION_TEXT, &trap, 0, 0,
         "none, self-wait, pass-instead or overtake"},
    };
    struct option_row rows[SERVER_OPTIONS + OWN_OPTIONS];
    server_options_rows(&options, rows);
    memcpy(rows + SERVER_OPTIONS, own_rows, sizeof own_rows);
    options_read(argc, argv, "Serves streamed answers over HTTP, or gets stuck.", rows,
                 SERVER_OPTIONS + OWN_OPTIONS);
    enum topology topology = topology_named(name);
    server_trace(&options, "executor");
    struct c_executor *c_executor = c_executor_open(options.backend, NULL);
    if (!c_executor)
        backend_refused(options.backend);
    const struct executor *executor = c_executor_functions(c_executor);
    demo_init(&demo, executor, spins_per_us);
    const struct application *application = plug(trap, topology, executor);
    const struct counters *counters =
        topology_run(topology, &options, executor, application, &stop_at_once,
                     sweep_outbox_init(&outbox));
    c_executor_close(c_executor);
    server_report(&options, counters, began);
    return 0;
}
/* ANCHOR_END: main */
