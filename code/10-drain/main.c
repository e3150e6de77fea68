/* Either topology, with an end: what is under way when the server is told to stop is
 * answered first. Right in the pump, and frozen in the inversion.
 *
 * Try it, and then with --topology pump:
 *     build/10-drain --topology inversion &
 *     curl -w '%{time_total} s\n' 'http://127.0.0.1:8080/slow?ms=1500' &
 *     sleep 0.3; kill %1; wait
 * The idea is in drain.c. */
#include <string.h>

#include "00-ground/clock.h"
#include "03-request/server_options.h"
#include "05-executor/c_executor.h"
#include "05-executor/demo.h"
#include "09-traps/stream.h"
#include "09-traps/topology.h"
#include "10-drain/drain.h"

static struct demo demo;
static struct stream stream;
static struct drain drain;
static struct sweep_outbox outbox;

enum { OWN_OPTIONS = 3 };

int main(int argc, char **argv) {
    uint64_t began = clock_now(), spins_per_us = 0, budget_ms;
    const char *name;
    struct server_options options;
    const struct option_row own_rows[OWN_OPTIONS] = {
        demo_option(&spins_per_us), topology_option(&name), drain_option(&budget_ms)};
    struct option_row rows[SERVER_OPTIONS + OWN_OPTIONS];
    server_options_rows(&options, rows);
    memcpy(rows + SERVER_OPTIONS, own_rows, sizeof own_rows);
    options_read(argc, argv, "Serves HTTP, and answers what is under way at its end.",
                 rows, SERVER_OPTIONS + OWN_OPTIONS);
    enum topology topology = topology_named(name);
    server_trace(&options, "executor");
    struct c_executor *c_executor = c_executor_open(options.backend, NULL);
    if (!c_executor)
        backend_refused(options.backend);
    const struct executor *executor = c_executor_functions(c_executor);
    demo_init(&demo, executor, spins_per_us);
    stream_init(&stream, executor, &demo.application, exchange_chunk);
    drain_init(&drain, budget_ms, topology == INVERSION ? executor : NULL);
    const struct counters *counters =
        topology_run(topology, &options, executor, &stream.application, &drain.blocking,
                     sweep_outbox_init(&outbox));
    c_executor_close(c_executor);
    server_report(&options, counters, began);
    return drain.cut > 0;
}
