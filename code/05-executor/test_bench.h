/* A bench for the tests of this room: an executor over each backend of this system, and
 * a log of what ran. Its gate writes '|' at each wait, so that the log shows which
 * iteration a callback ran in: "|ab|c" is a and b in the first, c in the second. */
#ifndef EXECUTOR_TEST_BENCH_H
#define EXECUTOR_TEST_BENCH_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "05-executor/c_executor.h"

struct bench {
    const char *backend;
    struct c_executor *c;
    const struct executor *executor;
    void *self;
    int waits, waits_over;
    char log[64];
};

static struct bench bench;

static inline void note(char letter) {
    size_t length = strlen(bench.log);
    if (length < sizeof bench.log - 1)
        bench.log[length] = letter;
}

/* A callback that notes its letter: LETTER('a') is the argument for it. */
__attribute__((unused)) static char letters[] = "abcdefghijklmnopqrstuvwxyz";
#define LETTER(letter) (&letters[(letter) - 'a'])

static inline void run_note(void *argument) {
    note(*(char *)argument);
}

static inline void run_stop(void *unused) {
    (void)unused;
    bench.executor->stop(bench.self);
}

static inline void soon(callback *run, void *argument) {
    cr_assert_eq(bench.executor->call_soon(bench.self, run, argument), 0);
}

static inline timer_handle later(uint64_t ms, callback *run, void *argument) {
    timer_handle timer =
        bench.executor->call_later(bench.self, ms * NS_PER_MS, run, argument);
    cr_assert_neq(timer, 0);
    return timer;
}

static inline void watch(int fd, callback *run, void *argument) {
    cr_assert_eq(bench.executor->add_reader(bench.self, fd, run, argument), 0, "%s",
                 strerror(errno));
}

static inline void unwatch(int fd) {
    cr_assert_eq(bench.executor->remove_reader(bench.self, fd), 0);
}

static inline void run(void) {
    cr_assert_eq(bench.executor->run_forever(bench.self), 0);
    cr_assert_eq(bench.waits, bench.waits_over);
}

static inline void make_pipe(int ends[2]) {
    cr_assert_eq(pipe(ends), 0);
}

static inline void make_readable(const int ends[2]) {
    cr_assert_eq(write(ends[1], "x", 1), 1);
}

static inline void before_wait(void *unused) {
    (void)unused;
    bench.waits++;
    note('|');
}

static inline void after_wait(void *unused) {
    (void)unused;
    bench.waits_over++;
}

/* Runs `check` over each backend, with a new executor and an empty log. */
static inline void over_each_backend(void (*check)(void)) {
    static const char *const names[] = {"epoll", "kqueue", "poll"};
    static const struct gate gate = {&bench, before_wait, after_wait, NULL};
    int opened = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bench = (struct bench){.backend = names[i]};
        bench.c = c_executor_open(names[i], &gate);
        if (!bench.c) {
            cr_assert_eq(errno, ENOTSUP);
            continue;
        }
        bench.executor = c_executor_functions(bench.c);
        bench.self = bench.executor->self;
        check();
        c_executor_close(bench.c);
        opened++;
    }
    cr_assert(opened >= 2, "this system has poll and something better");
}

/* A test whose body is run over each backend. */
#define EACH_BACKEND(suite, name)                                                      \
    static void check_##name(void);                                                    \
    Test(suite, name) {                                                                \
        over_each_backend(check_##name);                                               \
    }                                                                                  \
    static void check_##name(void)

#endif
