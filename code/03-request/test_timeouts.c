/* The connection's deadlines, and how it ends. Nobody waits here: time is a number. */
#include <criterion/criterion.h>
#include <string.h>

#include "00-ground/clock.h"
#include "02-readiness/backend.h"
#include "03-request/test_support_conn.h"

#define GET      "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define GET_LAST "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

static struct bench bench;

static void begin_bench(void) {
    bench_open(&bench);
}

static void end_bench(void) {
    bench_close(&bench);
}

#define CONN(name) Test(timeouts, name, .init = begin_bench, .fini = end_bench)

static void expect_never(void) {
    cr_assert_eq(bench.conn.deadline, NEVER);
}

CONN(who_connects_and_says_nothing_is_left_without_a_word) {
    bench_expect_deadline(&bench, HEAD_S);
    bench_passes(&bench, (double)HEAD_S - 0.001);
    cr_assert_eq(bench.conn.phase, CONN_READING);
    bench_passes(&bench, HEAD_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
    cr_assert_str_eq(bench_got(&bench), "");
}

/* ANCHOR: first_byte */
CONN(a_head_has_so_long_from_its_first_byte_not_from_its_last) {
    bench_passes(&bench, 4);
    bench_says(&bench, "G");
    for (int second = 8; second <= 12; second += 4) {
        bench_expect_deadline(&bench, 4 + HEAD_S);
        bench_passes(&bench, second);
        bench_says(&bench, "E");
    }
    bench_expect_deadline(&bench, 4 + HEAD_S);
    bench_passes(&bench, 4 + HEAD_S);
    const char *got = bench_got(&bench);
    cr_assert_eq(strncmp(got, "HTTP/1.1 408 Request Timeout\r\n", 30), 0, "%s", got);
    cr_assert(strstr(got, "\r\nConnection: close\r\n"));
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
}
/* ANCHOR_END: first_byte */

CONN(empty_lines_put_no_deadline_off) {
    for (int second = 0; second < HEAD_S; second++) {
        bench_passes(&bench, second);
        bench_says(&bench, "\r\n");
        bench_expect_deadline(&bench, HEAD_S);
    }
    bench_passes(&bench, HEAD_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(an_idle_connection_has_longer_than_a_head) {
    bench_says(&bench, GET);
    bench_passes(&bench, 2);
    bench_answers(&bench, "a");
    bench_expect_deadline(&bench, 2 + IDLE_S);
    bench_passes(&bench, 50);
    bench_says(&bench, "G");
    bench_expect_deadline(&bench, 50 + HEAD_S);
    bench_says(&bench, &GET[1]);
    expect_never();
    bench_answers(&bench, "a");
    bench_got(&bench);
    bench_expect_deadline(&bench, 50 + IDLE_S);
    bench_passes(&bench, 50 + IDLE_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
    cr_assert_str_eq(bench_got(&bench), "", "an idle client isn't told");
}

CONN(half_a_head_that_came_early_counts_from_the_answer_before_it) {
    bench_says(&bench, GET "GET / HT");
    bench_passes(&bench, 20);
    bench_answers(&bench, "a");
    bench_expect_deadline(&bench, 20 + HEAD_S);
    bench_passes(&bench, 25);
    bench_says(&bench, "T");
    bench_expect_deadline(&bench, 20 + HEAD_S);
}

CONN(an_application_may_take_its_time) {
    bench_says(&bench, GET);
    expect_never();
    exchange_start(bench.open, 200, NULL, 0, 3);
    cr_assert_eq(exchange_chunk(bench.open, "a", 1, true), 1);
    bench_move(&bench);
    expect_never();
    bench_passes(&bench, 1000);
    bench_says(&bench, GET);
    expect_never();
    cr_assert_eq(bench.conn.phase, CONN_ANSWERING);
}

CONN(a_client_who_takes_nothing_is_left_after_the_stall_timeout) {
    bench.takes = 0;
    bench_says(&bench, GET);
    bench_passes(&bench, 3);
    bench_answers(&bench, "abcdefgh");
    bench_expect_deadline(&bench, 3 + STALL_S);
    bench_passes(&bench, 20);
    bench_move(&bench);
    bench_expect_deadline(&bench, 3 + STALL_S);
    bench.takes = 5;
    bench_move(&bench);
    bench_expect_deadline(&bench, 20 + STALL_S); /* it reads, if slowly */
    bench.takes = 0;
    bench_passes(&bench, 20 + STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

/* The application has given a byte of three, and the client takes none. */
static void begin_what_nobody_takes(void) {
    bench.takes = 0;
    bench_says(&bench, GET);
    exchange_start(bench.open, 200, NULL, 0, 3);
    cr_assert_eq(exchange_chunk(bench.open, "a", 1, true), 1);
    bench_move(&bench);
    bench_expect_deadline(&bench, STALL_S);
}

CONN(a_client_who_has_taken_all_waits_for_the_application_again) {
    begin_what_nobody_takes();
    bench.takes = SIZE_MAX;
    bench_move(&bench);
    expect_never();
}

/* The application may answer before it has the body, and just when the time is over. */
CONN(an_answer_that_meets_the_deadline_of_a_body_is_sent_and_may_be_read) {
    char bytes[8];
    bench_says(&bench, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    cr_assert_eq(exchange_read(bench.open, bytes, sizeof bytes), 0);
    bench_move(&bench);
    bench_expect_deadline(&bench, STALL_S);
    struct exchange *exchange = bench.open;
    bench.open = NULL;
    exchange_answer(exchange, 200, "text/plain", "early", 5);
    bench.takes = 0;
    bench_passes(&bench, STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_ANSWERING);
    bench_expect_deadline(&bench, 2 * STALL_S);
    bench_passes(&bench, 2 * STALL_S - 1);
    bench.takes = SIZE_MAX;
    bench_move(&bench);
    cr_assert_not_null(strstr(bench_got(&bench), "\r\n\r\nearly"));
    cr_assert_eq(bench.conn.phase, CONN_SKIPPING);
}

CONN(who_does_not_take_such_an_answer_is_left_all_the_same) {
    char bytes[8];
    bench_says(&bench, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    cr_assert_eq(exchange_read(bench.open, bytes, sizeof bytes), 0);
    bench_move(&bench);
    struct exchange *exchange = bench.open;
    bench.open = NULL;
    exchange_answer(exchange, 200, "text/plain", "early", 5);
    bench.takes = 0;
    bench_passes(&bench, STALL_S);
    bench_passes(&bench, 2 * STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(a_stall_while_the_application_is_at_work_is_a_disconnect) {
    begin_what_nobody_takes();
    bench_passes(&bench, STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_GONE);
    cr_assert_eq(bench.disconnects, 1);
    expect_never();
    struct exchange *exchange = bench.open;
    bench.open = NULL;
    exchange_end(exchange);
    bench_move(&bench);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(a_refused_client_who_takes_nothing_is_left_too) {
    bench.takes = 0;
    bench_says(&bench, "\n");
    cr_assert_eq(bench.conn.phase, CONN_REFUSING);
    cr_assert_eq(conn_interest(&bench.conn), WRITABLE);
    bench_expect_deadline(&bench, STALL_S);
    bench_passes(&bench, STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

/* What the system has taken from us, and the client hasn't read yet, is seen only when a
 * deadline comes. The first look has nothing to compare with. */

static void stalls_with(const char *answer, size_t held) {
    bench.takes = 10;
    bench_says(&bench, GET);
    bench_answers(&bench, answer);
    bench.takes = 0;
    bench.held = held;
}

CONN(who_reads_what_the_system_holds_is_not_left) {
    enum { TIMES = 10 };
    stalls_with("abcdefgh", 1000);
    for (int i = 1; i <= TIMES; i++) {
        bench_passes(&bench, i * STALL_S);
        bench_expect_deadline(&bench, (i + 1) * STALL_S);
        bench.held -= 1;
    }
    bench.takes = SIZE_MAX;
    bench_move(&bench);
    cr_assert(strstr(bench_got(&bench), "\r\n\r\nabcdefgh"));
    cr_assert_eq(bench.conn.phase, CONN_READING);
}

CONN(who_reads_nothing_of_it_has_the_stall_timeout_twice) {
    stalls_with("abcdefgh", 1000);
    bench_passes(&bench, STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_ANSWERING);
    bench_passes(&bench, 2 * STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(who_stops_reading_it_is_left_at_the_next_look) {
    stalls_with("abcdefgh", 1000);
    bench_passes(&bench, STALL_S);
    bench.held = 999;
    bench_passes(&bench, 2 * STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_ANSWERING);
    bench_passes(&bench, 3 * STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(what_is_written_is_held_too_and_compared_with_nothing_before_it) {
    stalls_with("abcdefgh", 1000);
    bench_passes(&bench, STALL_S);
    bench.takes = 5;
    bench_move(&bench);
    bench.takes = 0;
    bench.held = 1005;
    bench_passes(&bench, 2 * STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_ANSWERING);
    bench_passes(&bench, 3 * STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(a_refused_client_who_reads_what_came_before_is_not_left) {
    bench_says(&bench, GET);
    bench_answers(&bench, "abcdefgh");
    bench.takes = 0;
    bench.held = 1000;
    bench_says(&bench, "\n");
    cr_assert_eq(bench.conn.phase, CONN_REFUSING);
    for (int i = 1; i <= 3; i++) {
        bench_passes(&bench, i * STALL_S);
        cr_assert_eq(bench.conn.phase, CONN_REFUSING);
        bench.held -= 1;
    }
    bench.held += 1;
    bench_passes(&bench, 4 * STALL_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

/* It may read as long as it likes, and has no more time for anything else. */
CONN(what_the_system_holds_puts_no_other_deadline_off) {
    bench.held = 1000;
    bench_says(&bench, GET);
    bench_answers(&bench, "a");
    bench_passes(&bench, IDLE_S);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

/* Lingering: the client is told that nothing follows, and what it still sends is thrown
 * away: until it closes, has said nothing for a second, or has had half a minute. */

CONN(lingers_until_the_client_closes) {
    static char much[5 * INPUT_MOST];
    memset(much, 'm', sizeof much);
    bench_says(&bench, GET_LAST);
    bench_passes(&bench, 2);
    bench_answers(&bench, "a");
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
    cr_assert_eq(bench.half_closes, 1);
    bench_expect_deadline(&bench, 3);
    bench_passes(&bench, 2.5);
    bench_feed(&bench, much, sizeof much);
    cr_assert_eq(bench.unread_length, 0);
    cr_assert_eq(conn_interest(&bench.conn), READABLE);
    bench_expect_deadline(&bench, 3.5);
    bench_ends(&bench);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
    cr_assert_eq(bench.half_closes, 1);
    cr_assert_eq(bench.begins, 1);
}

CONN(lingers_no_longer_than_a_second_of_silence) {
    bench_says(&bench, GET_LAST);
    bench_answers(&bench, "a");
    bench_passes(&bench, 0.999);
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
    bench_passes(&bench, 1);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(lingers_no_longer_than_half_a_minute_whatever_comes) {
    bench_says(&bench, GET_LAST);
    bench_passes(&bench, 4);
    bench_answers(&bench, "a");
    for (double second = 4; second < 34; second += 0.5) {
        bench_passes(&bench, second);
        bench_says(&bench, "m");
        bench_expect_deadline(&bench, second < 33 ? second + 1 : 34);
    }
    bench_passes(&bench, 34);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(does_not_linger_for_who_has_closed) {
    bench_says(&bench, GET_LAST);
    bench_ends(&bench);
    bench_answers(&bench, "a");
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}

CONN(lingers_for_a_refused_client) {
    bench_says(&bench, "\n" GET GET);
    cr_assert_eq(bench.conn.phase, CONN_LINGERING);
    cr_assert_eq(bench.half_closes, 1);
    bench_expect_deadline(&bench, 1);
    bench_ends(&bench);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
}
