/* The executor serves HTTP with its own sockets: one loop, in which the application
 * lives, too.
 *
 * Try it:
 *     build/05-executor --port 8080 &
 *     curl 'http://127.0.0.1:8080/slow?ms=500' &
 *     curl 'http://127.0.0.1:8080/fanout?n=100'
 * The idea is in c_executor.c; server.c is a user of it, as uvicorn is of asyncio. */
#include <errno.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/signals.h"
#include "02-readiness/listener.h"
#include "03-request/server_options.h"
#include "05-executor/demo.h"
#include "05-executor/server.h"

static struct server server;
static struct demo demo;

static void on_stop(void *argument) {
    const struct executor *executor = argument;
    demo.application.shutdown(demo.application.self);
    executor->stop(executor->self);
}

int main(int argc, char **argv) {
    uint64_t began = clock_now(), spins_per_us = 0;
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS + 1];
    server_options_rows(&options, rows);
    rows[SERVER_OPTIONS] = demo_option(&spins_per_us);
    options_read(argc, argv, "Serves HTTP from an executor's own sockets.", rows,
                 SERVER_OPTIONS + 1);
    server_trace(&options, "executor");

    struct c_executor *c_executor = c_executor_open(options.backend, NULL);
    if (!c_executor)
        backend_refused(options.backend);
    const struct executor *executor = c_executor_functions(c_executor);
    int stop = signals_open();
    if (stop < 0 ||
        executor->add_reader(executor->self, stop, on_stop, (void *)executor) != 0)
        die("can't watch for signals: %s", strerror(errno));
    demo_init(&demo, executor, spins_per_us);
    server_start(&server, c_executor, listener_open(options.host, options.port),
                 server_http(&options, NULL), &demo.application);
    if (executor->run_forever(executor->self) != 0)
        die("can't wait: %s", strerror(errno));
    server_close(&server);
    c_executor_close(c_executor);
    server_report(&options, &server.counters, began);
    return 0;
}
