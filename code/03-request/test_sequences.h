/* Sequences of events that servers got wrong: the tests of each room from here on play
 * them against its program. */
#ifndef REQUEST_TEST_SEQUENCES_H
#define REQUEST_TEST_SEQUENCES_H

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "03-request/test_support_http.h"

/* A test of the suite "serving" for each backend, by a check of `program` over it; one
 * that this system lacks is passed over. SERVING_NESTED leaves poll out. */
#define SERVING(program, name, check)                                                  \
    SERVING_NESTED(program, name, check)                                               \
    SERVING_OVER(program, name, check, poll)
#define SERVING_NESTED(program, name, check)                                           \
    SERVING_OVER(program, name, check, epoll)                                          \
    SERVING_OVER(program, name, check, kqueue)
#define SERVING_OVER(program, name, check, backend)                                    \
    Test(serving, name##_over_##backend) {                                             \
        if (has_backend(#backend))                                                     \
            check(program, #backend);                                                  \
    }

#define SEQUENCE_GET "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

/* What can't be had is refused with one line and exit status 2. */
static inline void sequence_refused_command(const char *name, const char *option,
                                            const char *value) {
    struct program program;
    program_run(&program, name, option, value, NULL);
    cr_assert_eq(program.status, 2, "%s %s: exit %d", option, value, program.status);
    cr_assert_str_eq(program.output, "");
    const char *end = strchr(program.errors, '\n');
    cr_assert(end && end > program.errors && end[1] == '\0', "%s %s: %s", option, value,
              program.errors);
}

static inline void sequence_refused_commands(const char *name) {
    struct program program;
    char port[16];
    sequence_refused_command(name, "--nonsense", "1");
    sequence_refused_command(name, "--backend", "nonsense");
    sequence_refused_command(name, "--port", "65536");
    sequence_refused_command(name, "--head-timeout-ms", "0");
    sequence_refused_command(name, "--idle-timeout-ms", "soon");
    sequence_refused_command(name, "--host", "256.256.256.256");
    sequence_refused_command(name, "--trace", "/nowhere/trace.json");
    program_start(&program, name, NULL);
    snprintf(port, sizeof port, "%d", program.port);
    sequence_refused_command(name, "--port", port);
    program_stop(&program);
}

/* Connect, send nothing, close: nothing stays. Connect, send nothing, stay: closed at
 * the head timeout, and no earlier. */
static inline void sequence_silent_clients(const char *name, const char *backend) {
    static struct response response;
    struct program program;
    char nothing[2];
    program_start(&program, name, "--backend", backend, "--head-timeout-ms", "150",
                  "--stats", NULL);
    for (int i = 0; i < 100; i++)
        close(connect_to(program.port));
    int other = connect_to(program.port);
    send_text(other, SEQUENCE_GET);
    read_response(other, &response); /* all those were accepted */
    uint64_t began = clock_now();
    int fd = connect_to(program.port);
    cr_assert_eq(read_to_end(fd, nothing, sizeof nothing), 0);
    cr_assert_geq(clock_now() - began, 150 * NS_PER_MS);
    close(fd);
    program_stop(&program);
    cr_assert_eq(program.status, 0);
    cr_assert_eq(json_number(program.output, "requests"), 1);
}

/* Half a head, and then a byte at a time: a 408, as long after the first byte as the
 * head timeout says. Another client comes and goes meanwhile: its deadlines, which are
 * later, move nobody's. */
static inline void sequence_dripping_head(const char *name, const char *backend) {
    static struct response response;
    struct program program;
    program_start(&program, name, "--backend", backend, "--head-timeout-ms", "400",
                  NULL);
    int fd = connect_to(program.port), other = connect_to(program.port);
    uint64_t began = clock_now();
    for (const char *byte = SEQUENCE_GET; !readable_within(fd, 20); byte++) {
        cr_assert_neq(*byte, '\0', "the head was whole before its time was over");
        send_bytes(fd, byte, 1);
        send_text(other, SEQUENCE_GET);
        read_response(other, &response);
        cr_assert_eq(response.status, 200);
    }
    cr_assert_geq(clock_now() - began, 400 * NS_PER_MS);
    read_response(fd, &response);
    cr_assert_eq(response.status, 408);
    program_stop(&program);
    cr_assert_eq(program.status, 0);
}

/* Half a head while nothing else happens: whoever sleeps has to wake for it. */
static inline void sequence_half_a_head(const char *name, const char *backend) {
    static struct response response;
    struct program program;
    program_start(&program, name, "--backend", backend, "--head-timeout-ms", "200",
                  "--stats", NULL);
    for (int round = 0; round < 2; round++) {
        int fd = connect_to(program.port);
        send_text(fd, SEQUENCE_GET);
        read_response(fd, &response);
        uint64_t began = clock_now();
        send_text(fd, "GET / HT");
        read_response(fd, &response);
        cr_assert_eq(response.status, 408);
        cr_assert_geq(clock_now() - began, 200 * NS_PER_MS);
        close(fd);
    }
    program_stop(&program);
    cr_assert_eq(program.status, 0);
    cr_assert_eq(json_number(program.output, "requests"), 2);
}

/* An exchange of 450 ms on a connection whose idle timeout of 300 ms began to run
 * before it: a timer that is left over must not end it. For the demo application
 * alone. */
static inline void sequence_leftover_timer(const char *name, const char *backend) {
    static struct response response;
    struct program program;
    program_start(&program, name, "--backend", backend, "--idle-timeout-ms", "300",
                  "--head-timeout-ms", "300", NULL);
    int fd = connect_to(program.port);
    send_text(fd, SEQUENCE_GET);
    read_response(fd, &response);
    send_text(fd, "GET /slow?ms=450 HTTP/1.1\r\nHost: x\r\n\r\n");
    read_response(fd, &response);
    cr_assert_eq(response.status, 200);
    program_stop(&program);
    cr_assert_eq(program.status, 0);
}

/* As many clients as there are slots, and this test may open a descriptor for each. */
enum { ALL_SLOTS = 1024 };

static inline void allow_all_slots(void) {
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < ALL_SLOTS + 64) {
        limit.rlim_cur = ALL_SLOTS + 64;
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0, "too few descriptors");
    }
}

/* All slots are taken. While nobody is idle one client more waits until one leaves; then
 * whoever has been idle longest gives way to the next, but never one who has just asked. */
static inline void sequence_full_table(const char *name, const char *backend) {
    static struct response response;
    static int fds[ALL_SLOTS];
    struct program program;
    allow_all_slots();
    program_start(&program, name, "--backend", backend, "--stats", NULL);
    for (int i = 0; i < ALL_SLOTS; i++) {
        fds[i] = connect_to(program.port);
        send_text(fds[i], "GET"); /* none is idle: each has begun a head */
    }
    int extra = connect_to(program.port);
    send_text(extra, SEQUENCE_GET);
    cr_assert(!readable_within(extra, 50));
    close(fds[500]);
    read_response(extra, &response);
    cr_assert_eq(response.status, 200);
    close(extra);
    fds[500] = connect_to(program.port);
    send_text(fds[500], "GET");

    static const int asks[] = {17, 3, 500}; /* 17 will be idle longest */
    for (int i = 0; i < 3; i++) {
        send_text(fds[asks[i]], &SEQUENCE_GET[strlen("GET")]);
        read_response(fds[asks[i]], &response);
        cr_assert_eq(response.status, 200);
    }
    program_halt(&program);
    extra = connect_to(program.port); /* it knocks, and 17 asks again, in one batch */
    send_text(extra, SEQUENCE_GET);
    send_text(fds[17], SEQUENCE_GET);
    program_resume(&program);
    read_response(fds[17], &response);
    cr_assert_eq(response.status, 200);
    read_response(extra, &response);
    cr_assert_eq(response.status, 200);
    char more[64];
    cr_assert_eq(read_to_end(fds[3], more, sizeof more), 0, "3 was idle longest");
    send_text(fds[500], SEQUENCE_GET);
    read_response(fds[500], &response);
    cr_assert_eq(response.status, 200);
    program_stop(&program);
    cr_assert(program_ended_well(&program));
    cr_assert_eq(json_number(program.output, "responses"), 7);
}

/* A thousand clients who were served once and say no more, and the rest of the table at
 * work: they are served, and the thousand are still there. */
static inline void sequence_idle_crowd(const char *name, const char *backend) {
    enum { IDLE = 1000, ROUNDS = 20 };
    static struct response response;
    static int fds[ALL_SLOTS];
    struct program program;
    allow_all_slots();
    program_start(&program, name, "--backend", backend, "--stats", NULL);
    for (int i = 0; i < ALL_SLOTS; i++) {
        fds[i] = connect_to(program.port);
        send_text(fds[i], SEQUENCE_GET);
        read_response(fds[i], &response);
        cr_assert_eq(response.status, 200);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = IDLE; i < ALL_SLOTS; i++)
            send_text(fds[i], SEQUENCE_GET);
        for (int i = IDLE; i < ALL_SLOTS; i++) {
            read_response(fds[i], &response);
            cr_assert_eq(response.status, 200);
        }
    }
    for (int i = 0; i < IDLE; i += 37) {
        send_text(fds[i], SEQUENCE_GET);
        read_response(fds[i], &response);
        cr_assert_eq(response.status, 200);
    }
    program_stop(&program);
    cr_assert_eq(program.status, 0);
    uint64_t responses = ALL_SLOTS + ROUNDS * (ALL_SLOTS - IDLE) + IDLE / 37 + 1;
    cr_assert_eq(json_number(program.output, "responses"), responses);
    /* Who isn't ready costs no pass: there are a few for each request at most. */
    cr_assert_lt(json_number(program.output, "passes"), 5 * responses);
}

/* The descriptor limit is 64, and 200 clients connect: they are served as descriptors
 * free, or once there are more of them, and until then nothing spins. prlimit(2) is
 * Linux's. */
static inline void sequence_few_descriptors(const char *name, const char *backend) {
#ifdef __linux__
    enum { LIMIT = 64, CLIENTS = 200 };
    static struct response response;
    struct program program;
    struct rlimit limit, before;
    int fds[CLIENTS];
    program_start(&program, name, "--backend", backend, "--stats", NULL);
    cr_assert_eq(prlimit(program.pid, RLIMIT_NOFILE, NULL, &before), 0);
    limit = (struct rlimit){LIMIT, before.rlim_max};
    cr_assert_eq(prlimit(program.pid, RLIMIT_NOFILE, &limit, NULL), 0);
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = connect_to(program.port);
        send_text(fds[i], "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    int served = 0;
    do
        read_response(fds[served++], &response);
    while (readable_within(fds[served], 250));
    cr_assert(served < LIMIT);
    for (int i = 0; i < CLIENTS / 2; i++) { /* who leaves makes room */
        if (i >= served)
            read_response(fds[i], &response);
        cr_assert_eq(response.status, 200);
        close(fds[i]);
    }
    served = CLIENTS / 2;
    while (readable_within(fds[served], 150))
        read_response(fds[served++], &response);
    cr_assert(served < CLIENTS);
    cr_assert_eq(prlimit(program.pid, RLIMIT_NOFILE, &before, NULL), 0);
    for (int i = served; i < CLIENTS; i++) { /* now nobody has to leave */
        read_response(fds[i], &response);
        cr_assert_eq(response.status, 200);
    }
    program_stop(&program);
    cr_assert_eq(program.status, 0);
    cr_assert_eq(json_number(program.output, "responses"), CLIENTS);
    /* A loop that spins makes as many passes in a few milliseconds. */
    cr_assert_lt(json_number(program.output, "passes"), 20 * CLIENTS);
#else
    (void)name;
    (void)backend;
#endif
}

/* A test for each, and for HTTP; KIND is SERVING or SERVING_NESTED. What needs the demo
 * application is left out. */
#define EVERY_SEQUENCE(KIND, program)                                                  \
    KIND(program, http, check_http)                                                    \
    KIND(program, readers, check_readers)                                              \
    KIND(program, silent_clients, sequence_silent_clients)                             \
    KIND(program, dripping_head, sequence_dripping_head)                               \
    KIND(program, half_a_head, sequence_half_a_head)                                   \
    KIND(program, full_table, sequence_full_table)                                     \
    KIND(program, idle_crowd, sequence_idle_crowd)                                     \
    KIND(program, few_descriptors, sequence_few_descriptors)

#endif
