/* What the pump pays: its wakes, counted. */
#include <criterion/criterion.h>
#include <string.h>

#include "00-ground/test_support.h"
#include "03-request/test_support_http.h"

TestSuite(pump, .timeout = 300);

#define GET(target) "GET " target " HTTP/1.1\r\nHost: x\r\n\r\n"

static struct program program;
static struct response response;

static void start(const char *backend) {
    program_start(&program, "06-pump", "--backend", backend, "--stats",
                  "--spins-per-us", "100", NULL);
}

/* Stops it; what was counted is in program.output then. */
static void stop(void) {
    program_stop(&program);
    cr_assert_eq(program.status, 0);
}

static uint64_t counted(const char *name) {
    return json_number(program.output, name);
}

static void expect(int fd, const char *body) {
    read_response(fd, &response);
    cr_assert_eq(response.status, 200);
    cr_assert_str_eq(response.body, body);
}

static void on_each_backend(void (*check)(const char *backend)) {
    static const char *const backends[] = {"epoll", "kqueue", "poll"};
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (has_backend(backends[i]))
            check(backends[i]);
}

/* Row W2: at one connection a request pays two wakes, one each way. */
static void count_wakes_at_c1(const char *backend) {
    enum { REQUESTS = 300 };
    start(backend);
    int fd = connect_to(program.port);
    for (int i = 0; i < REQUESTS / 3; i++) {
        send_text(fd, GET("/"));
        expect(fd, "hello\n");
        send_text(fd, GET("/work?us=50"));
        expect(fd, "worked 50 us\n");
        send_text(fd, GET("/fanout?n=10"));
        expect(fd, "10 callbacks, sum 55\n");
    }
    stop();
    cr_assert_eq(counted("requests"), REQUESTS);
    cr_assert_eq(counted("responses"), REQUESTS);
    cr_assert_eq(counted("submits"), REQUESTS);
    cr_assert_eq(counted("wakes_to_executor"), REQUESTS + 1, "the stop wakes it, too");
    cr_assert_eq(counted("wakes_to_loop"), REQUESTS);
    cr_assert_eq(counted("stale_events"), 0);
    cr_assert_leq(counted("passes"), 2 * REQUESTS + 4, "it sleeps between them");
}

Test(pump, a_request_alone_pays_two_wakes) {
    on_each_backend(count_wakes_at_c1);
}

/* A pass that submits many requests wakes once for all of them, and the next pass takes
 * all answers that there are: what comes while its wake is pending wakes nobody. */
enum { CLIENTS = 64, TIMES = 30 };

static void load_at_c64(const char *backend) {
    int fds[CLIENTS];
    start(backend);
    for (int i = 0; i < CLIENTS; i++)
        fds[i] = connect_to(program.port);
    for (int time = 0; time < TIMES; time++) {
        for (int i = 0; i < CLIENTS; i++)
            send_text(fds[i], GET("/fanout?n=3"));
        for (int i = 0; i < CLIENTS; i++)
            expect(fds[i], "3 callbacks, sum 6\n");
    }
    stop();
    cr_assert_eq(counted("requests"), CLIENTS * TIMES);
    cr_assert_eq(counted("responses"), CLIENTS * TIMES);
    cr_assert_leq(counted("wakes_to_executor"), counted("passes") + 1);
    cr_assert_leq(counted("wakes_to_executor"), counted("submits"));
}

static void count_wakes_at_c64(const char *backend) {
    load_at_c64(backend);
    cr_assert_leq(counted("wakes_to_loop"), counted("passes") + 1);
}

/* The simplest pump: each answer wakes, whether a wake is pending or not. */
static void count_every_wake_at_c64(const char *backend) {
    load_at_c64(backend);
    cr_assert_eq(counted("wakes_to_loop"), CLIENTS * TIMES);
}

Test(pump, wakes_either_thread_at_most_once_a_pass) {
    on_each_backend(count_wakes_at_c64);
}

Test(pump, with_every_wake_wakes_the_loop_for_each_answer) {
    program_option("--every-wake");
    on_each_backend(count_every_wake_at_c64);
}

Test(pump, with_every_wake_a_request_alone_pays_no_more) {
    program_option("--every-wake");
    on_each_backend(count_wakes_at_c1);
}

/* Sequence: a wake between "is the queue empty?" and "sleep". A few requests are handed
 * over at nearly the same time, while the executor takes the first ones; nobody sends
 * more before all have their answers, so a wake that is lost last stays lost. */
static void overlap_hand_offs(const char *backend) {
    enum { ROUNDS = OFTEN(15000), MOST = 6 };
    char answer[512];
    int fds[MOST];
    start(backend);
    for (int i = 0; i < MOST; i++) {
        fds[i] = connect_to(program.port);
        send_text(fds[i], GET("/"));
        expect(fds[i], "hello\n");
    }
    size_t length = strlen(response.head) + response.body_length; /* of each answer */
    cr_assert_leq(length, sizeof answer);
    for (int round = 0; round < ROUNDS; round++) {
        int clients = 2 + round % (MOST - 1);
        for (int i = 0; i < clients; i++)
            send_text(fds[i], GET("/"));
        for (int i = 0; i < clients; i++)
            read_bytes(fds[i], answer, length);
    }
    stop();
}

Test(pump, hand_offs_that_overlap_are_not_lost) {
    on_each_backend(overlap_hand_offs);
}
