/* Every row of http.tsv, played to a connection without sockets: what the client gets
 * doesn't depend on where its bytes were cut. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "02-readiness/test_support_backend.h"
#include "03-request/hello.h"
#include "03-request/test_support_cases.h"
#include "03-request/test_support_conn.h"

TestSuite(cases, .timeout = 300);

#define GET "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define HELLO                                                                          \
    "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Type: text/plain\r\n\r\nhello\n"

static struct bench bench;

static void still_open(struct bench *of, struct exchange *exchange) {
    of->open = exchange->with_application ? exchange : NULL;
}

/* The room's own application. It knows no /slow: that one the test answers when all
 * bytes have come. */
static void on_begin(struct bench *of, struct exchange *exchange) {
    if (!text_is(exchange->request.path, "/slow"))
        hello_application.begin(hello_application.self, exchange);
    still_open(of, exchange);
}

static void on_body(struct bench *of, struct exchange *exchange) {
    hello_application.body(hello_application.self, exchange);
    still_open(of, exchange);
}

static void feed(const char *bytes, size_t length) {
    int before = bench.disconnects;
    bench_feed(&bench, bytes, length);
    if (bench.open && bench.disconnects > before) {
        hello_application.disconnect(hello_application.self, bench.open);
        still_open(&bench, bench.open);
        bench_move(&bench);
    }
}

/* Plays the row: `first` bytes, then the others `step` at a time. The answers are in
 * bench.got after it. */
static void play(const struct http_case *row, size_t first, size_t step) {
    bench_open(&bench);
    bench.begun = on_begin;
    bench.has_body = on_body;
    feed(row->bytes, first);
    for (size_t at = first, n; at < row->length; at += n) {
        n = row->length - at < step ? row->length - at : step;
        feed(row->bytes + at, n);
    }
    if (case_is_slow(row)) {
        cr_assert_str_eq(bench.got, "", "%s: an answer overtook another", row->name);
        bench_answers(&bench, "slept 200 ms\n");
    }
    cr_assert_null(bench.open, "%s: the application is left with it", row->name);
    cr_assert_eq(bench.conn.phase, row->closes ? CONN_LINGERING : CONN_READING, "%s",
                 row->name);
}

/* One request more: it is answered, or the connection has ended. */
static void end_with_a_get(const struct http_case *row) {
    bench_got(&bench);
    feed(GET, strlen(GET));
    cr_assert_str_eq(bench.got, row->closes ? "" : HELLO, "%s", row->name);
    bench_ends(&bench);
    cr_assert_eq(bench.conn.phase, CONN_OVER, "%s", row->name);
    bench_close(&bench);
}

/* Reads what the client got as a client does. */
static void expect_answers(const struct http_case *row) {
    int ends[2];
    char more[256];
    local_pair(ends);
    send_bytes(ends[0], bench.got, bench.got_length);
    close(ends[0]);
    case_read_answers(row, ends[1]);
    cr_assert_eq(read_to_end(ends[1], more, sizeof more), 0, "%s: stray bytes: %s",
                 row->name, more);
    close(ends[1]);
}

static void expect_the_same(const struct http_case *row, const char *whole,
                            size_t first, size_t step) {
    play(row, first, step);
    cr_assert_str_eq(bench.got, whole, "%s, cut after %zu bytes", row->name, first);
    end_with_a_get(row);
}

Test(cases, are_answered_alike_wherever_they_are_cut) {
    size_t count;
    const struct http_case *rows = cases_read(&count);
    for (size_t i = 0; i < count; i++) {
        const struct http_case *row = &rows[i];
        play(row, row->length, row->length);
        expect_answers(row);
        char *whole = strdup(bench.got);
        end_with_a_get(row);
        expect_the_same(row, whole, 1, 1);
        for (size_t cut = 1; cut < row->length; cut++)
            expect_the_same(row, whole, cut, row->length);
        free(whole);
    }
}
