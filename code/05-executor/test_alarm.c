/* The alarm: one timer that stands for many deadlines. */
#include "05-executor/test_bench.h"

#include "05-executor/alarm.h"

TestSuite(alarm, .timeout = 300);

static struct alarm alarm_clock;
static uint64_t rang_at;
static int rings;

static void ring_and_stop(void *argument) {
    cr_assert_eq(argument, &rings);
    rings++;
    rang_at = clock_now();
    note('r');
    run_stop(NULL);
}

static void start(void) {
    rings = 0;
    alarm_init(&alarm_clock, bench.executor, ring_and_stop, &rings);
}

static uint64_t in(uint64_t ms) {
    return clock_now() + ms * NS_PER_MS;
}

/* Runs until somebody stops the executor, in 300 ms at the latest. */
static void run_a_while(void) {
    timer_handle bound = later(300, run_stop, NULL);
    run();
    bench.executor->cancel(bench.self, bound);
}

EACH_BACKEND(alarm, goes_off_at_its_deadline_and_once) {
    start();
    uint64_t deadline = in(20);
    alarm_by(&alarm_clock, deadline);
    run_a_while();
    cr_assert_eq(rings, 1);
    cr_assert_geq(rang_at, deadline);
    later(40, run_stop, NULL);
    run();
    cr_assert_eq(rings, 1);
}

EACH_BACKEND(alarm, goes_off_at_the_earliest_of_its_deadlines) {
    start();
    uint64_t deadline = in(20), far = in(10000);
    alarm_by(&alarm_clock, far);
    alarm_by(&alarm_clock, deadline);
    alarm_by(&alarm_clock, far);
    cr_assert_eq(alarm_clock.at, deadline);
    run_a_while();
    cr_assert_eq(rings, 1);
    cr_assert_geq(rang_at, deadline);
}

EACH_BACKEND(alarm, a_later_deadline_leaves_the_timer_alone) {
    start();
    uint64_t deadline = in(20);
    alarm_by(&alarm_clock, deadline);
    timer_handle timer = alarm_clock.timer;
    alarm_by(&alarm_clock, deadline + NS_PER_S);
    alarm_by(&alarm_clock, deadline);
    alarm_by(&alarm_clock, NEVER);
    cr_assert_eq(alarm_clock.timer, timer);
    cr_assert_eq(alarm_clock.at, deadline);
}

EACH_BACKEND(alarm, a_deadline_that_has_passed_rings_in_the_next_iteration) {
    start();
    alarm_by(&alarm_clock, clock_now() - 1);
    soon(run_note, LETTER('s'));
    run_a_while();
    cr_assert_str_eq(bench.log, "|sr");
}

EACH_BACKEND(alarm, never_sets_no_timer) {
    start();
    alarm_by(&alarm_clock, NEVER);
    cr_assert_eq(alarm_clock.at, NEVER);
    later(20, run_stop, NULL);
    run();
    cr_assert_eq(rings, 0);
}

EACH_BACKEND(alarm, off_silences_it_and_it_can_be_set_again) {
    start();
    alarm_off(&alarm_clock); /* off already */
    alarm_by(&alarm_clock, in(10));
    alarm_off(&alarm_clock);
    later(30, run_stop, NULL);
    run();
    cr_assert_eq(rings, 0);
    uint64_t deadline = in(10);
    alarm_by(&alarm_clock, deadline);
    run_a_while();
    cr_assert_eq(rings, 1);
    cr_assert_geq(rang_at, deadline);
}

static int again; /* how often it sets itself anew */

static void ring_again(void *argument) {
    cr_assert_eq(alarm_clock.at, NEVER, "it is free again before it calls");
    rings++;
    if (again-- > 0)
        alarm_by(argument, in(5));
    else
        run_stop(NULL);
}

EACH_BACKEND(alarm, can_be_set_anew_by_whom_it_calls) {
    rings = 0;
    again = 3;
    alarm_init(&alarm_clock, bench.executor, ring_again, &alarm_clock);
    uint64_t began = clock_now();
    alarm_by(&alarm_clock, in(5));
    run_a_while();
    cr_assert_eq(rings, 4);
    cr_assert_geq(clock_now() - began, 20 * NS_PER_MS);
}
