/* One thread: the native loop's pass is a callback of the executor, so nobody sleeps
 * who would have to be woken.
 *
 * Try it:
 *     build/08-inversion --port 8080 --stats &
 *     curl http://127.0.0.1:8080/
 *     kill %1
 * The idea is in inversion.c. */
#include <stddef.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "03-request/server_options.h"
#include "05-executor/c_executor.h"
#include "05-executor/demo.h"
#include "08-inversion/inversion.h"

static struct inversion inversion;
static struct sweep_outbox outbox;
static struct demo demo;

int main(int argc, char **argv) {
    uint64_t began = clock_now(), spins_per_us = 0;
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS + 1];
    server_options_rows(&options, rows);
    rows[SERVER_OPTIONS] = demo_option(&spins_per_us);
    options_read(argc, argv, "Serves HTTP from two loops on one thread.", rows,
                 SERVER_OPTIONS + 1);
    server_trace(&options, "executor");
    struct c_executor *c_executor = c_executor_open(options.backend, NULL);
    if (!c_executor)
        backend_refused(options.backend);
    const struct executor *executor = c_executor_functions(c_executor);
    demo_init(&demo, executor, spins_per_us);
    inversion_run(&inversion, &options, executor, &demo.application, &stop_at_once,
                  sweep_outbox_init(&outbox));
    c_executor_close(c_executor);
    server_report(&options, &inversion.loop.counters, began);
    return 0;
}
