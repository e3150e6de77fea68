/* What happens outside a pass: answers that finish, and interest that is added, while
 * the host is about to sleep. The server runs on a thread of this test, so that its
 * application can look at it from the inside; its clients run beside it. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "05-executor/c_executor.h"
#include "08-inversion/inversion.h"

#define ASK "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

enum { LATER_MS = 20, LONG = 16 << 20 }; /* more than the system keeps */

static struct inversion inversion;
static struct sweep_outbox outbox;
static const struct executor *executor;
static struct server_options options = {.host = "127.0.0.1",
                                        .parse = parse_plain,
                                        .head_timeout_ms = 60000,
                                        .idle_timeout_ms = 60000,
                                        .stall_timeout_ms = 60000,
                                        .no_date_header = true};
static pthread_t server_thread;
static _Atomic int port;

/* The application keeps exchanges until `wanted` are there, and LATER_MS after that
 * calls `then` from a timer: no pass is running, and none is due. */
static int wanted = 1;
static void (*then)(void *unused);
static struct exchange *kept[SLOTS];
static int begun;
static _Atomic int rooms, disconnects;
static _Atomic bool in_pass; /* the application was called from inside a pass */
static _Atomic uint64_t passes_before, passes_after;
static _Atomic size_t given;

static void check_place(void) {
    if (inversion.loop.in_pass)
        atomic_store(&in_pass, true);
}

static void later(uint64_t ms, callback *run) {
    executor->call_later(executor->self, ms * NS_PER_MS, run, NULL);
}

static void on_begin(void *unused, struct exchange *exchange) {
    (void)unused;
    check_place();
    kept[begun++] = exchange;
    if (begun == wanted)
        later(LATER_MS, then);
}

static void give_more(struct exchange *exchange);

static void on_room(void *unused, struct exchange *exchange) {
    (void)unused;
    check_place();
    atomic_fetch_add(&rooms, 1);
    give_more(exchange);
}

static void on_disconnect(void *unused, struct exchange *exchange) {
    (void)unused;
    (void)exchange;
    check_place();
    atomic_fetch_add(&disconnects, 1);
}

static void on_shutdown(void *unused) {
    (void)unused;
}

static const struct application application = {.begin = on_begin,
                                               .on_room = on_room,
                                               .disconnect = on_disconnect,
                                               .shutdown = on_shutdown};

/* Runs in the executor's first iteration. */
static void tell_port(void *unused) {
    struct sockaddr_in bound;
    socklen_t length = sizeof bound;
    (void)unused;
    getsockname(inversion.loop.listener, (struct sockaddr *)&bound, &length);
    atomic_store(&port, ntohs(bound.sin_port));
}

static void *serve(void *host) {
    executor->call_soon(executor->self, tell_port, NULL);
    inversion_run(&inversion, &options, executor, &application, &stop_at_once,
                  sweep_outbox_init(&outbox));
    c_executor_close(host);
    return NULL;
}

/* Serves on `host`, by its own functions or by `instead`. */
static void start_over(struct c_executor *host, const struct executor *instead) {
    cr_assert_not_null(host);
    cr_assert_not_null(freopen("/dev/null", "w", stdout)); /* "listening on ..." */
    executor = instead ? instead : c_executor_functions(host);
    cr_assert_eq(pthread_create(&server_thread, NULL, serve, host), 0);
    while (atomic_load(&port) == 0)
        sched_yield();
}

static void start(void (*what)(void *unused)) {
    then = what;
    start_over(c_executor_open(NULL, NULL), NULL);
}

static void stop(void) {
    cr_assert_eq(kill(getpid(), SIGTERM), 0);
    pthread_join(server_thread, NULL);
    cr_assert(!atomic_load(&in_pass), "the application ran inside a pass");
}

TestSuite(outside, .timeout = 300);

static uint64_t passes(void) {
    return inversion.loop.counters.passes;
}

static void count_passes_once_more(void *unused) {
    (void)unused;
    atomic_store(&passes_after, passes());
}

static void answer_all(void *unused) {
    (void)unused;
    atomic_store(&passes_before, passes());
    for (int i = 0; i < begun; i++)
        exchange_answer(kept[i], 200, "text/plain", "late", 4);
    later(LATER_MS, count_passes_once_more);
}

/* The answers come, and one pass has sent them all. */
static void burst(int clients) {
    static struct response response;
    int fds[SLOTS];
    wanted = clients;
    start(answer_all);
    for (int i = 0; i < clients; i++) {
        fds[i] = connect_to(atomic_load(&port));
        send_text(fds[i], ASK);
    }
    for (int i = 0; i < clients; i++) {
        read_response(fds[i], &response);
        cr_assert_str_eq(response.body, "late");
    }
    while (atomic_load(&passes_after) == 0)
        sched_yield();
    cr_assert_eq(atomic_load(&passes_after) - atomic_load(&passes_before), 1);
    stop();
}

Test(outside, an_answer_outside_a_pass_is_sent_by_one_pass) {
    burst(1);
}

Test(outside, answers_that_finish_together_are_sent_by_one_pass) {
    burst(200);
}

static void give_more(struct exchange *exchange) {
    static char bytes[10000];
    size_t so_far = atomic_load(&given), n = sizeof bytes, taken = n;
    while (so_far < LONG && taken == n) {
        n = LONG - so_far < sizeof bytes ? LONG - so_far : sizeof bytes;
        memset(bytes, 'a' + (int)(so_far / sizeof bytes % 26), n);
        taken = exchange_chunk(exchange, bytes, n, so_far + n < LONG);
        so_far += taken;
        if (taken < n)
            break;
    }
    atomic_store(&given, so_far);
    if (so_far == LONG)
        exchange_end(exchange);
}

static void give(void *unused) {
    (void)unused;
    exchange_start(kept[0], 200, NULL, 0, LONG);
    give_more(kept[0]);
}

static int client_of_little_room(void) {
    int small = 65536, fd = connect_to(atomic_load(&port));
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    return fd;
}

/* Waits until the application has come to rest: its output is full. */
static void wait_until_full(void) {
    size_t before;
    do {
        before = atomic_load(&given);
        poll(NULL, 0, 30);
    } while (before == 0 || atomic_load(&given) > before);
    cr_assert_lt(before, LONG);
}

/* Sequence: from a callback a write can't finish, so interest in writability is added;
 * the host sleeps, and has to be woken when the socket drains. */
Test(outside, a_write_that_could_not_finish_goes_on_when_the_client_reads) {
    static char got[65536], head[512];
    size_t all = 0;
    start(give);
    int fd = client_of_little_room();
    send_text(fd, ASK);
    wait_until_full();
    read_until(fd, "\r\n\r\n", head, sizeof head);
    while (all < LONG) {
        size_t want = LONG - all < sizeof got ? LONG - all : sizeof got;
        read_bytes(fd, got, want);
        all += want;
    }
    cr_assert_geq(atomic_load(&rooms), 2);
    stop();
}

/* Sequence: a timer shorter than the one the host sleeps for. The stall timeout starts
 * with an answer that was given outside a pass. */
Test(outside, a_deadline_that_an_outside_answer_brings_fires_in_time) {
    options.stall_timeout_ms = 150;
    start(give);
    int fd = client_of_little_room();
    uint64_t began = clock_now();
    send_text(fd, ASK);
    while (atomic_load(&disconnects) == 0) {
        cr_assert_lt(clock_now(), began + WAIT_MS * NS_PER_MS);
        sched_yield();
    }
    cr_assert_geq(clock_now() - began, (LATER_MS + 150) * NS_PER_MS);
    close(fd);
    stop();
}

/* Sequence: the nested descriptor is unwatched before it is closed. */
static struct executor careful;
static _Atomic int removed, removed_open;

static int remove_reader(void *self, int fd) {
    atomic_fetch_add(&removed, 1);
    if (fd == loop_fd(&inversion.loop) && fcntl(fd, F_GETFD) >= 0)
        atomic_fetch_add(&removed_open, 1);
    return c_executor_functions(self)->remove_reader(self, fd);
}

Test(outside, the_nested_descriptor_is_unwatched_before_it_is_closed) {
    struct c_executor *host = c_executor_open(NULL, NULL);
    careful = *c_executor_functions(host);
    careful.remove_reader = remove_reader;
    start_over(host, &careful);
    stop();
    cr_assert_eq(atomic_load(&removed), 1);
    cr_assert_eq(atomic_load(&removed_open), 1);
}
