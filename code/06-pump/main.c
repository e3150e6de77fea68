/* Two threads and a pump between them: the native loop and the executor each sleep in a
 * wait of their own, and each hand-off has to wake the other.
 *
 * Try it:
 *     build/06-pump --port 8080 --stats &
 *     curl http://127.0.0.1:8080/
 *     kill %1
 * The idea is in pump.c. */
#include <stddef.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "03-request/server_options.h"
#include "05-executor/c_executor.h"
#include "05-executor/demo.h"
#include "06-pump/pump.h"

static struct pump pump;
static struct demo demo;

int main(int argc, char **argv) {
    uint64_t began = clock_now(), spins_per_us = 0;
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS + 1];
    server_options_rows(&options, rows);
    rows[SERVER_OPTIONS] = demo_option(&spins_per_us);
    options_read(argc, argv, "Serves HTTP from two loops on two threads.", rows,
                 SERVER_OPTIONS + 1);
    server_trace(&options, "executor");
    struct c_executor *c_executor = c_executor_open(options.backend, NULL);
    if (!c_executor)
        backend_refused(options.backend);
    const struct executor *executor = c_executor_functions(c_executor);
    demo_init(&demo, executor, spins_per_us);
    pump_run(&pump, &options, executor, &demo.application, NULL, &stop_at_once);
    c_executor_close(c_executor);
    counters_add(&pump.counters, &pump.loop.counters);
    server_report(&options, &pump.counters, began);
    return 0;
}
