/* What every server does for clients who send a body: those who wait for a word before
 * they do, who send too much of it, or who don't take what they get back. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "02-readiness/test_support_backend.h"
#include "03-request/conn.h"
#include "03-request/test_support_checks.h"

#define COUNT(of)    (sizeof(of) / sizeof(of)[0])
#define POST(fields) "POST /echo HTTP/1.1\r\nHost: a\r\n" fields "\r\n"
#define EXPECT       "Expect: 100-continue\r\n"
#define GO_ON        "HTTP/1.1 100 Continue\r\n\r\n"

static void tells_who_waits_to_go_on(struct served *served) {
    char word[sizeof GO_ON];
    int client = client_of(served);
    for (int i = 0; i < 2; i++) {
        send_text(client, POST("Content-Length: 5\r\n" EXPECT));
        read_bytes(client, word,
                   sizeof word - 1); /* nothing else would bring the body */
        word[sizeof word - 1] = '\0';
        cr_assert_str_eq(word, GO_ON);
        send_text(client, "he");
        send_text(client, "llo");
        expect(served, client, 200, "hello");
    }
    get(served, client, "/", 200, "hello\n");
    close(client);
}

/* The word may come or not, but once at most. */
static void answers_who_does_not_wait(struct served *served) {
    static struct response response;
    int client = client_of(served);
    send_text(client, POST("Content-Length: 5\r\n" EXPECT) "hello");
    read_response_to_head(client, &response);
    if (response.status == 100)
        read_response_to_head(client, &response);
    cr_assert_eq(response.status, 200);
    read_bytes(client, response.body, 5);
    cr_assert_eq(memcmp(response.body, "hello", 5), 0);
    served->answered++;
    get(served, client, "/", 200, "hello\n");
    close(client);
}

static void tells_no_client_of_http10_to_go_on(struct served *served) {
    int client = client_of(served), other = client_of(served);
    send_text(client, "POST /echo HTTP/1.0\r\nContent-Length: 5\r\n" EXPECT "\r\n");
    get(served, other, "/", 200, "hello\n");
    get(served, other, "/", 200, "hello\n"); /* the head has been read by now */
    cr_assert(!readable_within(client, 0));
    send_text(client, "hello");
    expect(served, client, 200, "hello");
    expect_end(client);
    close(other);
}

enum { BODY_SENT = 3 * BODY_MOST, PIECE = 65536 };

/* The body goes on for long after the 413: a server that closed would reset the
 * connection, and the client would never see why. */
static void says_413_to_who_goes_on(struct served *served) {
    static const char *const heads[] = {
        POST("Content-Length: 3145728\r\n"),
        POST("Content-Length: 3145728\r\n" EXPECT),
        POST("Transfer-Encoding: chunked\r\n"),
    };
    static char piece[PIECE + 16];
    for (size_t i = 0; i < COUNT(heads); i++) {
        static struct response response;
        bool chunked = strstr(heads[i], "chunked");
        int client = client_of(served), start = chunked ? 7 : 0;
        memset(piece, 'm', sizeof piece);
        memcpy(piece, "10000\r\n", (size_t)start);
        memcpy(piece + start + PIECE, "\r\n", 2);
        send_text(client, heads[i]);
        for (int sent = 0; sent < BODY_SENT; sent += PIECE)
            send_bytes(client, piece, (size_t)(PIECE + start + (chunked ? 2 : 0)));
        read_response(client, &response);
        cr_assert_eq(response.status, 413, "%d: %s", response.status, heads[i]);
        cr_assert(strstr(response.head, "\r\nConnection: close\r\n"));
        served->perhaps++;
        expect_end(client);
    }
}

static void echoes_who_sends_no_more(struct served *served) {
    int client = client_of(served);
    send_text(client, POST("Content-Length: 5\r\n") "hello");
    send_text(client, POST("Transfer-Encoding: chunked\r\n") "2\r\nhi\r\n0\r\n\r\n");
    cr_assert(shutdown(client, SHUT_WR) == 0);
    expect(served, client, 200, "hello");
    expect(served, client, 200, "hi");
    expect_end(client);
}

/* The most memory that the server has had at once, in KiB (proc(5)). 0 if the system
 * doesn't say, or if a sanitizer's memory is in it too. */
static unsigned long peak_kb(const struct served *served) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    (void)served;
    return 0;
#else
    char path[64], line[256];
    unsigned long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)served->program.pid);
    FILE *file = fopen(path, "re");
    while (file && kb == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lu kB", &kb) != 1)
            kb = 0;
    if (file)
        fclose(file);
    return kb;
#endif
}

static char byte_at(int client, size_t at) {
    return (char)((size_t)client * 41 + at * 2654435761U / 65536);
}

/* A client who takes in little at once has sent a body of the largest size, and can
 * read the head of the answer. */
static int ask_for_a_mebibyte(const struct served *served, int number) {
    static char body[BODY_MOST];
    static struct response response;
    int client = connect_narrowly(served->program.port);
    for (size_t i = 0; i < sizeof body; i++)
        body[i] = byte_at(number, i);
    send_text(client, POST("Content-Length: 1048576\r\n"));
    send_bytes(client, body, sizeof body);
    read_response_to_head(client, &response);
    cr_assert_eq(response.status, 200);
    cr_assert(strstr(response.head, "\r\nContent-Length: 1048576\r\n"));
    return client;
}

/* Each reads a piece and then waits for all the others, and for somebody else to be
 * served. The server may keep a body and one full output for each, and no more. */
static void stays_small_while_clients_read_slowly(struct served *served) {
    enum { CLIENTS = 8, MORE_KB = 2048 };
    static char piece[PIECE];
    int clients[CLIENTS], other = client_of(served);
    get(served, other, "/", 200, "hello\n");
    unsigned long before = peak_kb(served);
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = ask_for_a_mebibyte(served, i);
    for (size_t at = 0; at < BODY_MOST; at += PIECE) {
        for (int i = 0; i < CLIENTS; i++) {
            read_bytes(clients[i], piece, PIECE);
            for (size_t j = 0; j < PIECE; j++)
                cr_assert_eq(piece[j], byte_at(i, at + j), "client %d, byte %zu", i,
                             at + j);
        }
        get(served, other, "/", 200, "hello\n");
    }
    for (int i = 0; i < CLIENTS; i++) {
        served->answered++;
        get(served, clients[i], "/", 200, "hello\n");
        close(clients[i]);
    }
    unsigned long grown = peak_kb(served) - before;
    cr_assert_leq(grown, CLIENTS * (BODY_MOST + sizeof(struct conn)) / 1024 + MORE_KB,
                  "%lu KiB more for %d clients", grown, CLIENTS);
    close(other);
}

/* Each is gone in the middle of an answer: what was kept for it goes, too. */
static void forgets_who_leaves_in_an_answer(struct served *served) {
    enum { LEAVERS = 24, MORE_KB = 8192 };
    int other = client_of(served);
    unsigned long before = peak_kb(served);
    for (int i = 0; i < LEAVERS; i++) {
        int client = ask_for_a_mebibyte(served, i);
        served->perhaps++;
        if (i % 2)
            reset(client);
        else
            close(client); /* what it hasn't read makes that a reset, too */
        get(served, other, "/", 200, "hello\n");
    }
    unsigned long grown = peak_kb(served) - before;
    cr_assert_leq(grown, (unsigned long)MORE_KB, "%lu KiB more after %d clients", grown,
                  LEAVERS);
    close(other);
}

/* The idle timeout that began before a request doesn't end it: a client who connects
 * and is answered later, and then asks nothing, is closed before. */
static void a_timeout_of_before_ends_nothing(struct served *served) {
    int busy = client_of(served), idle = client_of(served);
    get(served, busy, "/", 200, "hello\n");
    get(served, idle, "/", 200, "hello\n");
    send_text(busy, POST("Content-Length: 5\r\n"));
    expect_end(idle);
    send_text(busy, "hello");
    expect(served, busy, 200, "hello");
    close(busy);
}

void check_bodies(const char *program, const char *backend) {
    static const struct check all[] = {
        {"tells who waits to go on", tells_who_waits_to_go_on},
        {"answers who does not wait", answers_who_does_not_wait},
        {"tells no client of HTTP/1.0 to go on", tells_no_client_of_http10_to_go_on},
        {"says 413 to who goes on", says_413_to_who_goes_on},
        {"echoes who sends no more", echoes_who_sends_no_more},
        {"stays small while clients read slowly",
         stays_small_while_clients_read_slowly},
        {"forgets who leaves in an answer", forgets_who_leaves_in_an_answer},
    };
    static const struct check idle[] = {
        {"a timeout of before ends nothing", a_timeout_of_before_ends_nothing}};
    run_checks(program, backend, NULL, all, COUNT(all));
    run_checks(program, backend, "--idle-timeout-ms=150", idle, COUNT(idle));
}
