/* The end, turn by turn: an executor that does nothing by itself, so that the test
 * chooses what runs when. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "08-inversion/inversion.h"

#define ASK "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

static struct inversion inversion;
static struct sweep_outbox outbox;
static struct {
    callback *run;
    void *argument;
} queue[16];
static int queued, ran;
static callback *on_native; /* the reader of the native loop's descriptor */
static bool stopped, shut;
static int stoppings;
static struct exchange *first;
static int begun, begun_when_shut;

static int add_reader(void *self, int fd, callback *run, void *argument) {
    (void)self;
    cr_assert_eq(fd, loop_fd(&inversion.loop));
    cr_assert_eq(argument, &inversion);
    on_native = run;
    return 0;
}

static int remove_reader(void *self, int fd) {
    (void)self;
    (void)fd;
    return 0;
}

static int call_soon(void *self, callback *run, void *argument) {
    (void)self;
    cr_assert_lt(queued, 16);
    queue[queued].run = run;
    queue[queued++].argument = argument;
    return 0;
}

static timer_handle call_later(void *self, uint64_t ns, callback *run, void *argument) {
    (void)self;
    (void)ns;
    (void)run;
    (void)argument;
    return 1; /* no deadline comes in this test */
}

static void cancel(void *self, timer_handle timer) {
    (void)self;
    (void)timer;
}

static uint64_t now(void *self) {
    (void)self;
    return clock_now();
}

static void stop(void *self) {
    (void)self;
    stopped = true;
}

static void run_next(void) {
    cr_assert_lt(ran, queued);
    ran++;
    queue[ran - 1].run(queue[ran - 1].argument);
}

static void pass_until_queued(int wanted) {
    for (int i = 0; i < WAIT_MS && queued < wanted; i++) {
        on_native(&inversion);
        readable_within(loop_fd(&inversion.loop), 1);
    }
    cr_assert_eq(queued, wanted);
}

/* A pass is scheduled, and behind it waits a request that another pass has read. Then
 * the signal comes, and it is the scheduled pass that learns of it. */
static int run_forever(void *self) {
    (void)self;
    struct sockaddr_in bound;
    socklen_t length = sizeof bound;
    cr_assert_eq(
        getsockname(inversion.loop.listener, (struct sockaddr *)&bound, &length), 0);
    int one = connect_to(ntohs(bound.sin_port));
    int other = connect_to(ntohs(bound.sin_port));
    send_text(one, ASK);
    pass_until_queued(1);
    run_next();
    cr_assert_eq(begun, 1);
    exchange_answer(first, 200, "text/plain", "hello\n", 6);
    cr_assert_eq(queued, 2, "the pass that sends it");
    send_text(other, ASK);
    pass_until_queued(3);
    cr_assert_eq(kill(getpid(), SIGTERM), 0);
    while (ran < queued)
        run_next();
    close(one);
    close(other);
    return 0;
}

static void begin(void *self, struct exchange *exchange) {
    (void)self;
    first = exchange;
    begun++;
    begun_when_shut += shut;
}

static void stopping(void *self) {
    (void)self;
    cr_assert_not(shut);
    stoppings++;
}

static void shut_down(void *self) {
    (void)self;
    shut = true;
}

Test(stop, the_application_hears_nothing_after_its_shutdown, .timeout = 300) {
    const struct executor executor = {
        .add_reader = add_reader,
        .remove_reader = remove_reader,
        .call_soon = call_soon,
        .call_later = call_later,
        .cancel = cancel,
        .now = now,
        .run_forever = run_forever,
        .stop = stop,
    };
    const struct application application = {
        .begin = begin, .stopping = stopping, .shutdown = shut_down};
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS];
    server_options_rows(&options, rows);
    options.port = 0;
    cr_assert_not_null(freopen("/dev/null", "w", stdout)); /* "listening on ..." */
    inversion_run(&inversion, &options, &executor, &application, &stop_at_once,
                  sweep_outbox_init(&outbox));
    cr_assert(shut && stopped);
    cr_assert_eq(stoppings, 1);
    cr_assert_eq(begun_when_shut, 0);
}
