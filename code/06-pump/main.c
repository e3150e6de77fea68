/* Two threads and a pump between them: the native loop and the executor each sleep in a
 * wait of their own, and each hand-off has to wake the other.
 *
 * Try it:
 *     build/06-pump --port 8080 --stats &
 *     curl http://127.0.0.1:8080/
 *     kill %1
 * The idea is in pump.c. */
#include <stddef.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "03-request/server_options.h"
#include "05-executor/c_executor.h"
#include "05-executor/demo.h"
#include "06-pump/lock.h"
#include "06-pump/pump.h"

static struct lock lock;
static struct pump pump;
static struct sweep_outbox outbox;
static struct demo demo;

enum { OWN_OPTIONS = 4 };

int main(int argc, char **argv) {
    uint64_t began = clock_now(), spins_per_us = 0;
    const char *wake_name = NULL, *lock_name = "free";
    struct server_options options;
    struct pump_options own = {.every_wake = false};
    const struct option_row own_rows[OWN_OPTIONS] = {
        demo_option(&spins_per_us),
        {"--wake", OPTION_TEXT, &wake_name, 0, 0, "eventfd, pipe or datagram"},
        {"--every-wake", OPTION_FLAG, &own.every_wake, 0, 0,
         "wake also while a wake is pending"},
        {"--lock", OPTION_TEXT, &lock_name, 0, 0, "free, gil or mutex"},
    };
    struct option_row rows[SERVER_OPTIONS + OWN_OPTIONS];
    server_options_rows(&options, rows);
    memcpy(rows + SERVER_OPTIONS, own_rows, sizeof own_rows);
    options_read(argc, argv, "Serves HTTP from two loops on two threads.", rows,
                 SERVER_OPTIONS + OWN_OPTIONS);
    own.wake = wake_kind_named(wake_name);
    own.gate = lock_init(&lock, lock_name);
    server_trace(&options, "executor");
    struct c_executor *c_executor = c_executor_open(options.backend, own.gate);
    if (!c_executor)
        backend_refused(options.backend);
    const struct executor *executor = c_executor_functions(c_executor);
    demo_init(&demo, executor, spins_per_us);
    gate_enter(own.gate); /* this thread is the executor's, and works from here on */
    pump_run(&pump, &options, &own, executor, &demo.application, &stop_at_once,
             sweep_outbox_init(&outbox));
    gate_leave(own.gate);
    c_executor_close(c_executor);
    counters_add(&pump.counters, &pump.loop.counters);
    server_report(&options, &pump.counters, began);
    return 0;
}
