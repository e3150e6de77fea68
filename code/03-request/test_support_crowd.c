/* What every server of hello does when its clients are many, rude or absent. */
#include <criterion/criterion.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
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

/* A client on a thread of its own, who sends `head`, then `block` over and over, and
 * reads what comes, until it is told to stop. It looks at nothing: whether the others
 * are served is the question. */
struct flood {
    const char *head, *block;
    int client;
    pthread_t thread;
    _Atomic size_t sent, got; /* bytes */
    _Atomic bool stop;
};

static void *send_without_end(void *argument) {
    static char into[1 << 16];
    struct flood *flood = argument;
    size_t head = strlen(flood->head), length = strlen(flood->block);
    while (!atomic_load(&flood->stop)) {
        struct pollfd wait = {.fd = flood->client, .events = POLLIN | POLLOUT};
        poll(&wait, 1, 100);
        size_t sent = atomic_load(&flood->sent);
        size_t at = sent < head ? sent : (sent - head) % length;
        const char *from = sent < head ? flood->head : flood->block;
        ssize_t n = send(flood->client, from + at, strlen(from) - at, MSG_DONTWAIT);
        atomic_store(&flood->sent, sent + (n > 0 ? (size_t)n : 0));
        n = recv(flood->client, into, sizeof into, MSG_DONTWAIT);
        atomic_fetch_add(&flood->got, n > 0 ? (size_t)n : 0);
    }
    return NULL;
}

/* One who never stops asking, and one who never stops sending a body, not even after
 * its 413: each gets its turns, and no more. */
static void serves_others_beside_who_sends_without_end(struct served *served) {
    static const char post[] = "POST /echo HTTP/1.1\r\nHost: a\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    static char asks[2000 * sizeof GET], chunks[2000 * 42];
    struct flood floods[] = {{.head = GET, .block = asks},
                             {.head = post, .block = chunks}};
    for (char *at = asks; at < asks + sizeof asks - sizeof GET; at += strlen(at))
        strcpy(at, GET);
    for (char *at = chunks; at < chunks + sizeof chunks - 42; at += strlen(at))
        strcpy(at, "0000000000000016\r\n0123456789012345678901\r\n");
    for (size_t i = 0; i < COUNT(floods); i++) {
        struct flood *flood = &floods[i];
        flood->client = client_of(served);
        cr_assert_eq(pthread_create(&flood->thread, NULL, send_without_end, flood), 0);
        for (int asked = 0; asked < 20 || atomic_load(&flood->got) == 0; asked++) {
            int other = client_of(served);
            get(served, other, "/", 200, "hello\n");
            get(served, other, "/no", 404, NULL);
            close(other);
        }
        atomic_store(&flood->stop, true);
        pthread_join(flood->thread, NULL);
        served->perhaps += i == 0 ? 1 + atomic_load(&flood->sent) / strlen(GET) : 1;
        reset(flood->client);
    }
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
        {"serves others beside who sends without end",
         serves_others_beside_who_sends_without_end},
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
