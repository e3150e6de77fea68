/* What every server of hello does when its clients are many, rude or absent. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "02-readiness/test_support_backend.h"
#include "03-request/test_support_checks.h"

#define GET       "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define COUNT(of) (sizeof(of) / sizeof(of)[0])

static void bears_who_leaves(struct served *served) {
    static const char *const sent[] = {"", "GET / HT", GET, GET GET "GET /"};
    static const unsigned requests[] = {0, 0, 1, 2};
    for (size_t i = 0; i < 80; i++) {
        size_t kind = i / 2 % COUNT(sent);
        int client = client_of(served);
        send_text(client, sent[kind]);
        served->perhaps += requests[kind];
        if (i % 2)
            reset(client);
        else
            close(client);
    }
    int client = client_of(served);
    get(served, client, "/", 200, "hello\n");
    close(client);
}

static void serves_64_at_once(struct served *served) {
    int clients[64];
    for (int i = 0; i < 64; i++)
        clients[i] = client_of(served);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 64; i++)
            ask(clients[i], i % 2 ? "/" : "/no");
        for (int i = 63; i >= 0; i--)
            expect(served, clients[i], i % 2 ? 200 : 404, NULL);
    }
    for (int i = 0; i < 64; i++)
        close(clients[i]);
}

/* Sends up to `most` requests, or as many as the server takes; returns how many went
 * whole. */
static int ask_without_reading(int client, size_t most) {
    size_t length = strlen(GET), sent = 0;
    while (sent < length * most) {
        size_t from = sent % length;
        ssize_t n = send(client, &GET[from], length - from, MSG_DONTWAIT);
        if (n < 0)
            break;
        sent += (size_t)n;
    }
    return (int)(sent / length);
}

/* A client who asks without reading holds up itself alone, and gets all of it later. */
static void waits_for_who_reads_late(struct served *served) {
    enum { LINES = 6 }; /* of an answer: status, three fields, blank line, hello */
    static char bytes[1 << 16];
    int other = client_of(served), lines = 0;
    int eager = connect_narrowly(served->program.port);
    int asked = ask_without_reading(eager, 40000);
    for (int i = 0; i < 20; i++)
        get(served, other, "/", 200, "hello\n");
    expect_sleep(served); /* for the output is full: 28,000 answers filled it here */
    close(other);
    cr_assert(shutdown(eager, SHUT_WR) == 0);
    for (bool ended = false; !ended;) {
        cr_assert(readable_within(eager, WAIT_MS));
        ssize_t n = read(eager, bytes, sizeof bytes);
        cr_assert_geq(n, 0, "the connection was reset");
        ended = n == 0;
        for (ssize_t i = 0; i < n; i++)
            lines += bytes[i] == '\n';
    }
    cr_assert_eq(lines, asked * LINES, "%d lines for %d requests", lines, asked);
    served->answered += (uint64_t)asked;
    close(eager);
}

/* Connections that have nothing to say don't keep the server busy. */
static void sleeps_while_nobody_asks(struct served *served) {
    static const char *const sent[] = {"", "GET / HT", GET, "BREW / HTTP/1.1\r\n"};
    int clients[4 * COUNT(sent)];
    for (size_t i = 0; i < COUNT(clients); i++) {
        clients[i] = client_of(served);
        send_text(clients[i], sent[i % COUNT(sent)]);
        served->perhaps += i % COUNT(sent) == 2;
    }
    int other = client_of(served);
    get(served, other, "/", 200, "hello\n"); /* those before are dealt with now */
    expect_sleep(served);
    for (size_t i = 0; i < COUNT(clients); i++)
        close(clients[i]);
    close(other);
}

static void stops_with_clients_connected(struct served *served) {
    send_text(client_of(served), "");
    send_text(client_of(served), "GET / HT");
    get(served, client_of(served), "/", 200, "hello\n"); /* all three stay open */
}

/* All connect and ask at once. Those who find no place wait in the backlog, and each
 * who leaves makes room for one of them: the server neither spins nor drops anybody. */
static void serve_in_turn(struct served *served, int count) {
    static int clients[1200];
    for (int i = 0; i < count; i++) {
        clients[i] = client_of(served);
        ask(clients[i], "/");
    }
    for (int i = 0; i < count; i++) {
        expect(served, clients[i], 200, "hello\n");
        if (i == 0)
            expect_sleep(served);
        close(clients[i]);
    }
}

static void serves_more_than_it_has_slots(struct served *served) {
    allow_descriptors(1300);
    serve_in_turn(served, 1200);
}

static void serves_more_than_it_has_descriptors(struct served *served) {
    serve_in_turn(served, 200);
}

void check_crowd(const char *program, const char *backend) {
    static const struct check all[] = {
        {"bears who leaves", bears_who_leaves},
        {"serves 64 at once", serves_64_at_once},
        {"waits for who reads late", waits_for_who_reads_late},
        {"sleeps while nobody asks", sleeps_while_nobody_asks},
        {"serves more than it has slots", serves_more_than_it_has_slots},
        {"stops with clients connected", stops_with_clients_connected},
    };
    static const struct check few[] = {
        {"serves more than it has descriptors", serves_more_than_it_has_descriptors}};
    run_checks(program, backend, NULL, all, COUNT(all));
    program_descriptors(64);
    run_checks(program, backend, NULL, few, COUNT(few));
    program_descriptors(0);
}
