/* The backends: how long a wait lasts, whom it serves when many are ready, and a wait
 * for waits. */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "02-readiness/test_support_backend.h"

TestSuite(waits, .timeout = 300);

static void polls(struct backend *backend, const char *name) {
    struct readiness event;
    int ends[2];
    (void)name;
    cr_assert_eq(backend_wait(backend, &event, 1, 0), 0, "with nothing to watch");
    local_pair(ends);
    cr_assert_eq(backend_watch(backend, ends[0], READABLE, 7), 0);
    for (int i = 0; i < 1000; i++) /* a wait that blocked would never end */
        cr_assert_eq(backend_wait(backend, &event, 1, 0), 0);
    cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
    cr_assert_eq(backend_wait(backend, &event, 1, 0), 0);
    close_pair(ends);
}

Test(waits, of_0_ms_poll) {
    on_every_backend(polls);
}

static void lasts(struct backend *backend, const char *name) {
    struct readiness event;
    (void)name;
    uint64_t began = clock_now();
    cr_assert_eq(backend_wait(backend, &event, 1, 30), 0);
    cr_assert_geq(clock_now() - began, 30 * NS_PER_MS);
}

Test(waits, of_some_ms_last_so_long_when_nothing_happens) {
    on_every_backend(lasts);
}

static void *write_soon(void *argument) {
    const int *fd = argument;
    poll(NULL, 0, 20); /* for the wait to have begun; it has to end even if not */
    cr_assert_eq(write(*fd, "a", 1), 1);
    return NULL;
}

static void ends_by_readiness(struct backend *backend, const char *name) {
    pthread_t other;
    int ends[2];
    (void)name;
    local_pair(ends);
    cr_assert_eq(backend_watch(backend, ends[0], READABLE, 7), 0);
    cr_assert_eq(pthread_create(&other, NULL, write_soon, &ends[1]), 0);
    cr_assert_eq(reported(backend, 7, -1), READABLE);
    cr_assert_eq(pthread_join(other, NULL), 0);
    close_pair(ends);
}

Test(waits, without_end_end_when_something_is_ready) {
    on_every_backend(ends_by_readiness);
}

static pthread_t waiting;
static atomic_bool returned;

static void ignore(int number) {
    (void)number;
}

static void *send_signals(void *argument) {
    while (!atomic_load(&returned)) {
        pthread_kill(waiting, SIGUSR1);
        poll(NULL, 0, 1);
    }
    return argument;
}

static void ends_by_signal(struct backend *backend, const char *name) {
    const struct sigaction caught = {.sa_handler = ignore};
    struct readiness event;
    pthread_t other;
    (void)name;
    atomic_store(&returned, false);
    waiting = pthread_self();
    cr_assert(sigaction(SIGUSR1, &caught, NULL) == 0);
    cr_assert_eq(pthread_create(&other, NULL, send_signals, NULL), 0);
    cr_assert_eq(backend_wait(backend, &event, 1, -1), 0);
    atomic_store(&returned, true);
    cr_assert_eq(pthread_join(other, NULL), 0);
}

Test(waits, without_end_end_by_a_signal_with_nothing) {
    on_every_backend(ends_by_signal);
}

/* Counts who is reported in `waits` waits with room for `room` events. */
static void count_reports(struct backend *backend, int room, int waits, int *reports) {
    static struct readiness events[1024];
    for (int i = 0; i < waits; i++) {
        int n = backend_wait(backend, events, room, 0);
        cr_assert(n >= 0 && n <= room, "%d events in room for %d", n, room);
        for (int j = 0; j < n; j++)
            reports[events[j].token]++;
    }
}

static void serves_everybody(struct backend *backend, const char *name) {
    enum { MANY = 50 };
    int ends[MANY][2];
    (void)name;
    for (int i = 0; i < MANY; i++) {
        local_pair(ends[i]);
        cr_assert_eq(write(ends[i][1], "a", 1), 1);
        cr_assert_eq(backend_watch(backend, ends[i][0], READABLE, (watch_token)i), 0);
    }
    for (int room = 1; room <= MANY; room += 7) {
        int reports[MANY] = {0};
        count_reports(backend, room, 2 * (MANY / room + 1), reports);
        for (int i = 0; i < MANY; i++)
            cr_assert_geq(reports[i], 1, "nobody hears of %d, with room for %d", i,
                          room);
    }
    for (int i = 0; i < MANY; i += 2) /* of two neighbours one leaves */
        cr_assert_eq(backend_unwatch(backend, ends[i][0]), 0);
    int reports[MANY] = {0};
    count_reports(backend, 4, MANY, reports);
    for (int i = 0; i < MANY; i++) {
        cr_assert_eq(reports[i] > 0, i % 2 == 1, "%d reports for %d", reports[i], i);
        close_pair(ends[i]);
    }
}

Test(waits, give_everybody_a_turn_when_more_are_ready_than_fit) {
    on_every_backend(serves_everybody);
}

static void watches_a_thousand(struct backend *backend, const char *name) {
    enum { MANY = 1000 };
    static int ends[MANY][2];
    (void)name;
    for (int i = 0; i < MANY; i++) {
        local_pair(ends[i]);
        cr_assert_eq(backend_watch(backend, ends[i][0], READABLE, (watch_token)i), 0);
    }
    for (int step = 1; step <= MANY; step *= 10) { /* all are ready, then fewer */
        int reports[MANY] = {0};
        for (int i = 0; i < MANY; i += step)
            cr_assert_eq(write(ends[i][1], "a", 1), 1);
        count_reports(backend, MANY, 8, reports);
        for (int i = 0; i < MANY; i++) {
            cr_assert_eq(reports[i] > 0, i % step == 0, "%d of a step of %d", i, step);
            if (i % step == 0)
                empty_input(ends[i][0]);
        }
    }
    for (int i = 0; i < MANY; i++) {
        cr_assert_eq(backend_unwatch(backend, ends[i][0]), 0);
        close_pair(ends[i]);
    }
}

Test(waits, watch_a_thousand_descriptors) {
    allow_descriptors(2100);
    on_every_backend(watches_a_thousand);
}

static void nests(struct backend *inner, const char *name) {
    int ends[2], fd = backend_fd(inner);
    struct backend *outer = backend_open(NULL);
    if (!strcmp(name, "poll")) {
        cr_assert_eq(fd, -1, "there is nothing in the kernel to stand for poll");
        cr_assert_eq(errno, ENOTSUP);
        backend_close(outer);
        return;
    }
    local_pair(ends);
    cr_assert_eq(backend_watch(outer, fd, READABLE, 1), 0);
    cr_assert_eq(backend_watch(inner, ends[0], READABLE, 2), 0);
    for (int round = 0; round < 3; round++) {
        cr_assert_not(readable_within(fd, 0), "nothing inside is ready");
        cr_assert_eq(reported(outer, 1, 0), 0);
        cr_assert_eq(write(ends[1], "a", 1), 1);
        cr_assert(readable_within(fd, WAIT_MS));
        cr_assert_eq(reported(outer, 1, -1), READABLE);
        cr_assert_eq(reported(inner, 2, 0), READABLE);
        cr_assert_eq(reported(outer, 1, 0), READABLE, "seen isn't handled");
        empty_input(ends[0]);
        cr_assert_eq(reported(inner, 2, 0), 0);
    }
    cr_assert_eq(backend_rewatch(inner, ends[0], WRITABLE, 2), 0);
    cr_assert_eq(reported(outer, 1, -1), READABLE, "ready to write is ready, too");
    cr_assert_eq(backend_unwatch(inner, ends[0]), 0);
    cr_assert_eq(reported(outer, 1, 0), 0, "nothing is inside any more");
    cr_assert_eq(backend_unwatch(outer, fd), 0);
    backend_close(outer);
    close_pair(ends);
}

Test(waits, can_be_waited_for_where_the_kernel_keeps_the_list) {
    on_every_backend(nests);
}
