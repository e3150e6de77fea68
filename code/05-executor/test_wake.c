/* A wake ends a sleep, now or the next one, however many are sent: whatever lies behind
 * it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "05-executor/wake.h"

TestSuite(wake, .timeout = 300);

static const char *const names[] = {"eventfd", "pipe", "datagram"};
static const char *tried;
static struct wake wake;

static void name_what_was_tried(void) {
    if (tried)
        fprintf(stderr, "it was the kind %s\n", tried);
}

static int lowest_free_descriptor(void) {
    int fd = 0;
    while (fcntl(fd, F_GETFD) >= 0)
        fd++;
    return fd;
}

/* Runs `check` with an open wake of each kind that this system has. */
static void over_each_kind(void (*check)(void)) {
    int opened = 0, open_before = open_descriptors();
    atexit(name_what_was_tried);
    for (int kind = 0; kind < 3; kind++) {
        tried = names[kind];
        if (wake_open(&wake, (enum wake_kind)kind) != 0) {
            cr_assert_eq(errno, ENOTSUP);
            cr_assert_eq(kind, WAKE_EVENTFD, "pipes and sockets are everywhere");
            continue;
        }
        check();
        wake_close(&wake);
        cr_assert_eq(open_descriptors(), open_before, "it closes what it opened");
        opened++;
    }
    tried = NULL;
    cr_assert_geq(opened, 2);
}

#define EACH_KIND(name)                                                                \
    static void check_##name(void);                                                    \
    Test(wake, name) {                                                                 \
        over_each_kind(check_##name);                                                  \
    }                                                                                  \
    static void check_##name(void)

static bool awake(void) {
    return readable_within(wake.watched, 0);
}

EACH_KIND(is_closed_on_exec_and_never_blocks) {
    const int ends[] = {wake.watched, wake.sent_to};
    for (int i = 0; i < 2; i++) {
        cr_assert(fcntl(ends[i], F_GETFD) & FD_CLOEXEC);
        cr_assert(fcntl(ends[i], F_GETFL) & O_NONBLOCK);
    }
}

EACH_KIND(sent_before_the_sleep_ends_it_at_once) {
    cr_assert(!awake());
    wake_send(&wake);
    cr_assert(awake());
    cr_assert(awake(), "until it is cleared");
    wake_clear(&wake);
    cr_assert(!awake());
}

/* One, a few, and about as many as the reader's buffer holds. */
EACH_KIND(clear_takes_all_that_were_sent_and_none_that_comes_later) {
    static const int sent[] = {1, 3, 127, 128, 129, 256, 1000};
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        for (int n = 0; n < sent[i]; n++)
            wake_send(&wake);
        wake_clear(&wake);
        cr_assert(!awake(), "after %d", sent[i]);
        wake_send(&wake);
        cr_assert(awake());
        wake_clear(&wake);
        cr_assert(!awake());
    }
}

EACH_KIND(clear_without_a_wake_does_nothing) {
    wake_clear(&wake);
    wake_clear(&wake);
    cr_assert(!awake());
    wake_send(&wake);
    cr_assert(awake());
}

/* Sequence: a storm of wakes must not fill the descriptor. */
EACH_KIND(a_storm_that_nobody_clears_neither_blocks_nor_fails) {
    for (int i = 0; i < 300000; i++)
        wake_send(&wake);
    cr_assert(awake());
    wake_clear(&wake);
    cr_assert(!awake());
    wake_send(&wake);
    cr_assert(awake());
}

/* Sequence: a wake between "is the queue empty?" and "sleep". The sender makes a number
 * available and wakes; the sleeper takes numbers, and sleeps only if there is none. */
enum { ROUNDS = 50000 };
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

EACH_KIND(none_is_lost_between_a_look_and_a_sleep) {
    pthread_t thread;
    int seen = 0;
    atomic_store(&available, 0);
    atomic_store(&taken, 0);
    cr_assert_eq(pthread_create(&thread, NULL, send_rounds, NULL), 0);
    while (seen < ROUNDS) {
        cr_assert(readable_within(wake.watched, WAIT_MS), "a wake was lost at %d",
                  seen);
        wake_clear(&wake);
        seen = atomic_load_explicit(&available, memory_order_acquire);
        atomic_store_explicit(&taken, seen, memory_order_release);
    }
    pthread_join(thread, NULL);
}

Test(wake, its_kinds_go_by_their_names) {
    cr_assert_eq(wake_kind_named("pipe"), WAKE_PIPE);
    cr_assert_eq(wake_kind_named("datagram"), WAKE_DATAGRAM);
    cr_assert_eq(wake_kind_named(NULL), WAKE_DEFAULT);
#ifdef __linux__
    cr_assert_eq(wake_kind_named("eventfd"), WAKE_EVENTFD);
    cr_assert_eq(WAKE_DEFAULT, WAKE_EVENTFD);
#else
    cr_assert_eq(WAKE_DEFAULT, WAKE_PIPE);
#endif
}

/* With too few descriptors none opens, and none is left open. */
Test(wake, a_failure_leaves_nothing_behind) {
    struct rlimit limit;
    int open_before = open_descriptors(), next = lowest_free_descriptor();
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int more = 0; more < 2; more++) {
        limit.rlim_cur = (rlim_t)(next + more);
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
        for (int kind = more ? WAKE_PIPE : 0; kind < 3; kind++) {
            cr_assert_eq(wake_open(&wake, (enum wake_kind)kind), -1);
            cr_assert(errno == EMFILE || errno == ENOTSUP);
        }
    }
    cr_assert_eq(open_descriptors(), open_before);
}
