/* Both topologies with all three drains. Stepped and evented, the inversion answers what
 * is under way as soon as it is done, as the pump does with any.
 *
 * Try it, and then with --drain blocking:
 *     build/11-stepped --topology inversion --drain stepped &
 *     curl -w '%{time_total} s\n' 'http://127.0.0.1:8080/slow?ms=1500' &
 *     sleep 0.3; kill %1; wait
 * The idea is in stepped.c. */
#include <string.h>

#include "00-ground/clock.h"
#include "03-request/server_options.h"
#include "05-executor/c_executor.h"
#include "05-executor/demo.h"
#include "09-traps/stream.h"
#include "09-traps/topology.h"
#include "11-stepped/stepped.h"

static struct demo demo;
static struct stream stream;
static struct stepped stepped;
static struct sweep_outbox outbox;

enum { OWN_OPTIONS = 5, STEP_MOST_MS = 1000 };

int main(int argc, char **argv) {
    uint64_t began = clock_now(), spins_per_us = 0, budget_ms, step_ms = 1;
    const char *name, *kind = "evented";
    struct server_options options;
    const struct option_row own_rows[OWN_OPTIONS] = {
        demo_option(&spins_per_us),
        topology_option(&name),
        {"--drain", OPTION_TEXT, &kind, 0, 0, "blocking, stepped or evented"},
        {"--drain-step-ms", OPTION_NUMBER, &step_ms, 0, STEP_MOST_MS,
         "the sleep between two steps"},
        drain_option(&budget_ms),
    };
    struct option_row rows[SERVER_OPTIONS + OWN_OPTIONS];
    server_options_rows(&options, rows);
    memcpy(rows + SERVER_OPTIONS, own_rows, sizeof own_rows);
    options_read(argc, argv, "Serves HTTP, and ends without holding anybody up.", rows,
                 SERVER_OPTIONS + OWN_OPTIONS);
    enum topology topology = topology_named(name);
    enum drain_kind drain = drain_kind_named(kind);
    server_trace(&options, "executor");
    struct c_executor *c_executor = c_executor_open(options.backend, NULL);
    if (!c_executor)
        backend_refused(options.backend);
    const struct executor *executor = c_executor_functions(c_executor);
    demo_init(&demo, executor, spins_per_us);
    stream_init(&stream, executor, &demo.application, exchange_chunk);
    stepped_init(&stepped, drain, step_ms, budget_ms,
                 topology == INVERSION ? executor : NULL);
    const struct counters *counters =
        topology_run(topology, &options, executor, &stream.application,
                     &stepped.stopper, sweep_outbox_init(&outbox));
    c_executor_close(c_executor);
    server_report(&options, counters, began);
    return stepped.drain.cut > 0;
}
