/* A backend inside another loop: an executor that watches the native backend's own
 * descriptor is called when something that this one watches is ready (row F1). */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "02-readiness/backend.h"
#include "05-executor/c_executor.h"

TestSuite(nested, .timeout = 300);

static struct c_executor *host;
static const struct executor *executor;
static struct backend *native;
static int ends[2], fires;
static _Atomic int waits; /* how often the host has begun to wait */

static void before_wait(void *unused) {
    (void)unused;
    atomic_fetch_add(&waits, 1);
}

static void after_wait(void *unused) {
    (void)unused;
}

static void stop(void *unused) {
    (void)unused;
    executor->stop(executor->self);
}

/* The pass of a native loop, as small as can be: takes what is ready, without
 * waiting. */
static void on_nested(void *unused) {
    struct readiness events[4];
    char bytes[16];
    fires++;
    cr_assert_eq(backend_wait(native, events, 4, 0), 1);
    cr_assert_eq(events[0].token, 77);
    cr_assert_eq(events[0].ready, READABLE);
    cr_assert_gt(read(ends[0], bytes, sizeof bytes), 0);
    stop(unused);
}

static void iterate_once(void) {
    stop(NULL);
    cr_assert_eq(executor->run_forever(executor->self), 0);
}

static void put_byte(void) {
    cr_assert_eq(write(ends[1], "x", 1), 1);
}

/* Runs `check` with a pipe in a native backend in a host, for each pair of mechanisms
 * of which the inner one has a descriptor. */
static void each_pair(void (*check)(void)) {
    static const char *const outer[] = {"epoll", "kqueue", "poll"};
    static const char *const inner[] = {"epoll", "kqueue"};
    static const struct gate gate = {NULL, before_wait, after_wait, NULL};
    int pairs = 0;
    for (int i = 0; i < 6; i++) {
        host = c_executor_open(outer[i / 2], &gate);
        native = backend_open(inner[i % 2]);
        if (host && native) {
            executor = c_executor_functions(host);
            fires = 0;
            atomic_store(&waits, 0);
            cr_assert_eq(pipe(ends), 0);
            cr_assert_eq(backend_watch(native, ends[0], READABLE, 77), 0);
            cr_assert_eq(executor->add_reader(executor->self, backend_fd(native),
                                              on_nested, NULL),
                         0);
            check();
            executor->remove_reader(executor->self, backend_fd(native));
            close(ends[0]);
            close(ends[1]);
            pairs++;
        }
        if (native)
            backend_close(native);
        if (host)
            c_executor_close(host);
    }
    cr_assert_geq(pairs, 2);
}

static void fires_and_rests(void) {
    iterate_once();
    cr_assert_eq(fires, 0, "nothing is ready");
    put_byte();
    cr_assert_eq(executor->run_forever(executor->self), 0);
    cr_assert_eq(fires, 1);
    iterate_once();
    cr_assert_eq(fires, 1, "it was taken");
    put_byte();
    cr_assert_eq(executor->run_forever(executor->self), 0);
    cr_assert_eq(fires, 2, "and again");
}

Test(nested, a_reader_on_the_backend_fires_when_the_backend_has_something) {
    each_pair(fires_and_rests);
}

static void *put_byte_into_its_sleep(void *unused) {
    while (atomic_load(&waits) == 0)
        sched_yield();
    put_byte();
    return unused;
}

static void wakes_a_sleeper(void) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, put_byte_into_its_sleep, NULL), 0);
    cr_assert_eq(executor->run_forever(executor->self), 0);
    cr_assert_eq(fires, 1);
    pthread_join(thread, NULL);
}

Test(nested, it_fires_into_a_sleep_of_the_host) {
    each_pair(wakes_a_sleeper);
}

static int other[2];

static void on_other(void *unused) {
    struct readiness event;
    fires++;
    cr_assert_eq(backend_wait(native, &event, 1, 0), 1);
    cr_assert_eq(event.token, 78);
    stop(unused);
}

/* What is watched after the host went to sleep on it counts as well. */
static void learns_of_new_watches(void) {
    cr_assert_eq(pipe(other), 0);
    cr_assert_eq(
        executor->add_reader(executor->self, backend_fd(native), on_other, NULL), 0);
    iterate_once();
    cr_assert_eq(write(other[1], "x", 1), 1);
    iterate_once();
    cr_assert_eq(fires, 0);
    cr_assert_eq(backend_watch(native, other[0], READABLE, 78), 0);
    cr_assert_eq(executor->run_forever(executor->self), 0);
    cr_assert_eq(fires, 1);
    cr_assert_eq(backend_unwatch(native, other[0]), 0);
    iterate_once();
    cr_assert_eq(fires, 1, "unwatched, it is quiet");
    close(other[0]);
    close(other[1]);
}

Test(nested, what_the_backend_watches_later_counts_too) {
    each_pair(learns_of_new_watches);
}

Test(nested, poll_has_nothing_to_nest) {
    struct backend *backend = backend_open("poll");
    cr_assert_not_null(backend);
    errno = 0;
    cr_assert_eq(backend_fd(backend), -1);
    cr_assert_eq(errno, ENOTSUP);
    backend_close(backend);
}
