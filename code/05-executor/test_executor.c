/* Iterations: what runs in which, and when it ends. */
#include "05-executor/test_bench.h"

#include <signal.h>
#include <sys/time.h>

TestSuite(executor, .timeout = 300);

static void note_and_add_c(void *argument) {
    run_note(argument);
    soon(run_note, LETTER('c'));
    soon(run_stop, NULL);
}

EACH_BACKEND(executor, what_a_callback_schedules_runs_in_the_next_iteration) {
    soon(note_and_add_c, LETTER('a'));
    soon(run_note, LETTER('b'));
    run();
    cr_assert_str_eq(bench.log, "|ab|c");
}

EACH_BACKEND(executor, what_is_ready_at_the_start_runs_calls_then_readers_then_timers) {
    int ends[2];
    make_pipe(ends);
    make_readable(ends);
    watch(ends[0], run_note, LETTER('r'));
    later(0, run_note, LETTER('t'));
    soon(run_note, LETTER('s'));
    soon(run_stop, NULL);
    run();
    cr_assert_str_eq(bench.log, "|srt");
    unwatch(ends[0]);
    close(ends[0]);
    close(ends[1]);
}

static void note_and_add_a_timer(void *argument) {
    run_note(argument);
    later(0, run_note, LETTER('u'));
    later(0, run_stop, NULL);
}

EACH_BACKEND(executor, a_timer_of_no_delay_runs_in_the_next_iteration) {
    soon(note_and_add_a_timer, LETTER('a'));
    run();
    cr_assert_str_eq(bench.log, "|a|u");
}

EACH_BACKEND(executor, stop_lets_the_iteration_end_and_the_rest_waits) {
    soon(run_stop, NULL);
    soon(note_and_add_c, LETTER('a'));
    run();
    cr_assert_str_eq(bench.log, "|a");
    run();
    cr_assert_str_eq(bench.log, "|a|c");
}

EACH_BACKEND(executor, stop_before_the_start_is_one_iteration_without_sleep) {
    run_stop(NULL);
    run();
    cr_assert_str_eq(bench.log, "|");
}

static void chain(void *argument) {
    int *left = argument;
    if (--*left == 0)
        run_stop(NULL);
    else
        soon(chain, argument);
}

EACH_BACKEND(executor, a_chain_of_calls_is_an_iteration_each) {
    int left = 1000;
    soon(chain, &left);
    run();
    cr_assert_eq(bench.waits, 1000);
}

EACH_BACKEND(executor, thousands_of_calls_keep_their_order) {
    static int left[5000];
    for (int round = 0; round < 2; round++) { /* the second goes round the ring */
        for (int i = 0; i < 5000; i++) {
            left[i] = 1;
            soon(i == 4999 ? chain : run_note,
                 i == 4999 ? (void *)&left[i] : (void *)LETTER('a'));
        }
        bench.waits = bench.waits_over = 0;
        run();
        cr_assert_eq(bench.waits, 1);
    }
}

static void on_alarm(int number) {
    (void)number;
}

EACH_BACKEND(executor, a_signal_is_no_error) {
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART: waits end */
    struct itimerval every_5_ms = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
    cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
    cr_assert_eq(setitimer(ITIMER_REAL, &every_5_ms, NULL), 0);
    int rounds = 0;
    do { /* one that slept on a busy machine may have met no signal */
        uint64_t began = clock_now();
        later(50, run_stop, NULL);
        run();
        cr_assert_geq(clock_now() - began, 50 * NS_PER_MS);
    } while (bench.waits <= ++rounds && rounds < 100);
    cr_assert_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
    cr_assert_gt(bench.waits, rounds, "the signals should have ended some waits");
}

Test(executor, a_backend_that_nobody_has_is_refused) {
    cr_assert_null(c_executor_open("select", NULL));
    cr_assert_eq(errno, ENOTSUP);
}

Test(executor, a_gate_is_not_needed) {
    struct c_executor *c = c_executor_open(NULL, NULL);
    cr_assert_not_null(c);
    const struct executor *executor = c_executor_functions(c);
    executor->stop(executor->self);
    cr_assert_eq(executor->run_forever(executor->self), 0);
    c_executor_close(c);
}

static void note_entry(void *unused) {
    (void)unused;
    note('(');
}

static void note_leave(void *unused) {
    (void)unused;
    note(')');
}

static void note_pause(void *unused) {
    (void)unused;
    note('.');
}

Test(executor, a_gate_may_pause_it_between_callbacks_and_nowhere_else) {
    static const struct gate gate = {NULL, note_leave, note_entry, note_pause};
    bench.c = c_executor_open(NULL, &gate);
    bench.executor = c_executor_functions(bench.c);
    bench.self = bench.executor->self;
    soon(run_note, LETTER('a'));
    soon(run_note, LETTER('b'));
    soon(run_stop, NULL);
    cr_assert_eq(bench.executor->run_forever(bench.self), 0);
    cr_assert_str_eq(bench.log, ")(a.b..");
    c_executor_close(bench.c);
}

Test(executor, closing_forgets_what_is_scheduled) {
    struct c_executor *c = c_executor_open(NULL, NULL);
    const struct executor *executor = c_executor_functions(c);
    executor->call_soon(executor->self, run_note, LETTER('a'));
    executor->call_later(executor->self, 0, run_note, LETTER('b'));
    c_executor_close(c); /* the address sanitizer tells if something is kept */
}
