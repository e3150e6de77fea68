/* Timers: in order, never early, and taken back at any moment. */
#include "05-executor/test_bench.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

#include "05-executor/timers.h"

TestSuite(timers, .timeout = 300);

/* The letter of the next timer that is due, or 0. */
static char next_due(struct timers *timers, uint64_t now) {
    callback *call;
    void *argument;
    timer_handle due = timers_due(timers, now);
    if (due == 0)
        return 0;
    cr_assert(timers_take(timers, due, &call, &argument));
    return *(char *)argument;
}

Test(timers, come_in_the_order_of_their_time_and_ties_in_that_of_creation) {
    static const struct {
        uint64_t when;
        char letter;
    } rows[] = {{5, 'c'}, {9, 'f'}, {5, 'd'}, {1, 'a'}, {5, 'e'}, {1, 'b'}, {9, 'g'}};
    struct timers timers = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_neq(
            timers_add(&timers, rows[i].when, run_note, LETTER(rows[i].letter)), 0);
    cr_assert_eq(next_due(&timers, 0), 0);
    cr_assert_eq(timers_next(&timers), 1);
    for (char letter = 'a'; letter <= 'g'; letter++)
        cr_assert_eq(next_due(&timers, 9), letter);
    cr_assert_eq(timers_next(&timers), NEVER);
    cr_assert_eq(timers.alive, 0);
    timers_free(&timers);
}

/* Against a plain list: 2,000 steps that add, cancel or take what is due. */
Test(timers, agree_with_a_plain_list_whatever_is_done_to_them) {
    enum { MOST = 4096 };
    static struct {
        timer_handle handle;
        uint64_t when;
    } list[MOST];
    struct timers timers = {0};
    unsigned seed = 1;
    int made = 0;
    for (int step = 0; step < 4000; step++) {
        seed = seed * 1103515245u + 12345u;
        unsigned dice = seed >> 16;
        if (dice % 4 < 2) {
            list[made].when = dice % 97;
            list[made].handle = timers_add(&timers, list[made].when, run_note, letters);
            cr_assert_neq(list[made].handle, 0);
            made++;
        } else if (dice % 4 == 2 && made > 0) {
            int victim = (int)(dice / 4) % made;
            timers_cancel(&timers, list[victim].handle);
            list[victim].when = NEVER;
        } else {
            int first = -1; /* the earliest on the list, the oldest of a tie */
            for (int i = 0; i < made; i++)
                if (list[i].when != NEVER &&
                    (first < 0 || list[i].when < list[first].when))
                    first = i;
            timer_handle due = timers_due(&timers, NEVER - 1);
            cr_assert_eq(due, first < 0 ? 0 : list[first].handle);
            if (first >= 0) {
                timers_cancel(&timers, due);
                list[first].when = NEVER;
            }
        }
    }
    timers_free(&timers);
}

Test(timers, an_old_handle_names_none_of_the_later_timers) {
    struct timers timers = {0};
    timer_handle first = timers_add(&timers, 1, run_note, LETTER('a'));
    cr_assert_eq(next_due(&timers, 1), 'a');
    timer_handle second = timers_add(&timers, 1, run_note, LETTER('b'));
    cr_assert_neq(first, second, "though they share a row");
    timers_cancel(&timers, first);
    timers_cancel(&timers, 0);
    timers_cancel(&timers, UINT64_MAX);
    cr_assert_eq(next_due(&timers, 1), 'b');
    timers_cancel(&timers, second);
    timers_cancel(&timers, second);
    cr_assert_eq(timers.alive, 0);
    timers_free(&timers);
}

EACH_BACKEND(timers, run_in_order_one_wait_for_each_and_never_early) {
    uint64_t began = clock_now();
    later(60, run_stop, NULL);
    later(40, run_note, LETTER('b'));
    later(20, run_note, LETTER('a'));
    run();
    cr_assert_geq(clock_now() - began, 60 * NS_PER_MS);
    if (clock_now() - began < 70 * NS_PER_MS) /* else two may have come together */
        cr_assert_str_eq(bench.log, "|a|b|");
    cr_assert_leq(bench.waits, 3, "a wait that ends early is followed by another");
}

static timer_handle pending;

static void cancel_pending(void *argument) {
    run_note(argument);
    bench.executor->cancel(bench.self, pending);
}

EACH_BACKEND(timers, one_cancelled_before_its_time_never_runs) {
    pending = later(1, run_note, LETTER('x'));
    soon(cancel_pending, LETTER('a'));
    later(5, run_stop, NULL);
    run();
    cr_assert_not_null(strchr(bench.log, 'a'));
    cr_assert_null(strchr(bench.log, 'x'));
}

EACH_BACKEND(timers, one_cancelled_when_it_is_due_already_does_not_run) {
    later(0, cancel_pending, LETTER('a'));
    pending = later(0, run_note, LETTER('x'));
    later(0, run_stop, NULL);
    run();
    cr_assert_str_eq(bench.log, "|a");
}

EACH_BACKEND(timers, one_that_has_run_can_be_cancelled_for_nothing) {
    pending = later(0, run_note, LETTER('a'));
    run_stop(NULL);
    run();
    later(0, run_note, LETTER('b')); /* in the row of the one before */
    bench.executor->cancel(bench.self, pending);
    run_stop(NULL);
    run();
    cr_assert_str_eq(bench.log, "|a|b");
}

static int ends[2];

/* Writes only after a time in which a timer that wasn't taken out would have ended the
 * executor's wait, and so have shown itself as a second one. */
static void *write_at_last(void *unused) {
    poll(NULL, 0, 60);
    make_readable(ends);
    return unused;
}

EACH_BACKEND(timers, with_all_cancelled_the_wait_has_no_end_but_a_reader) {
    pthread_t writer;
    make_pipe(ends);
    timer_handle timers[3] = {later(5, run_note, LETTER('x')),
                              later(10, run_note, LETTER('x')),
                              later(5, run_note, LETTER('x'))};
    for (int i = 0; i < 3; i++)
        bench.executor->cancel(bench.self, timers[i]);
    watch(ends[0], run_stop, NULL);
    cr_assert_eq(pthread_create(&writer, NULL, write_at_last, NULL), 0);
    run();
    cr_assert_eq(pthread_join(writer, NULL), 0);
    cr_assert_str_eq(bench.log, "|");
    unwatch(ends[0]);
    close(ends[0]);
    close(ends[1]);
}

EACH_BACKEND(timers, an_endless_delay_never_comes) {
    timer_handle timer =
        bench.executor->call_later(bench.self, UINT64_MAX, run_note, LETTER('x'));
    cr_assert_neq(timer, 0);
    later(5, run_stop, NULL);
    run();
    cr_assert_str_eq(bench.log, "|");
}

enum { MANY = 10000 };
static struct due {
    uint64_t low, high; /* it is due between them */
    timer_handle timer;
} dues[MANY];
static uint64_t latest; /* the last low of those that ran */
static int runs;

static void run_due(void *argument) {
    const struct due *due = argument;
    cr_assert_geq(clock_now(), due->low, "a timer ran early");
    cr_assert_geq(due->high, latest, "a timer ran after one that was due later");
    if (due->low > latest)
        latest = due->low;
    runs++;
}

EACH_BACKEND(timers, ten_thousand_run_in_order_but_for_the_cancelled) {
    latest = 0;
    runs = 0;
    for (int i = 0; i < MANY; i++) {
        struct due *due = &dues[i];
        uint64_t delay = (uint64_t)(i * 7919 % MANY) * 5 * NS_PER_US;
        due->low = clock_now() + delay;
        due->timer = bench.executor->call_later(bench.self, delay, run_due, due);
        due->high = clock_now() + delay;
        cr_assert_neq(due->timer, 0);
    }
    for (int i = 0; i < MANY; i += 2)
        bench.executor->cancel(bench.self, dues[i].timer);
    later(100, run_stop, NULL);
    run();
    cr_assert_eq(runs, MANY / 2);
}
