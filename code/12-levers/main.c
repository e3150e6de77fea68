/* Both topologies and all drains, with two levers: a cheaper parser, and an outbox that
 * knows what is in it.
 *
 * Try it, and then with --parser plain or --outbox sweep:
 *     build/12-levers --parser fast --outbox list --stats &
 *     curl http://127.0.0.1:8080/
 *     kill %1
 * The ideas are in parse_fast.c and outbox_list.c. */
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "03-request/server_options.h"
#include "05-executor/c_executor.h"
#include "05-executor/demo.h"
#include "09-traps/stream.h"
#include "09-traps/topology.h"
#include "11-stepped/stepped.h"
#include "12-levers/outbox_list.h"
#include "12-levers/parse_fast.h"

static struct demo demo;
static struct stream stream;
static struct stepped stepped;

static parse_function *parser_named(const char *name) {
    if (strcmp(name, "plain") != 0 && strcmp(name, "fast") != 0)
        die_of_usage("--parser %s: there is plain and fast", name);
    return strcmp(name, "fast") == 0 ? parse_fast : parse_plain;
}

static struct outbox *outbox_named(const char *name) {
    static struct sweep_outbox sweep;
    static struct list_outbox list;
    if (strcmp(name, "sweep") != 0 && strcmp(name, "list") != 0)
        die_of_usage("--outbox %s: there is sweep and list", name);
    return strcmp(name, "list") == 0 ? list_outbox_init(&list)
                                     : sweep_outbox_init(&sweep);
}

enum { OWN_OPTIONS = 7, STEP_MOST_MS = 1000 };

int main(int argc, char **argv) {
    uint64_t began = clock_now(), spins_per_us = 0, budget_ms, step_ms = 1;
    const char *name, *kind = "evented", *parser_name = "fast", *outbox_name = "list";
    struct server_options options;
    const struct option_row own_rows[OWN_OPTIONS] = {
        demo_option(&spins_per_us),
        topology_option(&name),
        {"--drain", OPTION_TEXT, &kind, 0, 0, "blocking, stepped or evented"},
        {"--drain-step-ms", OPTION_NUMBER, &step_ms, 0, STEP_MOST_MS,
         "the sleep between two steps"},
        drain_option(&budget_ms),
        {"--parser", OPTION_TEXT, &parser_name, 0, 0, "plain or fast"},
        {"--outbox", OPTION_TEXT, &outbox_name, 0, 0, "sweep or list"},
    };
    struct option_row rows[SERVER_OPTIONS + OWN_OPTIONS];
    server_options_rows(&options, rows);
    memcpy(rows + SERVER_OPTIONS, own_rows, sizeof own_rows);
    options_read(argc, argv, "Serves HTTP, with cheaper work for each request.", rows,
                 SERVER_OPTIONS + OWN_OPTIONS);
    enum topology topology = topology_named(name);
    enum drain_kind drain = drain_kind_named(kind);
    options.parse = parser_named(parser_name);
    struct outbox *outbox = outbox_named(outbox_name);
    server_trace(&options, "executor");
    struct c_executor *c_executor = c_executor_open(options.backend, NULL);
    if (!c_executor)
        backend_refused(options.backend);
    const struct executor *executor = c_executor_functions(c_executor);
    demo_init(&demo, executor, spins_per_us);
    stream_init(&stream, executor, &demo.application, exchange_chunk);
    stepped_init(&stepped, drain, step_ms, budget_ms,
                 topology == INVERSION ? executor : NULL);
    const struct counters *counters = topology_run(
        topology, &options, executor, &stream.application, &stepped.stopper, outbox);
    c_executor_close(c_executor);
    server_report(&options, counters, began);
    return stepped.drain.cut > 0;
}
