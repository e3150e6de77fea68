/* build/load against servers that take a connection and leave: none of its requests is
 * lost to the counts, and no connection that was had is taken for one that wasn't. */
#include <criterion/criterion.h>

#include "07-measure/test_load_fake.h"

TestSuite(load_leave, .timeout = 60);

/* Every second connection is reset before the client may have seen that it has it. */
static void reset_every_second(int fd, int connection) {
    if (connection % 2)
        fake_reset(fd);
    else if (fake_request(fd))
        fake_say(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
                     "Content-Length: 2\r\n\r\nok");
}

Test(load_leave, a_connection_that_is_reset_at_once_is_no_refusal) {
    fake_start(reset_every_second);
    load_run_fake("--connections 16 --requests 1000 --warmup-ms 0", 1);
    cr_assert_eq(load_number("requests") + load_number("errors"), 1000, "%s",
                 load.output);
    cr_assert_gt(load_number("requests"), 0);
    cr_assert_str_eq(load.errors, "");
}

/* Closed with a request that nobody reads, a connection ends in a reset. */
static void serve_one_and_reset(int fd, int connection) {
    char c;
    (void)connection;
    if (fake_request(fd)) {
        fake_say(fd, GOOD);
        ssize_t got = recv(fd, &c, 1, MSG_PEEK);
        (void)got;
    }
}

Test(load_leave, a_kept_connection_that_was_reset_is_as_one_that_was_closed) {
    fake_start(serve_one_and_reset);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0", 0);
    EXPECT("requests", 5);
    EXPECT("errors", 0);
    EXPECT("reconnects", 4);
}

Test(load_leave, but_a_post_is_an_error) {
    fake_start(serve_one_and_reset);
    load_run_fake("--connections 1 --requests 5 --warmup-ms 0 --method POST", 1);
    EXPECT("requests", 3);
    EXPECT("errors", 2);
}

/* No request was under way, so none failed. */
static void serve_one_and_reset_idle(int fd, int connection) {
    (void)connection;
    if (fake_request(fd)) {
        fake_say(fd, GOOD);
        fake_stall(20);
        fake_reset(fd);
    }
}

Test(load_leave, an_idle_connection_may_be_reset) {
    fake_start(serve_one_and_reset_idle);
    load_run_fake("--rate 10 --ms 500 --connections 2 --warmup-ms 0", 0);
    EXPECT("requests", 5);
    EXPECT("errors", 0);
}

static void serve_nothing(int fd, int connection) {
    (void)connection;
    while (fake_request(fd)) {
    }
}

/* Its own CPU is counted from the warm-up's end, though nothing happens there. */
Test(load_leave, a_client_that_sleeps_uses_no_cpu) {
    fake_start(serve_nothing);
    load_run_fake("--connections 1 --ms 100 --warmup-ms 100 --timeout-ms 700", 1);
    EXPECT("timeouts", 1);
    cr_assert_lt(load_number("client_cpu"), 0.5, "%s", load.output);
}

/* A full backlog: the kernel drops who knocks, and nobody ever looks. */
Test(load_leave, a_server_that_accepts_nobody_is_exit_2) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    char url[64];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *)&address, length), 0);
    cr_assert_eq(listen(fd, 1), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
    program_run(&load, "load", "--connections", "300", "--timeout-ms", "300", url,
                NULL);
    cr_assert_eq(load.status, 2);
    cr_assert_not_null(strstr(load.errors, "ask for fewer by --connections"), "%s",
                       load.errors);
    close(fd);
}
