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
#include "06-pump/pump.h"

#define ASK "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

static struct pump pump;
static struct sweep_outbox outbox;
static callback *submitted, *queued; /* the submit bell's reader; what call_soon got */
static void *submitted_argument, *queued_argument;
static int bell; /* the descriptor that the reader watches */
static bool stopped, shut;
static int stoppings;
static int begun;

static int add_reader(void *self, int fd, callback *run, void *argument) {
    (void)self;
    bell = fd;
    submitted = run;
    submitted_argument = argument;
    return 0;
}

static int remove_reader(void *self, int fd) {
    (void)self;
    cr_assert_eq(fd, bell);
    return 0;
}

static int call_soon(void *self, callback *run, void *argument) {
    (void)self;
    cr_assert_null(queued);
    queued = run;
    queued_argument = argument;
    return 0;
}

static uint64_t now(void *self) {
    (void)self;
    return clock_now();
}

static void stop(void *self) {
    (void)self;
    stopped = true;
}

static void take_submits(void) {
    cr_assert(readable_within(bell, WAIT_MS));
    submitted(submitted_argument);
}

/* A request has come across, but its turn hasn't: the signal is first. */
static int run_forever(void *self) {
    (void)self;
    struct sockaddr_in bound;
    socklen_t length = sizeof bound;
    cr_assert_eq(getsockname(pump.loop.listener, (struct sockaddr *)&bound, &length),
                 0);
    int client = connect_to(ntohs(bound.sin_port));
    send_text(client, ASK);
    take_submits();
    cr_assert_not_null(queued);
    cr_assert_eq(kill(getpid(), SIGTERM), 0);
    while (!stopped)
        take_submits();
    queued(queued_argument);
    close(client);
    return 0;
}

static void begin(void *self, struct exchange *exchange) {
    (void)self;
    (void)exchange;
    begun++;
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
        .now = now,
        .run_forever = run_forever,
        .stop = stop,
    };
    const struct application application = {
        .begin = begin, .stopping = stopping, .shutdown = shut_down};
    const struct pump_options own = {.every_wake = true};
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS];
    server_options_rows(&options, rows);
    options.port = 0;
    cr_assert_not_null(freopen("/dev/null", "w", stdout)); /* "listening on ..." */
    pump_run(&pump, &options, &own, &executor, &application, &stop_at_once,
             sweep_outbox_init(&outbox));
    cr_assert(shut && stopped);
    cr_assert_eq(stoppings, 1);
    cr_assert_eq(begun, 0);
}
