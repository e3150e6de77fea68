/* A stopper that takes its time: the loop is turned on meanwhile, and nothing spins. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "03-request/hello.h"
#include "05-executor/c_executor.h"
#include "08-inversion/inversion.h"

static struct inversion inversion;
static struct sweep_outbox outbox;
static const struct executor *executor;
static void (*done)(void *argument);
static uint64_t passes; /* when the stopper was called */
static uint64_t told;   /* of passes after that */

static void ask_to_stop(void *unused) {
    (void)unused;
    cr_assert_eq(kill(getpid(), SIGTERM), 0);
}

static void be_done(void *argument) {
    cr_assert_eq(inversion.loop.stops, 2, "a second signal is counted meanwhile");
    cr_assert_leq(inversion.loop.counters.passes, passes + 2, "nothing spins");
    cr_assert_gt(told, 0);
    cr_assert_eq(inversion.loop.counters.passes, passes + told);
    done(argument);
}

static void passed(void *self) {
    cr_assert_eq(self, &passes);
    cr_assert_not(inversion.loop.in_pass);
    told++;
}

static void take_a_while(void *self, struct loop_state *loop,
                         void (*when_done)(void *argument), void *argument) {
    cr_assert_eq(self, &passes);
    cr_assert_not(loop->in_pass);
    done = when_done;
    passes = loop->counters.passes;
    executor->call_later(executor->self, 50 * NS_PER_MS, ask_to_stop, NULL);
    executor->call_later(executor->self, 200 * NS_PER_MS, be_done, argument);
}

Test(stopper, may_say_later_that_it_is_done, .timeout = 300) {
    const struct stopper stopper = {
        .self = &passes, .stop = take_a_while, .passed = passed};
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS];
    server_options_rows(&options, rows);
    options.port = 0;
    cr_assert_not_null(freopen("/dev/null", "w", stdout)); /* "listening on ..." */
    struct c_executor *c_executor = c_executor_open(NULL, NULL);
    executor = c_executor_functions(c_executor);
    executor->call_later(executor->self, 10 * NS_PER_MS, ask_to_stop, NULL);
    inversion_run(&inversion, &options, executor, &hello_application, &stopper,
                  sweep_outbox_init(&outbox));
    c_executor_close(c_executor);
}
