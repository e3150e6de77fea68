/* build/load against servers that stall, leave, reset, and talk nonsense. */
#include <criterion/criterion.h>

#include "07-measure/test_load_fake.h"

TestSuite(load_faults, .timeout = 300);

static void serve_good(int fd, int connection) {
    (void)connection;
    while (fake_request(fd))
        fake_say(fd, GOOD);
}

/* The loops. */

enum { STALL_MS = 500 };

static void stall_once(int fd, int connection) {
    (void)connection;
    while (fake_request(fd)) {
        if (fake_requests == 20)
            fake_stall(STALL_MS);
        fake_say(fd, GOOD);
    }
}

/* Of 200 requests, one each 5 ms, a hundred are due while the server stalls. */
Test(load_faults, an_open_loop_sees_a_stall_in_its_p99) {
    fake_start(stall_once);
    load_run_fake("--rate 200 --connections 1 --ms 1000 --warmup-ms 0", 0);
    EXPECT("requests", 200);
    cr_assert_geq(load_number("p99"), (STALL_MS - 25) * 1e6, "%s", load.output);
}

/* The same server and as many requests: only the one that met the stall is late. */
Test(load_faults, a_closed_loop_hides_it) {
    fake_start(stall_once);
    load_run_fake("--connections 1 --requests 200 --warmup-ms 0", 0);
    EXPECT("requests", 200);
    cr_assert_geq(load_number("max"), STALL_MS * 1e6);
    cr_assert_lt(load_number("p99"), STALL_MS * 1e6, "%s", load.output);
}

static void serve_unevenly(int fd, int connection) {
    (void)connection;
    while (fake_request(fd)) {
        fake_stall(fake_requests % 5 ? 1 : 100);
        fake_say(fd, GOOD);
    }
}

Test(load_faults, the_throughput_of_a_closed_loop_follows_the_mean) {
    fake_start(serve_unevenly);
    load_run_fake("--connections 1 --requests 20 --warmup-ms 0", 0);
    double from_mean = 1e9 / load_number("mean"), from_p50 = 1e9 / load_number("p50");
    double seen = load_number("per_second");
    cr_assert_float_eq(seen, from_mean, 0.01 * from_mean, "%s", load.output);
    cr_assert_gt(from_p50, 1.5 * seen, "%s", load.output);
}

static void stall_first(int fd, int connection) {
    (void)connection;
    while (fake_request(fd)) {
        if (fake_requests == 1)
            fake_stall(1000);
        fake_say(fd, GOOD);
    }
}

Test(load_faults, the_warm_up_is_not_in_the_numbers) {
    fake_start(stall_first);
    load_run_fake("--connections 1 --requests 10 --warmup-ms 1", 0);
    EXPECT("requests", 10);
    EXPECT("warmup_requests", 1);
    EXPECT("bytes", 10.0 * (sizeof GOOD - 1));
    cr_assert_eq(fake_requests, 11);
    cr_assert_lt(load_number("max"), 1e9, "%s", load.output);
}

static void serve_nothing(int fd, int connection) {
    (void)connection;
    while (fake_request(fd)) {
    }
}

Test(load_faults, an_answer_that_never_comes_is_a_timeout) {
    fake_start(serve_nothing);
    load_run_fake("--connections 2 --requests 4 --warmup-ms 0 --timeout-ms 50", 1);
    EXPECT("requests", 0);
    EXPECT("timeouts", 4);
    EXPECT("errors", 0);
    EXPECT("reconnects", 2);
    cr_assert(
        json_is_null(json_object_get(json_object_get(load_json, "latency_ns"), "p50")));
}

/* 100 are due and the one connection carries no answer: none of them is skipped. */
Test(load_faults, a_request_that_never_got_a_connection_is_a_timeout_too) {
    fake_start(serve_nothing);
    load_run_fake("--rate 1000 --ms 100 --connections 1 --warmup-ms 0 --timeout-ms 300",
                  1);
    EXPECT("requests", 0);
    EXPECT("timeouts", 100);
}

/* Answers. */

static void serve_in_pieces(int fd, int connection) {
    static const char answer[] = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n"
                                 "3\r\nabc\r\n0\r\nSum: 6\r\n\r\n";
    (void)connection;
    while (fake_request(fd))
        for (const char *at = answer; *at; at++)
            fake_say(fd, (char[]){*at, '\0'});
}

Test(load_faults, an_answer_may_come_in_pieces) {
    fake_start(serve_in_pieces);
    load_run_fake("--connections 2 --requests 20 --warmup-ms 0", 0);
    EXPECT("requests", 20);
    EXPECT("reconnects", 0);
}

static void serve_503_in_turn(int fd, int connection) {
    (void)connection;
    while (fake_request(fd))
        fake_say(fd, fake_requests % 2
                         ? GOOD
                         : "HTTP/1.1 503 Not now\r\nContent-Length: 0\r\n\r\n");
}

Test(load_faults, non_2xx_are_answers_and_are_counted) {
    fake_start(serve_503_in_turn);
    load_run_fake("--connections 1 --requests 10 --warmup-ms 0", 1);
    EXPECT("requests", 10);
    EXPECT("non_2xx", 5);
    EXPECT("errors", 0);
}

static void serve_nonsense_first(int fd, int connection) {
    if (connection > 0)
        serve_good(fd, connection);
    else if (fake_request(fd))
        fake_say(fd, "220 mail.example ESMTP\r\n\r\n");
    fake_drain(fd);
}

Test(load_faults, a_malformed_answer_is_an_error) {
    fake_start(serve_nonsense_first);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 1);
    EXPECT("requests", 4);
    EXPECT("errors", 1);
    EXPECT("reconnects", 1);
}

static void serve_twice_first(int fd, int connection) {
    if (connection > 0)
        serve_good(fd, connection);
    else if (fake_request(fd))
        fake_say(fd, GOOD GOOD);
    fake_drain(fd);
}

Test(load_faults, an_answer_nobody_asked_for_is_an_error) {
    fake_start(serve_twice_first);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 1);
    EXPECT("errors", 1);
    EXPECT("requests", 4);
}

static void serve_half_first(int fd, int connection) {
    if (connection > 0)
        serve_good(fd, connection);
    else if (fake_request(fd))
        fake_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok");
}

Test(load_faults, an_answer_that_is_cut_off_is_an_error) {
    fake_start(serve_half_first);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 1);
    EXPECT("requests", 4);
    EXPECT("errors", 1);
}

static void serve_one_and_a_half(int fd, int connection) {
    if (connection > 0)
        serve_good(fd, connection);
    else if (fake_request(fd)) {
        fake_say(fd, GOOD);
        if (fake_request(fd))
            fake_say(fd, "HTTP/1.1 2");
    }
}

Test(load_faults, so_is_one_on_a_connection_that_has_served) {
    fake_start(serve_one_and_a_half);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 1);
    EXPECT("requests", 4);
    EXPECT("errors", 1);
}

/* It answers and reads no more: 16 MiB of body find no room in the socket's buffers, so
 * the client can't have sent all of it when the answer is there. */
static void serve_at_once(int fd, int connection) {
    (void)connection;
    if (fake_request(fd))
        fake_say(fd, GOOD);
    for (;;)
        pause();
}

Test(load_faults, an_answer_may_come_before_the_request_is_whole) {
    fake_start(serve_at_once);
    load_run_fake("--connections 1 --requests 3 --warmup-ms 0 --method POST "
                  "--body-bytes 16777216",
                  0);
    EXPECT("requests", 3);
    EXPECT("errors", 0);
}

/* Connections. */

static void serve_one_and_say_so(int fd, int connection) {
    (void)connection;
    if (fake_request(fd))
        fake_say(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
                     "Content-Length: 2\r\n\r\nok");
}

Test(load_faults, a_server_may_close_after_each_answer) {
    fake_start(serve_one_and_say_so);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 0);
    EXPECT("requests", 5);
    EXPECT("reconnects", 4);
}

#define WITHOUT_LENGTH "HTTP/1.0 200 OK\r\n\r\nuntil the end"

static void serve_http10(int fd, int connection) {
    (void)connection;
    if (fake_request(fd))
        fake_say(fd, WITHOUT_LENGTH);
}

Test(load_faults, the_end_of_the_connection_may_end_the_answer) {
    fake_start(serve_http10);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 0);
    EXPECT("requests", 5);
    EXPECT("reconnects", 4);
    EXPECT("bytes", 5.0 * (sizeof WITHOUT_LENGTH - 1));
}

/* It keeps the connection, and leaves after all: the next request meets the end. */
static void serve_one_and_leave(int fd, int connection) {
    (void)connection;
    if (fake_request(fd))
        fake_say(fd, GOOD);
    shutdown(fd, SHUT_WR);
    fake_drain(fd);
}

Test(load_faults, a_kept_connection_that_was_closed_is_no_error) {
    fake_start(serve_one_and_leave);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 0);
    EXPECT("requests", 5);
    EXPECT("reconnects", 4);
}

Test(load_faults, but_a_post_is_not_sent_twice) {
    fake_start(serve_one_and_leave);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0 --method POST", 1);
    EXPECT("requests", 3);
    EXPECT("errors", 2);
}

static void reset_first(int fd, int connection) {
    if (connection > 0)
        serve_good(fd, connection);
    else if (fake_request(fd))
        fake_reset(fd);
}

Test(load_faults, a_reset_is_an_error_and_the_client_connects_again) {
    fake_start(reset_first);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 1);
    EXPECT("requests", 4);
    EXPECT("errors", 1);
    EXPECT("reconnects", 1);
}

static void serve_one_and_die(int fd, int connection) {
    (void)connection;
    if (fake_request(fd)) {
        shutdown(fake_listener, SHUT_RDWR);
        fake_say(fd, "HTTP/1.0 200 OK\r\n\r\n");
    }
}

Test(load_faults, a_server_that_has_gone_ends_the_load) {
    fake_start(serve_one_and_die);
    load_run_fake("--connections 1 --ms 60000 --warmup-ms 0", 1);
    EXPECT("requests", 1);
    EXPECT("errors", 1);
    cr_assert_lt(load_number("seconds"), 60);
    cr_assert_not_null(strstr(load.errors, "no more connections"), "%s", load.errors);
}
