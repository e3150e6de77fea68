/* The last answer of a connection whose server stops. */
#include <criterion/criterion.h>

#include "03-request/test_support_conn.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define OK        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n"
#define LAST      OK "Connection: close\r\n\r\nok"
#define KEPT      OK "\r\nok"

static struct bench bench;

static void begin_bench(void) {
    bench_open(&bench);
}

static void end_bench(void) {
    bench_close(&bench);
}

TestSuite(stops, .init = begin_bench, .fini = end_bench, .timeout = 300);

static void stop(void) {
    bench.http.stops = true;
    conn_stops(&bench.conn, bench.now);
}

Test(stops, an_answer_under_way_is_the_last) {
    bench_says(&bench, GET("/"));
    stop();
    bench_answers(&bench, "ok");
    cr_assert_str_eq(bench_got(&bench), LAST);
    cr_assert_eq(bench.half_closes, 1);
}

Test(stops, an_answer_that_begins_later_is_the_last) {
    stop();
    bench_says(&bench, GET("/"));
    bench_answers(&bench, "ok");
    cr_assert_str_eq(bench_got(&bench), LAST);
}

Test(stops, the_last_of_pipelined_answers_is_the_last) {
    bench_says(&bench, GET("/") GET("/"));
    stop();
    bench_answers(&bench, "ok");
    cr_assert_str_eq(bench_got(&bench), KEPT);
    bench_answers(&bench, "ok");
    cr_assert_str_eq(bench_got(&bench), LAST);
}

Test(stops, a_request_that_comes_behind_in_time_is_answered) {
    bench_says(&bench, GET("/"));
    stop();
    bench_says(&bench, GET("/"));
    bench_answers(&bench, "ok");
    bench_answers(&bench, "ok");
    cr_assert_str_eq(bench_got(&bench), KEPT LAST);
}

Test(stops, what_comes_of_a_body_is_no_request_behind) {
    bench_says(&bench, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
    stop();
    bench_says(&bench, "cd");
    bench_answers(&bench, "ok");
    cr_assert_str_eq(bench_got(&bench), LAST);
}

Test(stops, silent_is_who_has_said_nothing_of_a_request) {
    cr_assert(conn_is_silent(&bench.conn));
    bench_says(&bench, "\r\n");
    cr_assert(conn_is_silent(&bench.conn), "an empty line is no request");
    bench_says(&bench, "G");
    cr_assert_not(conn_is_silent(&bench.conn));
    bench_says(&bench, "ET / HTTP/1.1\r\nHost: a\r\n\r\n");
    cr_assert_not(conn_is_silent(&bench.conn));
    bench_answers(&bench, "ok");
    cr_assert(conn_is_silent(&bench.conn));
}

/* Without a stop each byte puts the end off, up to 30 s. */
Test(stops, a_client_who_sends_on_behind_his_last_answer_has_a_second) {
    stop();
    bench_says(&bench, GET("/"));
    bench_answers(&bench, "ok");
    stop(); /* as the loop says again after each pass */
    bench_passes(&bench, 0.6);
    bench_says(&bench, "x");
    bench_expect_deadline(&bench, 1);
}

Test(stops, so_has_one_whose_body_nobody_wanted) {
    bench_says(&bench, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na");
    bench_answers(&bench, "ok");
    stop();
    bench_passes(&bench, 0.6);
    bench_says(&bench, "b");
    bench_expect_deadline(&bench, 1);
    bench_says(&bench, "cdefghi" GET("/"));
    bench_answers(&bench, "ok");
    cr_assert_str_eq(bench_got(&bench), KEPT LAST, "he was in time");
}
