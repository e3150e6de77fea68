/* ANCHOR: before */
#include "11-stepped/stress_conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/descriptor.h"
#include "00-ground/error.h"

static void expect_answer(struct stress_conn *conn) {
    answer_begin(&conn->answer, false);
    answer_copy_body(&conn->answer, conn->body, sizeof conn->body);
}

bool stress_conn_open(struct stress_conn *conn, int port, uint64_t number,
                      const struct stress_round *round) {
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        die("can't make a socket: %s", strerror(errno));
    int on = 1; /* the second half of a request doesn't wait for the first one's ACK */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    *conn = (struct stress_conn){.fd = fd, .number = number};
    conn->young = stress_stopped(round);
    expect_answer(conn);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        descriptor_prepare(fd) == 0)
        return true;
    stress_conn_close(conn);
    return false;
}

/* The body of an /echo: its word again and again, `asked->number` bytes. */
static void write_words(char *into, const struct stress_asked *asked) {
    size_t word = strlen(asked->word);
    for (size_t i = 0; i < asked->number; i++)
        into[i] = asked->word[i % word];
}

void stress_conn_ask(struct stress_conn *conn, bool slow, uint64_t number) {
    if (stress_conn_idle(conn)) {
        conn->asks = conn->answers = 0;
        conn->out_end = conn->out_sent = conn->out_held = 0;
    }
    struct stress_asked *asked = &conn->asked[conn->asks++];
    *asked = (struct stress_asked){slow, number, .begins = conn->out_end};
    snprintf(asked->word, sizeof asked->word, "<%" PRIu64 "-%" PRIu64 ">", conn->number,
             conn->words++);
    char *at = conn->out + conn->out_end;
    size_t room = sizeof conn->out - conn->out_end;
    int n = slow ? snprintf(at, room, "GET /slow?ms=%" PRIu64 " HTTP/1.1\r\n", number)
                 : snprintf(at, room,
                            "POST /echo HTTP/1.1\r\nContent-Length: %" PRIu64 "\r\n",
                            number);
    n += snprintf(at + n, room - (size_t)n, "Host: stress\r\n\r\n");
    if (!slow)
        write_words(at + n, asked);
    conn->out_end += (size_t)n + (slow ? 0 : number);
    conn->out_held = conn->out_end;
}

bool stress_conn_idle(const struct stress_conn *conn) {
    return conn->answers == conn->asks;
}

/* "connection 7, POST /echo <7-2> sent 12 ms before SIGTERM" */
static const char *describe(const struct stress_conn *conn,
                            const struct stress_asked *asked,
                            const struct stress_round *round) {
    static char text[160];
    char when[60] = "";
    if (stress_stopped(round))
        snprintf(when, sizeof when, " sent %" PRIu64 " ms %s SIGTERM",
                 asked->owed ? stress_ms(asked->sent, round->stop)
                             : stress_ms(round->stop, asked->sent),
                 asked->owed ? "before" : "after");
    snprintf(text, sizeof text, "connection %" PRIu64 ", %s %s%s", conn->number,
             asked->slow ? "GET /slow" : "POST /echo", asked->word, when);
    return text;
}
/* ANCHOR_END: before */

/* ANCHOR: judge */
/* The server has ended the connection: what had it still to answer? */
static void judge_requests(const struct stress_conn *conn, struct stress_round *round,
                           bool reset, uint64_t now) {
    bool half = conn->answer.bytes > 0;
    for (unsigned i = conn->answers; i < conn->asks; i++) {
        const struct stress_asked *asked = &conn->asked[i];
        if (!asked->sent)
            continue; /* it can't have read a byte of this one, or of the rest */
        if (asked->owed && !reset && stress_past_budget(round, now))
            round->cut++;
        else if (!asked->owed && !half)
            round->refused++; /* it crossed the server's end of an idle connection */
        else
            stress_fault(round, "%s: %s %s", describe(conn, asked, round),
                         reset ? "reset" : "closed",
                         half ? "in the middle of the answer" : "without an answer");
        half = false;
    }
}
/* ANCHOR_END: judge */

/* ANCHOR: after */
/* Nothing was asked: was that an end which a client can see without harm? */
static void judge_idle(const struct stress_conn *conn, struct stress_round *round,
                       bool reset, uint64_t now) {
    bool stopped = stress_stopped(round);
    if (reset && !conn->young)
        stress_fault(round, "connection %" PRIu64 ": reset while it was idle",
                     conn->number);
    else if (!stopped && !conn->closing)
        stress_fault(round, "connection %" PRIu64 ": closed, and no answer said so",
                     conn->number);
    else if (stopped && !conn->closing && stress_ms(round->stop, now) > LATE_MS)
        stress_fault(round,
                     "connection %" PRIu64 ": idle, and closed only %" PRIu64
                     " ms after SIGTERM",
                     conn->number, stress_ms(round->stop, now));
}

static bool try_again(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Notes when a request's first byte goes: from then on somebody may read it. Returns 0,
 * or the error that ended the connection. */
static int give(struct stress_conn *conn, const struct stress_round *round,
                uint64_t now) {
    while (conn->out_sent < conn->out_held) {
        ssize_t n = send(conn->fd, conn->out + conn->out_sent,
                         conn->out_held - conn->out_sent, 0);
        if (n < 0)
            return try_again() ? 0 : errno;
        conn->out_sent += (size_t)n;
        for (unsigned i = conn->answers; i < conn->asks; i++) {
            struct stress_asked *asked = &conn->asked[i];
            if (asked->sent || conn->out_sent <= asked->begins)
                continue;
            asked->sent = now;
            asked->owed = !stress_stopped(round);
        }
    }
    return 0;
}

/* Is the answer what this request has to get? */
static bool is_its_own(const struct stress_conn *conn,
                       const struct stress_asked *asked) {
    char expected[BODY_MOST];
    size_t length = asked->number;
    if (asked->slow)
        length = (size_t)snprintf(expected, sizeof expected, "slept %" PRIu64 " ms\n",
                                  asked->number);
    else
        write_words(expected, asked);
    return conn->answer.status == 200 && conn->answer.body == length &&
           !memcmp(conn->body, expected, length);
}

/* How many of `length` bytes a fault shows. */
static int shown(uint64_t length) {
    return length < 40 ? (int)length : 40;
}

static void check_answer(struct stress_conn *conn, struct stress_round *round,
                         uint64_t now) {
    const struct answer *answer = &conn->answer;
    const struct stress_asked *asked = &conn->asked[conn->answers++];
    uint64_t took = stress_ms(asked->sent, now);
    conn->closing |= !answer->keep_alive;
    if (!is_its_own(conn, asked))
        stress_fault(round, "%s: not its own answer, but %d and '%.*s'",
                     describe(conn, asked, round), answer->status, shown(answer->body),
                     conn->body);
    else if (took > LATE_MS + (asked->slow ? asked->number : 0))
        stress_fault(round, "%s: answered only %" PRIu64 " ms later",
                     describe(conn, asked, round), took);
    else
        round->answered++;
    expect_answer(conn);
}

/* Takes `n` bytes that have come. False after a fault that leaves nothing to go on with.
 * An answer that only the end of input would end never gets whole here: half of it would
 * look the same. */
static bool take_answers(struct stress_conn *conn, const char *bytes, size_t n,
                         struct stress_round *round, uint64_t now) {
    while (n > 0) {
        bool asked = !stress_conn_idle(conn) && conn->asked[conn->answers].sent;
        size_t used = 0;
        enum answer_result result =
            asked ? answer_take(&conn->answer, bytes, n, &used) : ANSWER_BAD;
        if (result == ANSWER_BAD || conn->answer.body > BODY_MOST) {
            stress_fault(round, "connection %" PRIu64 ": %s: '%.*s'", conn->number,
                         !asked                 ? "nobody asked for this"
                         : result == ANSWER_BAD ? "this isn't HTTP"
                                                : "nobody asked for so much",
                         shown(n), bytes);
            return false;
        }
        if (result == ANSWER_WHOLE)
            check_answer(conn, round, now);
        bytes += used;
        n -= used;
    }
    return true;
}

bool stress_conn_move(struct stress_conn *conn, struct stress_round *round,
                      uint64_t now) {
    char bytes[16384];
    int broken = give(conn, round, now);
    ssize_t n = 1;
    while (n > 0) { /* to the end: what came before a reset may still lie there */
        n = recv(conn->fd, bytes, sizeof bytes, 0);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n < 0 && try_again() && !broken)
            return true;
        else if (n <= 0)
            (stress_conn_idle(conn) ? judge_idle : judge_requests)(
                conn, round, n < 0 || broken == ECONNRESET, now);
        else if (!take_answers(conn, bytes, (size_t)n, round, now))
            n = 0;
    }
    stress_conn_close(conn);
    return false;
}

void stress_conn_close(struct stress_conn *conn) {
    close(conn->fd);
    conn->fd = -1;
}

void stress_conn_reset(struct stress_conn *conn, struct stress_round *round) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0}; /* socket(7) */
    if (setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) != 0)
        die("can't set SO_LINGER: %s", strerror(errno));
    for (unsigned i = conn->answers; i < conn->asks; i++)
        if (conn->asked[i].sent)
            round->abandoned++;
    stress_conn_close(conn);
}

void stress_conn_hung(struct stress_conn *conn, struct stress_round *round,
                      uint64_t now) {
    for (unsigned i = conn->answers; i < conn->asks; i++) {
        const struct stress_asked *asked = &conn->asked[i];
        if (asked->sent)
            stress_fault(round, "%s: still not answered %" PRIu64 " ms later",
                         describe(conn, asked, round), stress_ms(asked->sent, now));
    }
    if (stress_conn_idle(conn))
        stress_fault(round, "connection %" PRIu64 ": idle, and never closed",
                     conn->number);
    stress_conn_close(conn);
}
/* ANCHOR_END: after */
