/* Sequences that servers got wrong, played to a connection without sockets. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "03-request/test_support_conn.h"

TestSuite(conn_sequences, .timeout = 300);

#define GET(path)                  "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define POST(path, length, fields) POST_OF("1", path, length, fields)
#define POST_OF(minor, path, length, fields)                                           \
    "POST " path " HTTP/1." minor "\r\nHost: a\r\nContent-Length: " #length            \
    "\r\n" fields "\r\n"
#define OK(length)                                                                     \
    "HTTP/1.1 200 OK\r\nContent-Length: " #length "\r\nContent-Type: "                 \
    "text/plain\r\n\r\n"
#define EXPECT "Expect: 100-continue\r\n"
#define GO_ON  "HTTP/1.1 100 Continue\r\n\r\n"

static struct bench bench;

static void begin_bench(void) {
    bench_open(&bench);
}

static void end_bench(void) {
    bench_close(&bench);
}

#define SEQUENCE(name)                                                                 \
    Test(conn_sequences, name, .init = begin_bench, .fini = end_bench)

/* An application that gives every answer a body, whether it can have one or not. */
static void give_a_body(struct bench *of, struct exchange *exchange) {
    struct text path = exchange->request.path;
    int status = text_is(path, "/204") ? 204 : text_is(path, "/304") ? 304 : 200;
    bool chunked = text_is(path, "/chunks") || status == 204;
    of->open = NULL;
    exchange_start(exchange, status, NULL, 0, chunked ? LENGTH_UNKNOWN : 5);
    cr_assert_eq(exchange_chunk(exchange, "12345", 5, false), 5);
    exchange_end(exchange);
}

SEQUENCE(no_byte_stands_between_an_answer_without_a_body_and_the_next) {
    static const char one[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345";
    bench.begun = give_a_body;
    bench_says(&bench, GET("/204") GET("/1") GET("/304") GET("/1"));
    bench_says(&bench, "HEAD /chunks HTTP/1.1\r\nHost: a\r\n\r\n" GET("/1"));
    const char *got = bench_got(&bench);
    static const char *const heads[] = {
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    };
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(strncmp(got, heads[i], strlen(heads[i])), 0, "%s", got);
        got += strlen(heads[i]);
        cr_assert_eq(strncmp(got, one, strlen(one)), 0, "%s", got);
        got += strlen(one);
    }
    cr_assert_str_eq(got, "");
    cr_assert_eq(bench.conn.phase, CONN_READING);
}

/* The first application asks for a body and answers without having got it. */
static void ask_once(struct bench *of, struct exchange *exchange) {
    char byte;
    if (of->begins > 1)
        return;
    cr_assert_eq(exchange_read(exchange, &byte, 1), 0);
    of->open = NULL;
    exchange_answer(exchange, 200, "text/plain", "1", 1);
}

SEQUENCE(what_one_exchange_waited_for_does_not_wake_the_next) {
    char bytes[8];
    bench.begun = ask_once;
    bench_says(&bench, POST("/a", 5, ""));
    cr_assert_str_eq(bench_got(&bench), OK(1) "1");
    bench_says(&bench, "hello" POST("/b", 3, ""));
    cr_assert_eq(bench.begins, 2);
    bench_says(&bench, "abc");
    bench_move(&bench);
    cr_assert_eq(bench.bodies, 0, "the second one hasn't asked");
    cr_assert_eq(exchange_read(bench.open, bytes, sizeof bytes), 3);
    cr_assert_eq(memcmp(bytes, "abc", 3), 0);
    cr_assert_eq(exchange_read(bench.open, bytes, sizeof bytes), -1);
    bench_answers(&bench, "2");
    cr_assert_str_eq(bench_got(&bench), OK(1) "2");
    cr_assert_eq(bench.bodies, 0);
}

/* An application that reads the whole body, then answers with its last byte. */
static void read_all(struct bench *of, struct exchange *exchange) {
    static char last[1000];
    int n, before = 0;
    while ((n = exchange_read(exchange, last, sizeof last)) > 0)
        before = n;
    if (n == 0)
        return;
    of->open = NULL;
    exchange_answer(exchange, 200, "text/plain", last + (before ? before - 1 : 0), 1);
}

SEQUENCE(who_waits_for_a_word_gets_it_once) {
    bench.begun = bench.has_body = read_all;
    bench_says(&bench, POST("/", 5, EXPECT));
    cr_assert_str_eq(bench_got(&bench), GO_ON);
    bench_says(&bench, "ab");
    bench_says(&bench, "cde");
    cr_assert_str_eq(bench_got(&bench), OK(1) "e");
    bench_says(&bench, POST("/", 1, EXPECT) "x" POST("/", 1, EXPECT));
    bench_says(&bench, "y");
    cr_assert_str_eq(bench_got(&bench), OK(1) "x" GO_ON OK(1) "y");
}

SEQUENCE(a_client_of_http_1_0_knows_no_such_word) {
    bench.begun = bench.has_body = read_all;
    bench_says(&bench, POST_OF("0", "/", 2, EXPECT));
    cr_assert_str_eq(bench_got(&bench), "");
    bench_says(&bench, "ab");
    const char *got = bench_got(&bench);
    cr_assert_eq(strncmp(got, "HTTP/1.1 200 OK\r\n", 17), 0, "%s", got);
}

/* Whoever isn't asked for the body may send it or not: nobody can tell what follows. */
SEQUENCE(who_is_not_asked_for_the_body_is_answered_and_left) {
    bench.begun = give_a_body;
    bench_says(&bench, POST("/", 5, EXPECT));
    bench_says(&bench, GET("/"));
    cr_assert_eq(bench.begins, 1);
    cr_assert_eq(strstr(bench_got(&bench), "100"), NULL);
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
}

/* It asks, and answers before the client could be told: it might as well not have asked. */
static void ask_and_answer(struct bench *of, struct exchange *exchange) {
    char byte;
    cr_assert_eq(exchange_read(exchange, &byte, 1), 0);
    of->open = NULL;
    exchange_answer(exchange, 200, "text/plain", "1", 1);
}

SEQUENCE(who_was_not_told_to_go_on_is_left_even_if_the_application_asked) {
    bench.begun = ask_and_answer;
    bench_says(&bench, POST("/", 5, EXPECT));
    bench_says(&bench, GET("/"));
    cr_assert_eq(bench.begins, 1);
    cr_assert_str_eq(bench_got(&bench),
                     "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: "
                     "text/plain\r\nConnection: close\r\n\r\n1");
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
}

SEQUENCE(a_body_that_goes_on_after_its_413_is_thrown_away) {
    static char much[BODY_ROOM];
    memset(much, 'm', sizeof much);
    bench.begun = bench.has_body = read_all;
    bench_says(&bench,
               "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
               "fffff\r\n");
    for (int sent = 0; sent < 0xfffff; sent += BODY_ROOM)
        bench_feed(&bench, much, sent ? BODY_ROOM : BODY_ROOM - 1);
    cr_assert_str_eq(bench_got(&bench), "", "a byte less than the most");
    bench_says(&bench, "\r\n2\r\n");
    const char *got = bench_got(&bench);
    cr_assert_eq(strncmp(got, "HTTP/1.1 413 Content Too Large\r\n", 32), 0, "%s", got);
    cr_assert_eq(bench.half_closes, 1);
    cr_assert_eq(bench.disconnects, 1);
    bench.open = NULL;
    exchange_end(&bench.conn.exchange);
    for (int i = 0; i < 100; i++)
        bench_feed(&bench, much, sizeof much);
    cr_assert_str_eq(bench_got(&bench), "");
    cr_assert_eq(bench.unread_length, 0);
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
    bench_ends(&bench);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

/* Nor was the client told to send a body that the application asked for and then
 * answered without. */
SEQUENCE(who_was_not_told_to_go_on_in_time_is_answered_and_left) {
    bench.begun = ask_once;
    bench_says(&bench, POST("/", 5, EXPECT));
    const char *got = bench_got(&bench);
    cr_assert_eq(strstr(got, "100"), NULL);
    cr_assert(strstr(got, "Connection: close"), "%s", got);
    bench_says(&bench, GET("/"));
    cr_assert_eq(bench.begins, 1);
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
}

static void begin_answer(struct bench *of, struct exchange *exchange) {
    (void)of;
    exchange_start(exchange, 200, NULL, 0, 4);
    cr_assert_eq(exchange_chunk(exchange, "ab", 2, true), 2);
}

/* He may still read, though he has left his request half said. */
SEQUENCE(who_ends_in_the_middle_of_a_body_gets_the_answer_that_has_begun) {
    for (int by_chunks = 0; by_chunks <= 1; by_chunks++) {
        bench_close(&bench);
        bench_open(&bench);
        bench.begun = begin_answer;
        bench_says(&bench, by_chunks ? "POST / HTTP/1.1\r\nHost: a\r\n"
                                       "Transfer-Encoding: chunked\r\n\r\n"
                                     : POST("/", 10, ""));
        cr_assert_eq(bench.disconnects, 0);
        bench_ends(&bench);
        cr_assert_eq(bench.disconnects, 1, "no more will come");
        cr_assert_eq(bench.conn.phase, CONN_ANSWERING);
        cr_assert_eq(exchange_chunk(bench.open, "cd", 2, false), 2);
        exchange_end(bench.open);
        bench.open = NULL;
        bench_move(&bench);
        cr_assert_str_eq(bench_got(&bench),
                         "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd");
        cr_assert_eq(bench.conn.phase, CONN_OVER);
    }
}
