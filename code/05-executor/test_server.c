/* The executor's own server, from the inside: long answers, and clients who leave. */
#include "05-executor/test_bench.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "00-ground/test_support.h"
#include "02-readiness/listener.h"
#include "03-request/test_support_long.h"
#include "05-executor/server.h"

TestSuite(server, .timeout = 300);

#define ASK "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

enum { KERNEL = 512 * 1024 };

static struct server server;
static int port, begun, rooms, disconnects;
static bool keeps; /* the application keeps the exchange, or gives a long answer */
static struct exchange *kept;

static void on_begin(void *unused, struct exchange *exchange) {
    (void)unused;
    begun++;
    kept = exchange;
    if (!keeps)
        long_give(exchange);
}

static void on_room(void *unused, struct exchange *exchange) {
    (void)unused;
    rooms++;
    long_give_more(exchange);
}

static void on_disconnect(void *unused, struct exchange *exchange) {
    (void)unused;
    (void)exchange;
    disconnects++;
}

static const struct application application = {
    .begin = on_begin, .on_room = on_room, .disconnect = on_disconnect};

static void start(bool keep) {
    const struct http http = {.parse = parse_plain,
                              .head_timeout = NS_PER_S * 60,
                              .idle_timeout = NS_PER_S * 60,
                              .stall_timeout = NS_PER_S * 60};
    struct sockaddr_in bound;
    socklen_t length = sizeof bound;
    memset(&server, 0, sizeof server);
    begun = rooms = disconnects = 0;
    long_given = 0;
    keeps = keep;
    cr_assert_not_null(freopen("/dev/null", "w", stdout)); /* "listening on ..." */
    server_start(&server, bench.c, listener_open("127.0.0.1", 0), http, &application);
    cr_assert_eq(getsockname(server.listener, (struct sockaddr *)&bound, &length), 0);
    port = ntohs(bound.sin_port);
}

/* Lets the executor run until `condition` holds, which is looked at between its
 * iterations. */
#define RUN_UNTIL(condition)                                                           \
    for (uint64_t end_ = clock_now() + WAIT_MS * NS_PER_MS; !(condition);) {           \
        cr_assert_lt(clock_now(), end_, "never came: " #condition);                    \
        later(1, run_stop, NULL);                                                      \
        run();                                                                         \
    }

static int slots_in_use(void) {
    return SLOTS - server.slots.free_count;
}

static int client(void) {
    int fd = connect_to(port), in_use = slots_in_use();
    RUN_UNTIL(slots_in_use() > in_use);
    return fd;
}

static int client_of_little_room(void) {
    int fd = client(), small = 65536;
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    cr_assert_eq(
        setsockopt(server.sockets[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    return fd;
}

static void reset(int fd) {
    struct linger none = {.l_onoff = 1};
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
    close(fd);
}

EACH_BACKEND(server, a_slow_reader_gets_every_byte_and_little_lies_waiting) {
    static char got[LONG];
    char head[512];
    start(false);
    int fd = client_of_little_room();
    send_text(fd, ASK);
    RUN_UNTIL(readable_within(fd, 0));
    read_until(fd, "\r\n\r\n", head, sizeof head);
    uint64_t events = server.counters.events;
    for (size_t have = 0; have < LONG;) {
        RUN_UNTIL(readable_within(fd, 0));
        ssize_t n = read(fd, got + have, LONG - have < 20000 ? LONG - have : 20000);
        cr_assert_gt(n, 0);
        have += (size_t)n;
        cr_assert_leq(long_given - have, OUTPUT_MOST + KERNEL);
    }
    cr_assert(!memcmp(got, long_content, LONG));
    cr_assert_geq(rooms, 2);
    cr_assert_gt(server.counters.events, events, "that there is room is an event");
    RUN_UNTIL(server.counters.responses == 1);
    close(fd);
    RUN_UNTIL(slots_in_use() == 0);
    server_close(&server);
}

EACH_BACKEND(server, a_reset_in_a_stream_is_heard_of_and_frees_the_slot_at_its_end) {
    start(false);
    int fd = client_of_little_room();
    send_text(fd, ASK);
    RUN_UNTIL(begun == 1);
    cr_assert_lt(long_given, LONG);
    reset(fd);
    RUN_UNTIL(long_given == LONG);
    RUN_UNTIL(slots_in_use() == 0);
    cr_assert_eq(disconnects, 1);
    cr_assert_eq(server.counters.responses, 0);
    server_close(&server);
}

EACH_BACKEND(server, an_exchange_that_outlives_its_connection_keeps_its_slot) {
    start(true);
    int fd = client();
    send_text(fd, ASK);
    RUN_UNTIL(begun == 1);
    struct exchange *first = kept;
    reset(fd);
    RUN_UNTIL(disconnects == 1);
    int next = client();
    send_text(next, ASK);
    RUN_UNTIL(begun == 2);
    cr_assert_neq(kept->slot, first->slot);
    exchange_answer(first, 200, "text/plain", "for nobody", 10);
    RUN_UNTIL(slots_in_use() == 1);
    exchange_answer(kept, 200, "text/plain", "mine", 4);
    static struct response response;
    RUN_UNTIL(readable_within(next, 0));
    read_response(next, &response);
    cr_assert_str_eq(response.body, "mine");
    close(next);
    server_close(&server);
}

EACH_BACKEND(server, who_closes_its_side_is_reported_once_and_answered) {
    static struct response response;
    char nothing[2];
    start(true);
    int fd = client();
    send_text(fd, ASK);
    RUN_UNTIL(begun == 1);
    cr_assert_eq(shutdown(fd, SHUT_WR), 0);
    RUN_UNTIL(disconnects == 1);
    uint64_t events = server.counters.events;
    for (int i = 0; i < 10; i++) {
        later(1, run_stop, NULL);
        run();
    }
    cr_assert_eq(server.counters.events, events, "it doesn't spin");
    cr_assert_eq(disconnects, 1);
    exchange_answer(kept, 200, "text/plain", "still", 5);
    RUN_UNTIL(readable_within(fd, 0));
    read_response(fd, &response);
    cr_assert_str_eq(response.body, "still");
    cr_assert_eq(read_to_end(fd, nothing, sizeof nothing), 0);
    cr_assert_eq(slots_in_use(), 0);
    close(fd);
    server_close(&server);
}

EACH_BACKEND(server, closing_it_closes_every_descriptor) {
    enum { CLIENTS = 10 };
    int at_first = open_descriptors();
    start(true);
    for (int i = 0; i < CLIENTS; i++)
        send_text(client(), i % 2 ? ASK : "GET /");
    RUN_UNTIL(begun == CLIENTS / 2);
    server_close(&server);
    cr_assert_eq(open_descriptors(), at_first + CLIENTS);
}
