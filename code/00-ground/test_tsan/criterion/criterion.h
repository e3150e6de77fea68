/* Stands in for Criterion under the thread sanitizer, with which Criterion itself can't
 * run (its issue 274: it wants memory at addresses that the sanitizer keeps). As much
 * of it as our tests use: each test in a process of its own, in the order of the file.
 *
 *     cc -fsanitize=thread -isystem code/00-ground/test_tsan … # and no -lcriterion
 */
#ifndef GROUND_TEST_TSAN_CRITERION_H
#define GROUND_TEST_TSAN_CRITERION_H

#pragma GCC system_header

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct stand_in_options {
    int unused;
    void (*init)(void);
    void (*fini)(void);
    double timeout; /* all tests have the same bound here */
};

struct stand_in_test {
    const char *suite, *name;
    void (*body)(void); /* NULL: a suite, for its options */
    struct stand_in_options options;
    struct stand_in_test *next;
};

/* Weak, because test_support.c includes this header too. */
__attribute__((weak)) struct stand_in_test *stand_in_first, **stand_in_end;

static inline void stand_in_add(struct stand_in_test *test) {
    if (!stand_in_end)
        stand_in_end = &stand_in_first;
    *stand_in_end = test;
    stand_in_end = &test->next;
}

#define STAND_IN_ADD(id, suite, name, body, ...)                                       \
    static struct stand_in_test id = {                                                 \
        suite, name, body, {.unused = 0, __VA_ARGS__}, NULL};                          \
    __attribute__((constructor)) static void id##_add(void) {                          \
        stand_in_add(&id);                                                             \
    }

#define Test(suite, name, ...)                                                         \
    static void suite##_##name##_body(void);                                           \
    STAND_IN_ADD(suite##_##name, #suite, #name, suite##_##name##_body, __VA_ARGS__)    \
    static void suite##_##name##_body(void)

#define TestSuite(suite, ...)                                                          \
    STAND_IN_ADD(suite##_suite, #suite, "", NULL, __VA_ARGS__)                         \
    struct stand_in_test

__attribute__((format(printf, 4, 5))) static inline void stand_in_fail(
    const char *file, int line, const char *what, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: failed: %s;", file, line, what);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    _exit(1);
}

#define cr_assert(condition, ...)                                                      \
    ((condition) ? (void)0                                                             \
                 : stand_in_fail(__FILE__, __LINE__, #condition, " " __VA_ARGS__))
#define cr_assert_fail(...)          cr_assert(false, __VA_ARGS__)
#define cr_assert_not(x, ...)        cr_assert(!(x), __VA_ARGS__)
#define cr_assert_null(x, ...)       cr_assert((x) == NULL, __VA_ARGS__)
#define cr_assert_not_null(x, ...)   cr_assert((x) != NULL, __VA_ARGS__)
#define cr_assert_eq(x, y, ...)      cr_assert((x) == (y), __VA_ARGS__)
#define cr_assert_neq(x, y, ...)     cr_assert((x) != (y), __VA_ARGS__)
#define cr_assert_lt(x, y, ...)      cr_assert((x) < (y), __VA_ARGS__)
#define cr_assert_leq(x, y, ...)     cr_assert((x) <= (y), __VA_ARGS__)
#define cr_assert_gt(x, y, ...)      cr_assert((x) > (y), __VA_ARGS__)
#define cr_assert_geq(x, y, ...)     cr_assert((x) >= (y), __VA_ARGS__)
#define cr_assert_str_eq(x, y, ...)  cr_assert(strcmp((x), (y)) == 0, __VA_ARGS__)
#define cr_assert_str_neq(x, y, ...) cr_assert(strcmp((x), (y)) != 0, __VA_ARGS__)
#define cr_assert_arr_eq(x, y, n, ...)                                                 \
    cr_assert(memcmp((x), (y), (n)) == 0, __VA_ARGS__)
#define cr_expect        cr_assert
#define cr_expect_eq     cr_assert_eq
#define cr_expect_str_eq cr_assert_str_eq

static inline void stand_in_run(const struct stand_in_test *test) {
    const struct stand_in_test *suite = stand_in_first;
    while (suite && (suite->body || strcmp(suite->suite, test->suite) != 0))
        suite = suite->next;
    if (suite && suite->options.init)
        suite->options.init();
    if (test->options.init)
        test->options.init();
    test->body();
    if (test->options.fini)
        test->options.fini();
    if (suite && suite->options.fini)
        suite->options.fini();
    exit(0); /* with another status if the sanitizer saw a race */
}

/* Waits for a test, five minutes at most; whether it went well. */
static inline bool stand_in_wait(pid_t child) {
    int status = 0;
    for (int ms = 0; waitpid(child, &status, WNOHANG) == 0; ms += 5) {
        if (ms == 300000)
            kill(child, SIGKILL);
        poll(NULL, 0, 5);
    }
    return status == 0;
}

__attribute__((weak)) int main(void) {
    int tested = 0, failing = 0;
    for (struct stand_in_test *test = stand_in_first; test; test = test->next) {
        if (!test->body)
            continue;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            stand_in_run(test);
        tested++;
        if (child < 0 || !stand_in_wait(child)) {
            failing++;
            fprintf(stderr, "[FAIL] %s::%s\n", test->suite, test->name);
        }
    }
    fprintf(stderr, "[====] Tested: %d | Failing: %d\n", tested, failing);
    return failing > 0;
}

#endif
