/* What every server does for clients who send a body: those who wait for a word before
 * they do, who send too much of it, or who don't take what they get back. */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "02-readiness/test_support_backend.h"
#include "03-request/conn.h"
#include "03-request/test_support_checks.h"
#include "03-request/test_support_memory.h"

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

static const char post[] = POST("Content-Length: 1048576\r\n");
static char body[BODY_MOST];

static void make_body(void) {
    for (size_t i = 0; i < sizeof body; i++)
        body[i] = (char)(i * 2654435761U >> 16);
}

/* A client who takes in little at once has sent a body of the largest size, and can
 * read the head of the answer. */
static int ask_for_a_mebibyte(const struct served *served) {
    static struct response response;
    int client = connect_narrowly(served->program.port);
    send_text(client, post);
    send_bytes(client, body, BODY_MOST);
    read_response_to_head(client, &response);
    cr_assert_eq(response.status, 200);
    cr_assert(strstr(response.head, "\r\nContent-Length: 1048576\r\n"));
    return client;
}

/* What a client who echoes body after body has sent of them, and has got back. */
struct echoing {
    int client;
    size_t sent, got; /* bytes of bodies */
    size_t left;      /* bytes of an answer's body that are still to come */
};

enum { ECHOES = 16 };
enum { POST_LENGTH = sizeof post - 1, REQUEST = POST_LENGTH + BODY_MOST };

/* Sends what the server takes now of the requests, which lie one behind the other. */
static void send_some(struct echoing *echoing) {
    for (ssize_t n = 0; n >= 0 && echoing->sent < (size_t)ECHOES * REQUEST;) {
        size_t at = echoing->sent % REQUEST;
        bool head = at < POST_LENGTH;
        n = send(echoing->client, head ? post + at : body + (at - POST_LENGTH),
                 head ? POST_LENGTH - at : REQUEST - at, MSG_DONTWAIT);
        cr_assert(n > 0 || errno == EAGAIN);
        echoing->sent += n > 0 ? (size_t)n : 0;
    }
}

/* Reads a piece of an answer, which has to be what was sent. */
static void read_some(struct echoing *echoing) {
    static char piece[PIECE];
    if (echoing->left == 0) {
        static struct response response;
        read_response_to_head(echoing->client, &response);
        cr_assert_eq(response.status, 200);
        cr_assert(strstr(response.head, "\r\nContent-Length: 1048576\r\n"));
        echoing->left = BODY_MOST;
    }
    size_t most = echoing->left < PIECE ? echoing->left : PIECE;
    ssize_t n = read(echoing->client, piece, most);
    cr_assert_gt(n, 0);
    cr_assert_eq(memcmp(piece, body + BODY_MOST - echoing->left, (size_t)n), 0);
    echoing->left -= (size_t)n;
    echoing->got += (size_t)n;
}

/* It reads a piece only when the server takes no more of what it sends: the server has
 * to stop reading then, too. It may keep a body and a full output, and no more. */
static void stays_small_while_a_client_reads_slowly(struct served *served) {
    enum { MOST_KB = 2048 };
    struct echoing echoing = {.client = connect_to(served->program.port)};
    int other = client_of(served), small = 65536;
    cr_assert(setsockopt(echoing.client, SOL_SOCKET, SO_RCVBUF, &small, sizeof small) ==
              0);
    make_body();
    get(served, other, "/", 200, "hello\n");
    unsigned long before = memory_peak_kb(served->program.pid);
    while (echoing.got < (size_t)ECHOES * BODY_MOST) {
        struct pollfd wait = {.fd = echoing.client, .events = POLLIN | POLLOUT};
        if (echoing.sent == (size_t)ECHOES * REQUEST)
            wait.events = POLLIN;
        cr_assert_gt(poll(&wait, 1, WAIT_MS), 0);
        if (wait.revents & POLLOUT)
            send_some(&echoing);
        else
            read_some(&echoing);
    }
    unsigned long grown = memory_peak_kb(served->program.pid) - before;
    cr_assert_leq(grown, (unsigned long)MOST_KB, "%lu KiB more", grown);
    served->answered += ECHOES;
    get(served, echoing.client, "/", 200, "hello\n");
    get(served, other, "/", 200, "hello\n");
    close(echoing.client);
    close(other);
}

/* Each is gone in the middle of an answer: what was kept for it goes, too. */
static void forgets_who_leaves_in_an_answer(struct served *served) {
    enum { LEAVERS = 12, MORE_KB = 3072 };
    int other = client_of(served);
    unsigned long before = memory_peak_kb(served->program.pid);
    for (int i = 0; i < LEAVERS; i++) {
        int client = ask_for_a_mebibyte(served);
        served->perhaps++;
        if (i % 2)
            reset(client);
        else
            close(client); /* what it hasn't read makes that a reset, too */
        get(served, other, "/", 200, "hello\n");
    }
    unsigned long grown = memory_peak_kb(served->program.pid) - before;
    cr_assert_leq(grown, (unsigned long)MORE_KB, "%lu KiB more after %d clients", grown,
                  LEAVERS);
    close(other);
}

void check_bodies(const char *program, const char *backend) {
    static const struct check all[] = {
        {"tells who waits to go on", tells_who_waits_to_go_on},
        {"answers who does not wait", answers_who_does_not_wait},
        {"tells no client of HTTP/1.0 to go on", tells_no_client_of_http10_to_go_on},
        {"says 413 to who goes on", says_413_to_who_goes_on},
        {"echoes who sends no more", echoes_who_sends_no_more},
        {"stays small while a client reads slowly",
         stays_small_while_a_client_reads_slowly},
        {"forgets who leaves in an answer", forgets_who_leaves_in_an_answer},
    };
    run_checks(program, backend, NULL, all, COUNT(all));
}
