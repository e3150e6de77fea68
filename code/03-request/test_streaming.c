/* Answers that are larger than the output, and clients who go while one is made. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "02-readiness/backend.h"
#include "03-request/test_support_conn.h"

TestSuite(streaming, .timeout = 300);

#define GET "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

static struct bench bench;

/* An application that sends `size` bytes in chunks, and waits for room when it must. */
static struct {
    char *bytes;
    size_t size, given, chunk;
} stream;

static void give(struct bench *of, struct exchange *exchange) {
    while (stream.given < stream.size) {
        size_t left = stream.size - stream.given;
        size_t n = left < stream.chunk ? left : stream.chunk;
        size_t taken =
            exchange_chunk(exchange, stream.bytes + stream.given, n, n < left);
        cr_assert_leq(taken, n);
        stream.given += taken;
        if (taken < n)
            return; /* on_room goes on */
    }
    of->open = NULL;
    exchange_end(exchange);
}

static void start(struct bench *of, struct exchange *exchange) {
    stream.given = 0;
    exchange_start(exchange, 200, NULL, 0, stream.size);
    give(of, exchange);
}

static void begin_stream(size_t size, size_t chunk) {
    bench_open(&bench);
    bench.begun = start;
    bench.has_room = give;
    stream.size = size;
    stream.chunk = chunk;
    stream.bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        stream.bytes[i] = (char)('!' + i * 7 % 89 + i / 5000 % 5);
    stream.bytes[size] = '\0';
}

static void end_stream(void) {
    free(stream.bytes);
    bench_close(&bench);
}

static void expect_whole(size_t takes) {
    char length[64];
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", stream.size);
    const char *got = bench_got(&bench);
    cr_assert_not_null(strstr(got, length));
    cr_assert(!strcmp(strstr(got, "\r\n\r\n") + 4, stream.bytes),
              "%zu bytes in chunks of %zu, %zu taken at a time", stream.size,
              stream.chunk, takes);
    cr_assert_eq(bench.conn.phase, CONN_READING);
}

Test(streaming, a_body_of_any_size_arrives_to_the_byte) {
    static const size_t sizes[] = {
        1, 2, OUTPUT_MOST - 200, OUTPUT_MOST, OUTPUT_MOST + 1, 3 * OUTPUT_MOST + 17};
    static const size_t chunks[] = {1, 1000, OUTPUT_MOST, 1 << 20};
    static const size_t takes[] = {999, OUTPUT_MOST - 1, SIZE_MAX};
    for (size_t i = 0; i < 6 * 4 * 3; i++) {
        begin_stream(sizes[i % 6], chunks[i / 6 % 4]);
        bench.takes = takes[i / 24];
        bench_says(&bench, GET);
        while (bench.counters.responses == 0)
            bench_move(&bench);
        expect_whole(bench.takes);
        end_stream();
    }
}

Test(streaming, a_client_may_take_a_byte_at_a_time) {
    begin_stream(OUTPUT_MOST + 1000, 777);
    bench.takes = 1;
    bench_says(&bench, GET);
    while (bench.counters.responses == 0)
        bench_move(&bench);
    expect_whole(1);
    cr_assert_gt(bench.rooms, 0);
    end_stream();
}

Test(streaming, head_gets_no_byte_of_a_large_body) {
    begin_stream(3 * OUTPUT_MOST, 1000);
    bench_says(&bench, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" GET);
    while (bench.counters.responses < 2)
        bench_move(&bench);
    const char *got = bench_got(&bench);
    const char *second = strstr(got, "\r\n\r\n") + 4;
    cr_assert_eq(strncmp(second, got, (size_t)(second - got)), 0, "the same head");
    cr_assert_str_eq(second + (second - got), stream.bytes);
    end_stream();
}

Test(streaming, room_is_told_once_the_client_has_taken_all) {
    begin_stream(3 * OUTPUT_MOST, OUTPUT_MOST);
    bench.has_room = NULL;
    bench.takes = 0;
    bench_says(&bench, GET);
    bench.takes = 1000;
    for (int i = 0; i < OUTPUT_MOST / 1000; i++) {
        bench_move(&bench);
        cr_assert_eq(bench.rooms, 0, "after %d bytes", 1000 * (i + 1));
    }
    bench_move(&bench);
    cr_assert_eq(bench.rooms, 1);
    bench_move(&bench);
    cr_assert_eq(bench.rooms, 1, "nobody has asked for more");
    end_stream();
}

Test(streaming, what_is_ready_is_sent_before_the_answer_ends) {
    bench_open(&bench);
    bench_says(&bench, GET);
    exchange_start(bench.open, 200, NULL, 0, 6);
    cr_assert_eq(exchange_chunk(bench.open, "abc", 3, true), 3);
    cr_assert_eq(bench.readies, 1);
    bench_move(&bench);
    cr_assert(strstr(bench_got(&bench), "\r\n\r\nabc"));
    cr_assert_eq(exchange_chunk(bench.open, "def", 3, false), 3);
    cr_assert_eq(bench.readies, 1, "the end follows at once and tells");
    struct exchange *exchange = bench.open;
    bench.open = NULL;
    exchange_end(exchange);
    cr_assert_eq(bench.readies, 2);
    bench_move(&bench);
    cr_assert_str_eq(bench_got(&bench), "def");
    bench_close(&bench);
}

Test(streaming, who_half_closes_is_answered_and_the_application_told_once) {
    bench_open(&bench);
    bench_says(&bench, GET GET);
    bench_ends(&bench);
    cr_assert_eq(bench.disconnects, 1);
    cr_assert_eq(conn_interest(&bench.conn), 0, "there is nothing to wait for");
    bench_move(&bench);
    cr_assert_eq(bench.disconnects, 1);
    bench_answers(&bench, "one");
    cr_assert_eq(bench.begins, 2);
    cr_assert_eq(bench.disconnects, 2, "the second exchange is told, too");
    bench_answers(&bench, "two");
    const char *got = bench_got(&bench);
    cr_assert(strstr(got, "one") && strstr(got, "two"));
    cr_assert_eq(bench.conn.phase, CONN_OVER, "there will be no other request");
    bench_close(&bench);
}

Test(streaming, who_half_closes_in_mid_head_is_over) {
    bench_open(&bench);
    bench_says(&bench, "GET / HT");
    bench_ends(&bench);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
    cr_assert_eq(bench.begins, 0);
    cr_assert_str_eq(bench_got(&bench), "");
    bench_close(&bench);
}

Test(streaming, a_broken_connection_waits_for_the_application_to_end) {
    begin_stream(5 * OUTPUT_MOST, 1000);
    bench.takes = 100;
    bench_says(&bench, GET);
    bench.has_room = NULL;
    bench_got(&bench);
    bench_breaks(&bench);
    cr_assert_eq(bench.conn.phase, CONN_GONE);
    cr_assert_eq(bench.disconnects, 1);
    cr_assert_eq(conn_interest(&bench.conn), 0);
    bench.has_room = give;
    bench.begun = NULL;
    give(&bench, bench.open); /* it goes on until it is told that there is room */
    for (int i = 0; i < 10 && bench.conn.phase == CONN_GONE; i++)
        bench_move(&bench);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
    cr_assert_eq(bench.disconnects, 1);
    cr_assert_str_eq(bench_got(&bench), "", "nobody is there to take it");
    end_stream();
}

Test(streaming, a_connection_that_breaks_after_the_application_has_ended_is_over) {
    bench_open(&bench);
    bench_says(&bench, GET);
    bench.takes = 10;
    bench_answers(&bench, "a");
    bench_breaks(&bench);
    cr_assert_eq(bench.conn.phase, CONN_OVER);
    cr_assert_eq(bench.disconnects, 0);
    bench_close(&bench);
}
