/* The inversion's program: no wakes, no work when idle, and what it refuses. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "02-readiness/backend.h"

TestSuite(inversion, .timeout = 300);

#define GET(target) "GET " target " HTTP/1.1\r\nHost: x\r\n\r\n"

static struct program program;
static struct response response;

static uint64_t counted(const char *name) {
    return json_number(program.output, name);
}

static void expect(int fd, const char *body) {
    read_response(fd, &response);
    cr_assert_eq(response.status, 200);
    cr_assert_str_eq(response.body, body);
}

static void stop(void) {
    program_stop(&program);
    cr_assert_eq(program.status, 0);
}

static void start(void) {
    program_start(&program, "08-inversion", "--stats", "--spins-per-us", "100", NULL);
}

/* Row W3: a request pays no wake. */
static void load(int clients, int rounds) {
    int fds[64];
    start();
    for (int i = 0; i < clients; i++)
        fds[i] = connect_to(program.port);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < clients; i++)
            send_text(fds[i],
                      GET("/") GET("/fanout?n=3") GET("/work?us=5") GET("/slow?ms=0"));
        for (int i = 0; i < clients; i++) {
            expect(fds[i], "hello\n");
            expect(fds[i], "3 callbacks, sum 6\n");
            expect(fds[i], "worked 5 us\n");
            expect(fds[i], "slept 0 ms\n");
        }
    }
    stop();
    uint64_t requests = 4 * (uint64_t)clients * (uint64_t)rounds;
    cr_assert_eq(counted("requests"), requests);
    cr_assert_eq(counted("submits"), requests);
    cr_assert_eq(counted("responses"), requests);
    cr_assert_eq(counted("wakes_to_executor"), 0);
    cr_assert_eq(counted("wakes_to_loop"), 0);
    cr_assert_eq(counted("stale_events"), 0);
}

Test(inversion, a_request_alone_pays_no_wake) {
    load(1, 50);
}

Test(inversion, many_clients_pay_no_wake) {
    load(64, 20);
}

/* A pass for the request, and one for the answer, which comes in a later iteration. */
Test(inversion, a_request_alone_takes_two_passes) {
    enum { REQUESTS = 100 };
    start();
    int fd = connect_to(program.port);
    for (int i = 0; i < REQUESTS; i++) {
        send_text(fd, GET("/"));
        expect(fd, "hello\n");
    }
    stop();
    cr_assert_geq(counted("passes"), 2 * REQUESTS);
    cr_assert_leq(counted("passes"), 2 * REQUESTS + 4, "and few for coming and going");
}

Test(inversion, refuses_a_backend_that_cannot_be_nested_before_it_listens) {
    program_run(&program, "08-inversion", "--port", "0", "--backend", "poll", NULL);
    cr_assert_eq(program.status, 2);
    cr_assert_str_eq(program.output, "");
    char *end = strchr(program.errors, '\n');
    cr_assert_not_null(end);
    cr_assert_eq(end[1], '\0', "one line, but: %s", program.errors);
    cr_assert_not_null(strstr(program.errors, "poll"));
    cr_assert_not_null(strstr(program.errors, "epoll"), "what to do: %s",
                       program.errors);
}

static uint64_t cpu_ms_after_idling(int ms) {
    start();
    int fd = connect_to(program.port), silent = connect_to(program.port);
    send_text(fd, GET("/"));
    expect(fd, "hello\n");
    send_text(fd, GET("/slow?ms=60000"));
    cr_assert(!readable_within(fd, ms));
    stop();
    close(fd);
    close(silent);
    return counted("cpu_us") / 1000;
}

Test(inversion, a_second_of_idleness_costs_nothing) {
    uint64_t short_run = cpu_ms_after_idling(1);
    cr_assert_lt(cpu_ms_after_idling(1000), short_run + 10);
}
