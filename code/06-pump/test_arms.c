/* The pump with each lock, over each kind of wake, and with every wake sent: from
 * outside they are all the same server. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "03-request/test_sequences.h"
#include "05-executor/test_load.h"
#include "05-executor/wake.h"

TestSuite(arms, .timeout = 300);

/* Over the system's best backend: how a backend waits makes no difference here. */
static void check_arm(const char *option,
                      void (*check)(const char *program, const char *backend)) {
    program_option(option);
    check("06-pump", has_backend("epoll") ? "epoll" : "kqueue");
}

#define ARM(name, option)                                                              \
    Test(arms, name##_serves_the_demo) {                                               \
        check_arm(option, check_demo);                                                 \
    }                                                                                  \
    Test(arms, name##_stops) {                                                         \
        check_arm(option, load_stops);                                                 \
    }                                                                                  \
    Test(arms, name##_stops_under_load) {                                              \
        check_arm(option, load_rounds);                                                \
    }                                                                                  \
    Test(arms, name##_keeps_hand_offs_that_cross) {                                    \
        check_arm(option, load_crossings);                                             \
    }                                                                                  \
    Test(arms, name##_stops_at_two_signals) {                                          \
        check_arm(option, two_signals);                                                \
    }

/* Signals to a server that is busy: SIGTERM, and at once another. */
static void two_signals(const char *name, const char *backend) {
    enum { CLIENTS = 8, ROUNDS = 5 };
    for (int round = 0; round < ROUNDS; round++) {
        struct program program;
        int fds[CLIENTS];
        load_start(&program, name, backend);
        for (int i = 0; i < CLIENTS; i++) {
            fds[i] = connect_to(program.port);
            for (int k = 0; k < 4 * round; k++)
                load_send(fds[i], LOAD_GET("/work?us=200") LOAD_GET("/fanout?n=50"));
        }
        if (round % 2)
            cr_assert_eq(kill(program.pid, SIGINT), 0);
        cr_assert_eq(kill(program.pid, SIGTERM), 0);
        load_stop(&program);
        for (int i = 0; i < CLIENTS; i++)
            close(fds[i]);
    }
}

/* Heads, crowds and timeouts: nearly all of it happens in the native loop. It shows that
 * a lock is let go before each of that loop's waits, and that a wake ends them. Both
 * locks stand at the same gate, and all wakes at the same descriptor, so one of each. */
#define ARM_HTTP(name, option)                                                         \
    Test(arms, name##_serves_http) {                                                   \
        check_arm(option, check_http);                                                 \
    }

/* The defaults, no lock and the best kind of wake, are what test_serving.c is about. */
ARM(gil, "--lock=gil")
ARM(mutex, "--lock=mutex")
ARM(every_wake, "--every-wake")
ARM(pipe, "--wake=pipe")
ARM(datagram, "--wake=datagram")
ARM_HTTP(gil, "--lock=gil")
ARM_HTTP(pipe, "--wake=pipe")

Test(arms, what_is_not_there_is_refused) {
    static const char *const locks[] = {"nonsense", "", "GIL", "mutexes"};
    static const char *const wakes[] = {"nonsense", "", "pip", "pipes"};
    for (int i = 0; i < 4; i++) {
        sequence_refused_command("06-pump", "--lock", locks[i]);
        sequence_refused_command("06-pump", "--wake", wakes[i]);
    }
#ifndef __linux__
    sequence_refused_command("06-pump", "--wake", "eventfd");
#endif
}

/* One span of a trace. */
struct span {
    char what[32];
    int thread;
    double from, to; /* us */
};

enum { SPANS_MOST = 20000 };
static struct span spans[SPANS_MOST];

static int by_start(const void *a, const void *b) {
    const struct span *one = a, *other = b;
    return (one->from > other->from) - (one->from < other->from);
}

/* Makes the server work on both threads at once, if it can; returns how many spans its
 * trace has, in the order of their starts. */
static int trace_load(const char *lock, const char *path) {
    enum { CLIENTS = 8, ROUNDS = 100 };
    struct program program;
    int fds[CLIENTS], count = 0;
    char line[512];
    program_start(&program, "06-pump", "--lock", lock, "--trace", path, NULL);
    for (int i = 0; i < CLIENTS; i++)
        fds[i] = connect_to(program.port);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CLIENTS; i++)
            send_text(fds[i], LOAD_GET("/work?us=50"));
        for (int i = 0; i < CLIENTS; i++)
            load_expect(fds[i], "worked 50 us\n");
    }
    program_stop(&program);
    cr_assert_eq(program.status, 0);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    while (count < SPANS_MOST && fgets(line, sizeof line, file)) {
        struct span *span = &spans[count];
        double lasted;
        if (sscanf(line,
                   "{\"name\":\"%31[^\"]\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,"
                   "\"ts\":%lf,\"dur\":%lf",
                   span->what, &span->thread, &span->from, &lasted) != 4)
            continue;
        span->to = span->from + lasted;
        count++;
    }
    fclose(file);
    unlink(path);
    cr_assert(count > CLIENTS * ROUNDS && count < SPANS_MOST, "%d spans", count);
    qsort(spans, (size_t)count, sizeof spans[0], by_start);
    return count;
}

static bool is(const struct span *span, const char *what) {
    return strcmp(span->what, what) == 0;
}

/* Whoever works holds the lock; whoever sleeps, polls or waits for it doesn't. So no
 * two spans of work on two threads have a moment in common, up to the trace's rounding
 * to a nanosecond. */
static void expect_no_overlap(const char *lock, const char *path) {
    int count = trace_load(lock, path), locks = 0;
    const struct span *last = NULL; /* of those so far, the work that ended last */
    for (int i = 0; i < count; i++) {
        const struct span *span = &spans[i];
        locks += is(span, "lock");
        if (is(span, "lock") || is(span, "sleep") || is(span, "poll"))
            continue;
        cr_assert(!last || last->thread == span->thread || span->from > last->to - 0.01,
                  "%s begins at %f us, %s on the other thread ends at %f", span->what,
                  span->from, last->what, last->to);
        if (!last || span->to > last->to)
            last = span;
    }
    cr_assert_gt(locks, 0, "somebody has to wait for the lock");
}

static char path[] = "/tmp/test_arms.XXXXXX";

static void make_path(void) {
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
}

Test(arms, parse_and_application_do_not_overlap_under_a_lock) {
    make_path();
    expect_no_overlap("gil", path);
    expect_no_overlap("mutex", path);
}

Test(arms, without_a_lock_nobody_waits_for_one) {
    make_path();
    int count = trace_load("free", path);
    for (int i = 0; i < count; i++)
        cr_assert(!is(&spans[i], "lock"));
}
