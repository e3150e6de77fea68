#include "03-request/test_support_checks.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "00-ground/clock.h"

static const char *program_name, *backend_name, *check_name;

/* A check fails in the middle of whatever helper it called; this says which it was. */
static void name_what_failed(void) {
    if (check_name)
        fprintf(stderr, "it was the check '%s' of %s on %s\n", check_name, program_name,
                backend_name);
}

void run_checks(const char *program, const char *backend, const char *option,
                const struct check *checks, size_t count) {
    struct served served = {0};
    atexit(name_what_failed);
    program_name = program;
    backend_name = backend;
    check_name = "it starts";
    program_start(&served.program, program, "--backend", backend, "--stats", option,
                  NULL);
    for (size_t i = 0; i < count; i++) {
        check_name = checks[i].name;
        checks[i].run(&served);
    }
    check_name = "it stops, having counted what was asked";
    program_stop(&served.program);
    cr_assert(program_ended_well(&served.program));
    uint64_t requests = json_number(served.program.output, "requests");
    uint64_t responses = json_number(served.program.output, "responses");
    cr_assert(requests >= served.answered &&
                  requests <= served.answered + served.perhaps &&
                  responses <= requests && responses >= served.answered,
              "%llu and perhaps %llu requests were answered, but: %s",
              (unsigned long long)served.answered, (unsigned long long)served.perhaps,
              served.program.output);
    check_name = NULL;
}

int client_of(const struct served *served) {
    int client = connect_to(served->program.port), on = 1;
    cr_assert(setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    return client;
}

void ask(int client, const char *target) {
    char head[256];
    snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", target);
    send_text(client, head);
}

void expect(struct served *served, int client, int status, const char *body) {
    struct response response;
    read_response(client, &response);
    served->answered++;
    cr_assert_eq(response.status, status, "%d, not %d: %s%s", response.status, status,
                 response.head, response.body);
    if (body)
        cr_assert_str_eq(response.body, body);
}

void get(struct served *served, int client, const char *target, int status,
         const char *body) {
    ask(client, target);
    expect(served, client, status, body);
}

void expect_end(int client) {
    char more[256];
    size_t n = read_to_end(client, more, sizeof more);
    cr_assert_eq(n, 0, "more came: %s", more);
    close(client);
}

#ifdef __linux__
static uint64_t cpu_of(pid_t process) {
    clockid_t clock;
    struct timespec t;
    cr_assert(clock_getcpuclockid(process, &clock) == 0 &&
              clock_gettime(clock, &t) == 0);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}
#endif

void expect_sleep(const struct served *served) {
#ifdef __linux__
    enum { WATCHED_MS = 100, SPENT_MOST_MS = 20 }; /* who spins spends it all */
    uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS, spent;
    do { /* it may still have something to do when we begin to look */
        cr_assert_lt(clock_now(), deadline, "it doesn't sleep with nothing to do");
        spent = cpu_of(served->program.pid);
        poll(NULL, 0, WATCHED_MS);
        spent = cpu_of(served->program.pid) - spent;
    } while (spent > SPENT_MOST_MS * NS_PER_MS);
#else
    (void)served;
#endif
}

void reset(int client) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    cr_assert(setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
    close(client);
}
