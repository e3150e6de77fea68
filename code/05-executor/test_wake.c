/* A wake ends a sleep, now or the next one, however many are sent. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "00-ground/test_support.h"
#include "05-executor/wake.h"

static struct wake wake;

static void start(void) {
    cr_assert_eq(wake_open(&wake), 0);
}

static void finish(void) {
    wake_close(&wake);
}

TestSuite(wake, .init = start, .fini = finish, .timeout = 60);

static bool awake(void) {
    return readable_within(wake.watched, 0);
}

Test(wake, is_closed_on_exec_and_never_blocks) {
    const int ends[] = {wake.watched, wake.sent_to};
    for (int i = 0; i < 2; i++) {
        cr_assert(fcntl(ends[i], F_GETFD) & FD_CLOEXEC);
        cr_assert(fcntl(ends[i], F_GETFL) & O_NONBLOCK);
    }
}

Test(wake, sent_before_the_sleep_ends_it_at_once) {
    cr_assert(!awake());
    wake_send(&wake);
    cr_assert(awake());
    cr_assert(awake(), "until it is cleared");
    wake_clear(&wake);
    cr_assert(!awake());
}

Test(wake, clear_takes_all_that_were_sent_and_none_that_comes_later) {
    for (int i = 0; i < 3; i++)
        wake_send(&wake);
    wake_clear(&wake);
    cr_assert(!awake());
    wake_send(&wake);
    cr_assert(awake());
}

Test(wake, clear_without_a_wake_does_nothing) {
    wake_clear(&wake);
    wake_clear(&wake);
    cr_assert(!awake());
    wake_send(&wake);
    cr_assert(awake());
}

/* Sequence: a storm of wakes must not fill the descriptor. */
Test(wake, a_million_that_nobody_clears_neither_block_nor_fail) {
    for (int i = 0; i < 1000000; i++)
        wake_send(&wake);
    cr_assert(awake());
    for (int i = 0; awake(); i++) {
        cr_assert_lt(i, 1000);
        wake_clear(&wake);
    }
    wake_send(&wake);
    cr_assert(awake());
}

/* Sequence: a wake between "is the queue empty?" and "sleep". The sender makes a number
 * available and wakes; the sleeper takes numbers, and sleeps only if there is none. */
enum { ROUNDS = 100000 };
static _Atomic int available, taken;

static void *send_rounds(void *unused) {
    for (int i = 1; i <= ROUNDS; i++) {
        atomic_store_explicit(&available, i, memory_order_release);
        wake_send(&wake);
        if (i % 64 == 0) /* and now and then it waits for the sleeper to be idle */
            while (atomic_load_explicit(&taken, memory_order_acquire) < i)
                sched_yield();
    }
    return unused;
}

Test(wake, none_is_lost_between_a_look_and_a_sleep) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, send_rounds, NULL), 0);
    int seen = 0;
    while (seen < ROUNDS) {
        cr_assert(readable_within(wake.watched, WAIT_MS), "a wake was lost at %d",
                  seen);
        wake_clear(&wake);
        seen = atomic_load_explicit(&available, memory_order_acquire);
        atomic_store_explicit(&taken, seen, memory_order_release);
    }
    pthread_join(thread, NULL);
}
