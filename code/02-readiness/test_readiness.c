/* The program: one thread that serves many clients, whatever some of them do. */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "02-readiness/test_support_backend.h"

TestSuite(readiness, .timeout = 60);

#define ASK "GET / HTTP/1.1\r\n\r\n"

static struct program server;

static void start(const char *backend) {
    program_start(&server, "02-readiness", "--stats", "--backend", backend, NULL);
}

static void stop(void) {
    program_stop(&server);
    cr_assert_eq(server.status, 0);
}

/* Runs `body` against a server on each backend. */
static void (*served)(void);

static void serve(struct backend *backend, const char *name) {
    (void)backend;
    start(name);
    served();
    stop();
}

static void on_every_server(void (*body)(void)) {
    served = body;
    on_every_backend(serve);
}

static void expect_hello(int client) {
    struct response response;
    read_response(client, &response);
    cr_assert_eq(response.status, 200);
    cr_assert_str_eq(response.body, "hello\n");
}

static void expect_end(int client) {
    char more[16];
    cr_assert_eq(read_to_end(client, more, sizeof more), 0);
    close(client);
}

static void silent_clients(void) {
    int silent = connect_to(server.port), halfway = connect_to(server.port);
    send_text(halfway, "GET / HT");
    for (int i = 0; i < 10; i++) {
        int client = connect_to(server.port);
        send_text(client, ASK);
        expect_hello(client);
        close(client);
    }
    send_text(halfway, "TP/1.1\r\n\r\n");
    expect_hello(halfway);
    send_text(silent, ASK);
    expect_hello(silent);
    close(silent);
    close(halfway);
}

Test(readiness, who_says_nothing_stops_nobody) {
    on_every_server(silent_clients);
}

static void heads_in_pieces(void) {
    int client = connect_to(server.port);
    for (const char *byte = ASK "\r\r\n\r\n"; *byte; byte++)
        send_bytes(client, byte, 1);
    expect_hello(client);
    expect_hello(client); /* "\r\r\n\r\n" ends in a blank line, too */
    send_text(client, ASK ASK ASK "GET / HT");
    for (int i = 0; i < 3; i++)
        expect_hello(client);
    send_text(client, "TP/1.1\r\nHost: a\r\n\r");
    cr_assert_not(readable_within(client, 0), "the head isn't whole");
    send_text(client, "\n");
    expect_hello(client);
    close(client);
}

Test(readiness, heads_come_in_pieces_or_many_at_once) {
    on_every_server(heads_in_pieces);
}

static void half_closes(void) {
    int client = connect_to(server.port);
    send_text(client, ASK ASK "GET / HT");
    cr_assert(shutdown(client, SHUT_WR) == 0);
    expect_hello(client);
    expect_hello(client);
    expect_end(client);
    client = connect_to(server.port);
    cr_assert(shutdown(client, SHUT_WR) == 0);
    expect_end(client);
}

Test(readiness, who_sends_no_more_is_answered_still) {
    on_every_server(half_closes);
}

/* Sends heads until the server takes no more; returns how many bytes went. */
static size_t flood(int client) {
    static char heads[64 * (sizeof ASK - 1)];
    for (size_t i = 0; i < sizeof heads; i += sizeof ASK - 1)
        memcpy(heads + i, ASK, sizeof ASK - 1);
    size_t sent = 0, from = 0, most = 16 << 20;
    struct pollfd room = {.fd = client, .events = POLLOUT};
    while (sent < most && poll(&room, 1, 100) > 0) {
        ssize_t n = send(client, heads + from, sizeof heads - from, MSG_DONTWAIT);
        cr_assert_gt(n, 0);
        sent += (size_t)n;
        from = (from + (size_t)n) % sizeof heads;
    }
    return sent;
}

/* What one read of 4,096 bytes can add to the 64 answers that may be due before it. */
enum { OWED_MOST = 64 + 4096 / (sizeof ASK - 1) + 1 };

Test(readiness, who_asks_without_reading_is_left_unread) {
    static const char *const backends[] = {"epoll", "kqueue", "poll"};
    for (size_t i = 0; i < 3; i++) {
        if (!has_backend(backends[i]))
            continue;
        start(backends[i]);
        int eager = connect_narrowly(server.port), other = connect_to(server.port);
        flood(eager);
        for (int j = 0; j < 10; j++) {
            send_text(other, ASK);
            expect_hello(other);
        }
        stop();
        uint64_t requests = json_number(server.output, "requests");
        uint64_t responses = json_number(server.output, "responses");
        cr_assert_leq(requests - responses, OWED_MOST, "%s", server.output);
        close(eager);
        close(other);
    }
}

static void reads_late(void) {
    static char bytes[1 << 16];
    int client = connect_narrowly(server.port);
    size_t asked = flood(client) / (sizeof ASK - 1), lines = 0;
    cr_assert(shutdown(client, SHUT_WR) == 0);
    for (ssize_t n = 1; n > 0;) {
        cr_assert(readable_within(client, WAIT_MS));
        n = read(client, bytes, sizeof bytes);
        cr_assert_geq(n, 0, "the connection was reset");
        for (ssize_t i = 0; i < n; i++)
            lines += bytes[i] == '\n';
    }
    cr_assert_eq(lines, 5 * asked, "%zu lines for %zu requests", lines, asked);
    close(client);
}

Test(readiness, who_reads_late_gets_every_answer) {
    on_every_server(reads_late);
}

static void leave_early(void) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    static const char *const sent[] = {"", "GET / HT", ASK, ASK ASK ASK};
    for (int i = 0; i < 80; i++) {
        int client = connect_to(server.port);
        send_text(client, sent[i / 2 % 4]);
        if (i % 2)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(client);
    }
    int client = connect_to(server.port);
    send_text(client, ASK);
    expect_hello(client);
    close(client);
}

Test(readiness, who_leaves_in_the_middle_harms_nobody) {
    on_every_server(leave_early);
}

/* All connect and ask at once; who was there first is served first, and its leaving
 * makes room for who waits. */
static void serve_in_turn(int count) {
    static int clients[1200];
    for (int i = 0; i < count; i++) {
        clients[i] = connect_to(server.port);
        send_text(clients[i], ASK);
    }
    for (int i = 0; i < count; i++) {
        expect_hello(clients[i]);
        close(clients[i]);
    }
}

static void more_than_slots(void) {
    serve_in_turn(1200);
}

Test(readiness, more_clients_than_slots_are_served_in_turn) {
    allow_descriptors(1300);
    on_every_server(more_than_slots);
}

static void more_than_descriptors(void) {
    int first = connect_to(server.port);
    send_text(first, ASK);
    expect_hello(first);
    serve_in_turn(200);
    send_text(first, ASK); /* it was in nobody's way and nobody in its */
    expect_hello(first);
    close(first);
}

Test(readiness, more_clients_than_descriptors_are_served_in_turn) {
    program_descriptors(64);
    on_every_server(more_than_descriptors);
}

Test(readiness, sleeps_while_it_can_accept_nobody) {
    static const char *const backends[] = {"epoll", "kqueue", "poll"};
    enum { CLIENTS = 200, HELD_MS = 300, PASSES_MOST = 2000 };
    program_descriptors(64);
    for (size_t i = 0; i < 3; i++) {
        int clients[CLIENTS];
        if (!has_backend(backends[i]))
            continue;
        start(backends[i]);
        for (int j = 0; j < CLIENTS; j++)
            clients[j] = connect_to(server.port);
        poll(NULL, 0, HELD_MS); /* a loop that spins makes 100,000 passes of it */
        stop();
        cr_assert_lt(json_number(server.output, "passes"), PASSES_MOST, "%s",
                     server.output);
        for (int j = 0; j < CLIENTS; j++)
            close(clients[j]);
    }
}

static void clients_stay(void) {
    static const char *const sent[] = {"", "GET / HT", ASK};
    for (int i = 0; i < 30; i++) /* they are closed when the test ends */
        send_text(connect_to(server.port), sent[i % 3]);
}

Test(readiness, stops_with_clients_connected) {
    on_every_server(clients_stay);
}

Test(readiness, what_can_not_be_had_is_one_line_and_exit_2) {
    static const char *const cases[][2] = {
        {"--port", "65536"},     {"--port", "x"},       {"--port", NULL},
        {"--backend", ""},       {"--backend", "epol"}, {"--backend", "select"},
        {"--host", "192.0.2.1"}, {"--prot", "1"},       {"8080", NULL},
        {"--stats=1", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct program program;
        program_run(&program, "02-readiness", cases[i][0], cases[i][1], NULL);
        cr_assert_eq(program.status, 2, "%s %s: %d", cases[i][0], cases[i][1],
                     program.status);
        cr_assert_str_eq(program.output, "");
        cr_assert_eq(strchr(program.errors, '\n') + 1, strchr(program.errors, '\0'),
                     "%s", program.errors);
        if (!strcmp(cases[i][0], "--backend"))
            cr_assert(strstr(program.errors, "poll"), "what it has: %s",
                      program.errors);
    }
}

static void taken_port(void) {
    struct program second;
    char port[16];
    snprintf(port, sizeof port, "%d", server.port);
    program_run(&second, "02-readiness", "--port", port, NULL);
    cr_assert_eq(second.status, 2);
    cr_assert(strstr(second.errors, port) && strstr(second.errors, "--port"));
}

Test(readiness, a_port_in_use_is_one_line_and_exit_2) {
    on_every_server(taken_port);
}
