/* The connection: requests in, answers out, in order and to the byte. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "02-readiness/backend.h"
#include "03-request/test_support_conn.h"

TestSuite(conn, .timeout = 300);

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define OK(length)                                                                     \
    "HTTP/1.1 200 OK\r\nContent-Length: " #length "\r\nContent-Type: "                 \
    "text/plain\r\n\r\n"
#define OK_CLOSE(length)                                                               \
    "HTTP/1.1 200 OK\r\nContent-Length: " #length                                      \
    "\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"

static struct bench bench;

static void begin_bench(void) {
    bench_open(&bench);
}

static void end_bench(void) {
    bench_close(&bench);
}

/* An application that answers with the path it was asked for. */
static void echo_path(struct bench *of, struct exchange *exchange) {
    struct text path = exchange->request.path;
    of->open = NULL;
    exchange_answer(exchange, 200, "text/plain", path.at, path.length);
}

#define CONN(name) Test(conn, name, .init = begin_bench, .fini = end_bench)

CONN(answers_pipelined_requests_in_order) {
    bench.begun = echo_path;
    bench_says(&bench, GET("/") GET("/ab") GET("/c"));
    cr_assert_str_eq(bench_got(&bench), OK(1) "/" OK(3) "/ab" OK(2) "/c");
    cr_assert_eq(bench.begins, 3);
    cr_assert_eq(bench.counters.requests, 3);
    cr_assert_eq(bench.counters.responses, 3);
}

CONN(begins_the_next_request_when_the_answer_before_it_is_sent) {
    bench_says(&bench, GET("/") GET("/b"));
    cr_assert_eq(bench.begins, 1);
    bench.takes = 10;
    bench_answers(&bench, "one");
    cr_assert_eq(bench.begins, 1, "the answer isn't sent yet");
    cr_assert_eq(conn_interest(&bench.conn), READABLE | WRITABLE);
    bench.takes = SIZE_MAX;
    bench_move(&bench);
    cr_assert_eq(bench.begins, 2);
    bench_answers(&bench, "two");
    cr_assert_str_eq(bench_got(&bench), OK(3) "one" OK(3) "two");
}

/* ANCHOR: byte_by_byte */
CONN(reads_a_head_byte_by_byte) {
    bench.begun = echo_path;
    for (const char *byte = GET("/") GET("/a"); *byte; byte++)
        bench_feed(&bench, byte, 1);
    cr_assert_str_eq(bench_got(&bench), OK(1) "/" OK(2) "/a");
}
/* ANCHOR_END: byte_by_byte */

CONN(passes_over_empty_lines_before_a_request) {
    bench.begun = echo_path;
    bench_says(&bench, "\r\n" GET("/") "\r\n\r\n" GET("/a") "\r");
    bench_says(&bench, "\n" GET("/b"));
    cr_assert_str_eq(bench_got(&bench), OK(1) "/" OK(2) "/a" OK(2) "/b");
}

CONN(looks_at_the_first_byte_after_an_empty_line_in_pieces) {
    bench_says(&bench, "\r");
    bench_says(&bench, "\n\x01");
    cr_assert_eq(strncmp(bench_got(&bench), "HTTP/1.1 400 ", 13), 0);
}

/* Fills `head` with a request for /path that is exactly `length` bytes long. */
static void make_head(char *head, size_t length) {
    int start = sprintf(head, "GET /path HTTP/1.1\r\nHost: a\r\nX: ");
    memset(head + start, 'x', length - (size_t)start - 4);
    memcpy(head + length - 4, "\r\n\r\n", 4);
}

CONN(takes_a_head_of_just_the_most) {
    static char head[HEAD_MOST];
    make_head(head, HEAD_MOST);
    bench.begun = echo_path;
    bench_says(&bench, GET("/"));
    bench_feed(&bench, head, HEAD_MOST);
    bench_feed(&bench, head, HEAD_MOST - 1);
    bench_says(&bench, "\n");
    bench_feed(&bench, head, HEAD_MOST);
    cr_assert_str_eq(bench_got(&bench),
                     OK(1) "/" OK(5) "/path" OK(5) "/path" OK(5) "/path");
}

CONN(refuses_a_head_that_fills_the_buffer_without_an_end) {
    static char head[HEAD_MOST + 1];
    make_head(head, HEAD_MOST + 1);
    bench_feed(&bench, head, HEAD_MOST - 1);
    cr_assert_str_eq(bench_got(&bench), "");
    cr_assert_eq(bench.conn.phase, CONN_READING);
    bench_feed(&bench, head + HEAD_MOST - 1, 1);
    cr_assert_eq(strncmp(bench_got(&bench), "HTTP/1.1 431 ", 13), 0);
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
}

CONN(keeps_what_comes_while_it_answers_up_to_the_buffer) {
    static char many[4 * INPUT_MOST];
    int sent = 0;
    while (strlen(many) + 100 < sizeof many)
        strcat(many, GET("/")), sent++;
    bench_says(&bench, many);
    cr_assert_eq(bench.begins, 1);
    cr_assert_eq(conn_interest(&bench.conn), 0, "it is full, and says nothing");
    cr_assert_eq(bench.unread_length, strlen(many) - INPUT_MOST);
    bench.begun = echo_path;
    bench_answers(&bench, "x");
    while (bench.unread_length > 0)
        bench_move(&bench);
    cr_assert_eq(bench.begins, sent);
    cr_assert_eq(bench.counters.responses, (uint64_t)sent);
    cr_assert_eq(conn_interest(&bench.conn), READABLE);
}

CONN(refuses_and_reads_no_further_request) {
    static const struct {
        const char *head, *line;
    } cases[] = {
        {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
        {"GET /\n", "HTTP/1.1 400 Bad Request\r\n"},
        {"BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 501 Not Implemented\r\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench_close(&bench);
        bench_open(&bench);
        bench.begun = echo_path;
        bench_says(&bench, GET("/"));
        bench_got(&bench);
        bench_says(&bench, cases[i].head);
        bench_says(&bench, GET("/no"));
        const char *got = bench_got(&bench);
        cr_assert_eq(strncmp(got, cases[i].line, strlen(cases[i].line)), 0, "%s", got);
        cr_assert(strstr(got, "\r\nConnection: close\r\n"));
        cr_assert_null(strstr(got + 1, "HTTP/"), "one answer, not two: %s", got);
        cr_assert_eq(bench.begins, 1);
        cr_assert_eq(bench.unread_length, 0, "what comes is thrown away");
    }
}

CONN(refuses_a_head_request_without_a_body) {
    bench_says(&bench, "HEAD * HTTP/1.1\r\nHost: a\r\n\r\n");
    const char *got = bench_got(&bench);
    cr_assert_str_eq(strstr(got, "\r\n\r\n"), "\r\n\r\n");
}

CONN(gives_head_the_head_alone) {
    bench.begun = echo_path;
    bench_says(&bench, "HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n" GET("/a"));
    cr_assert_str_eq(bench_got(&bench), OK(4) OK(2) "/a");
}

CONN(keeps_open_what_the_client_lets_it) {
    static const struct {
        const char *request, *answer;
        bool stays;
    } cases[] = {
        {GET("/"), OK(1) "/", true},
        {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", OK_CLOSE(1) "/",
         false},
        {"GET / HTTP/1.0\r\n\r\n", OK_CLOSE(1) "/", false},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
         "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: text/plain\r\n"
         "Connection: keep-alive\r\n\r\n/",
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench_close(&bench);
        bench_open(&bench);
        bench.begun = echo_path;
        bench_says(&bench, cases[i].request);
        cr_assert_str_eq(bench_got(&bench), cases[i].answer);
        cr_assert_eq(bench.conn.phase, cases[i].stays ? CONN_READING : CONN_LINGERING);
        bench_says(&bench, cases[i].request);
        cr_assert_eq(bench.begins, cases[i].stays ? 2 : 1);
    }
}

CONN(an_application_that_ends_without_an_answer_gives_500) {
    bench_says(&bench, GET("/") GET("/b"));
    struct exchange *exchange = bench.open;
    bench.open = NULL;
    exchange_end(exchange);
    bench_move(&bench);
    cr_assert_eq(
        strncmp(bench_got(&bench), "HTTP/1.1 500 Internal Server Error\r\n", 36), 0);
    cr_assert_eq(bench.begins, 2, "the connection goes on");
}

CONN(an_answer_cut_short_closes) {
    bench_says(&bench, GET("/") GET("/b"));
    struct exchange *exchange = bench.open;
    bench.open = NULL;
    exchange_start(exchange, 200, NULL, 0, 10);
    cr_assert_eq(exchange_chunk(exchange, "12345", 5, false), 5);
    exchange_end(exchange);
    bench_move(&bench);
    cr_assert_str_eq(bench_got(&bench),
                     "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
    cr_assert_eq(bench.begins, 1, "what follows would be taken for the rest of it");
}

CONN(an_answer_without_a_body_is_a_head) {
    bench_says(&bench, GET("/"));
    bench_answers(&bench, "");
    cr_assert_str_eq(bench_got(&bench), OK(0));
    cr_assert_eq(bench.conn.phase, CONN_READING);
}

/* A date is right if it is the one of a second between before and after. */
CONN(tells_the_date_if_it_shall) {
    static const char format[] = "\r\nDate: %a, %d %b %Y %H:%M:%S GMT\r\n";
    bench.http.date = true;
    time_t before = time(NULL);
    conn_open(&bench.conn, &bench.http, 3, 4, bench.conn.exchange.ready, &bench, 0);
    bench.begun = echo_path;
    bench_says(&bench, GET("/"));
    bench_says(&bench, "BREW / HTTP/1.1\r\nHost: a\r\n\r\n");
    time_t after = time(NULL);
    const char *got = bench_got(&bench);
    const char *refusal = strstr(got + 1, "HTTP/1.1 501");
    cr_assert_not_null(refusal);
    int right = 0;
    for (time_t second = before; second <= after; second++) {
        char line[64];
        cr_assert_gt(strftime(line, sizeof line, format, gmtime(&second)), 0u);
        right += strstr(got, line) != NULL && strstr(refusal, line) != NULL;
    }
    cr_assert_gt(right, 0, "%s", got);
}
