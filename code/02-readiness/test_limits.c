/* The program's patience: how long it waits for a head, for the next request, and for a
 * client who doesn't read. */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "02-readiness/test_support_backend.h"
#include "02-readiness/test_support_hello.h"

TestSuite(limits, .timeout = 300);

static void heads_do_not_come(void) {
    int silent = connect_to(hello.port), halfway = connect_to(hello.port);
    int served = hello_client();
    send_text(halfway, "GET / HT");
    hello_expect_end(silent);
    hello_expect_end(halfway);
    hello_ask(served); /* who was answered waits under another limit */
    close(served);
    hello_stop();
    cr_assert_lt(json_number(hello.output, "passes"), 50, "%s", hello.output);
}

Test(limits, a_head_has_to_come_in_time) {
    on_every_hello("--head-timeout-ms", "300", heads_do_not_come);
}

static void head_drips(void) {
    for (int again = 0; again < 2; again++) { /* the first head, and one after it */
        int client = again ? hello_client() : connect_to(hello.port), sent = 0;
        while (!readable_within(client, 10)) {
            send_text(client, "x");
            cr_assert_lt(++sent, 400, "each byte has its own time");
        }
        /* A byte that meets the close is answered with a reset. */
        char more;
        ssize_t n = read(client, &more, 1);
        cr_assert(n == 0 || (n < 0 && errno == ECONNRESET), "%zd", n);
        close(client);
    }
}

Test(limits, a_head_has_one_time_for_all_its_bytes) {
    on_every_hello("--head-timeout-ms", "300", head_drips);
}

static void nothing_follows(void) {
    int silent = connect_to(hello.port);
    hello_expect_end(hello_client());
    cr_assert_not(readable_within(silent, 0), "it has its time for a head");
    close(silent);
}

Test(limits, the_next_request_has_to_begin_in_time) {
    on_every_hello("--idle-timeout-ms", "50", nothing_follows);
}

/* The first answer's time is over long before the last request. */
static void more_follows(void) {
    int client = hello_client();
    for (int i = 0; i < 8; i++) {
        poll(NULL, 0, 80);
        hello_ask(client);
    }
    close(client);
}

Test(limits, the_time_for_the_next_request_begins_with_each_answer) {
    on_every_hello("--idle-timeout-ms", "500", more_follows);
}

/* It asks on until the connection is broken: whether a stalled client's buffers are full
 * can't be seen. */
static void answers_are_not_read(void) {
    int client = connect_narrowly(hello.port);
    struct pollfd room = {.fd = client, .events = POLLOUT};
    ssize_t sent = 1;
    while (sent > 0) {
        cr_assert_eq(poll(&room, 1, WAIT_MS), 1, "the server waits on");
        sent = send(client, ASK ASK ASK ASK, 4 * (sizeof ASK - 1), MSG_DONTWAIT);
    }
    cr_assert(errno == ECONNRESET || errno == EPIPE, "%s", strerror(errno));
    close(client);
    close(hello_client());
}

Test(limits, who_takes_no_answers_is_let_go) {
    on_every_hello("--stall-timeout-ms", "200", answers_are_not_read);
}
