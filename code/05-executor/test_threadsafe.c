/* Calls from other threads, and why call_soon() isn't enough for them. */
#include "05-executor/test_bench.h"

#include <pthread.h>
#include <stdbool.h>

#include "05-executor/threadsafe.h"

TestSuite(threadsafe, .timeout = 300);

static struct threadsafe others;

static void open_others(void) {
    cr_assert_eq(threadsafe_open(&others, bench.executor), 0);
}

static void threadsafe(callback *call, void *argument) {
    cr_assert_eq(threadsafe_call_soon(&others, call, argument), 0);
}

/* A gate whose before_wait stands where another thread might be: the executor has
 * decided how long to sleep, and doesn't look at its queue again. */
static struct c_executor *sleeper;
static bool from_thread;
static uint64_t ran_at;

static void stop_sleeper(void *unused) {
    (void)unused;
    const struct executor *executor = c_executor_functions(sleeper);
    ran_at = clock_now();
    executor->stop(executor->self);
}

static void call_once_while_it_sleeps(void *self) {
    bool *done = self;
    const struct executor *executor = c_executor_functions(sleeper);
    if (*done)
        return;
    *done = true;
    if (from_thread)
        threadsafe(stop_sleeper, NULL);
    else
        executor->call_soon(executor->self, stop_sleeper, NULL);
}

static void do_nothing(void *unused) {
    (void)unused;
}

/* How long a call that is made during a sleep of `ms` waits for its turn. */
static uint64_t wait_of_a_call(uint64_t ms) {
    bool done = false;
    struct gate gate = {&done, call_once_while_it_sleeps, do_nothing, NULL};
    sleeper = c_executor_open(NULL, &gate);
    cr_assert_not_null(sleeper);
    const struct executor *executor = c_executor_functions(sleeper);
    cr_assert_eq(threadsafe_open(&others, executor), 0);
    uint64_t began = clock_now();
    executor->call_later(executor->self, ms * NS_PER_MS, do_nothing, NULL);
    cr_assert_eq(executor->run_forever(executor->self), 0);
    threadsafe_close(&others);
    c_executor_close(sleeper);
    return ran_at - began;
}

Test(threadsafe, call_soon_ends_no_sleep) {
    from_thread = false;
    cr_assert_geq(wait_of_a_call(50), 50 * NS_PER_MS);
}

Test(threadsafe, call_soon_threadsafe_does) {
    from_thread = true;
    cr_assert_lt(wait_of_a_call(20000), 20000 * NS_PER_MS);
}

static void *call_stop(void *unused) {
    threadsafe(run_stop, NULL);
    return unused;
}

EACH_BACKEND(threadsafe, a_second_thread_wakes_the_executor) {
    open_others();
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, call_stop, NULL), 0);
    run(); /* nothing else is scheduled, and it returns */
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_str_eq(bench.log, "|");
    threadsafe_close(&others);
}

static void note_and_call_again(void *argument) {
    run_note(argument);
    threadsafe(run_note, LETTER('c'));
    threadsafe(run_stop, NULL);
}

EACH_BACKEND(threadsafe, what_its_callback_schedules_runs_in_the_next_iteration) {
    open_others();
    threadsafe(note_and_call_again, LETTER('a'));
    threadsafe(run_note, LETTER('b'));
    run();
    cr_assert_str_eq(bench.log, "|ab|c");
    threadsafe_close(&others);
}

EACH_BACKEND(threadsafe, a_wake_is_cleared_and_the_executor_sleeps_again) {
    open_others();
    threadsafe(run_note, LETTER('a'));
    later(200, run_stop, NULL);
    run();
    cr_assert_str_eq(bench.log, "|a|");
    threadsafe_close(&others);
}

enum { THREADS = 4, CALLS = 5000 };

static struct numbered {
    int *next; /* of the thread's calls; the executor's thread alone counts them */
    int number;
} numbered[THREADS][CALLS];
static int next[THREADS], ended;

static void run_numbered(void *argument) {
    struct numbered *call = argument;
    cr_assert_eq(call->number, *call->next, "a thread's calls keep their order");
    if (++*call->next == CALLS && ++ended == THREADS)
        run_stop(NULL);
}

static void *call_often(void *argument) {
    struct numbered *calls = argument;
    for (int i = 0; i < CALLS; i++)
        threadsafe(run_numbered, &calls[i]);
    return NULL;
}

EACH_BACKEND(threadsafe, none_of_many_calls_is_lost) {
    open_others();
    pthread_t threads[THREADS];
    ended = 0;
    for (int t = 0; t < THREADS; t++) {
        next[t] = 0;
        for (int i = 0; i < CALLS; i++)
            numbered[t][i] = (struct numbered){&next[t], i};
        cr_assert_eq(pthread_create(&threads[t], NULL, call_often, numbered[t]), 0);
    }
    run();
    for (int t = 0; t < THREADS; t++)
        cr_assert_eq(pthread_join(threads[t], NULL), 0);
    threadsafe_close(&others);
}
