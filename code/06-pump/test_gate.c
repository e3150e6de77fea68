/* The pump with a lock at both waits, as two of Python's threads have one. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "03-request/hello.h"
#include "05-executor/c_executor.h"
#include "06-pump/pump.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool held; /* guarded by `lock` */
static struct pump pump;
static struct sweep_outbox outbox;

static void take(void *unused) {
    (void)unused;
    cr_assert_eq(pthread_mutex_lock(&lock), 0);
    cr_assert_not(held);
    held = true;
}

static void let_go(void *unused) {
    (void)unused;
    cr_assert(held, "nobody lets go of what it doesn't hold");
    held = false;
    cr_assert_eq(pthread_mutex_unlock(&lock), 0);
}

static void ask_to_stop(void *unused) {
    (void)unused;
    cr_assert_eq(kill(getpid(), SIGTERM), 0);
}

Test(gate, two_threads_that_exclude_each_other_still_stop, .timeout = 300) {
    static const struct gate gate = {NULL, let_go, take, NULL};
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS];
    server_options_rows(&options, rows);
    options.port = 0;
    cr_assert_not_null(freopen("/dev/null", "w", stdout)); /* "listening on ..." */
    struct c_executor *c_executor = c_executor_open(NULL, &gate);
    const struct executor *executor = c_executor_functions(c_executor);
    executor->call_later(executor->self, 20 * 1000000, ask_to_stop, NULL);
    take(NULL);
    const struct pump_options own = {.wake = WAKE_DEFAULT, .gate = &gate};
    pump_run(&pump, &options, &own, executor, &hello_application, &stop_at_once,
             sweep_outbox_init(&outbox));
    let_go(NULL);
    c_executor_close(c_executor);
    cr_assert_eq(pump.loop.stops, 1);
}
