#include "03-request/test_support_conn.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/clock.h"
#include "02-readiness/backend.h"

static const char *const phase_names[] = {[CONN_READING] = "reading",
                                          [CONN_ANSWERING] = "answering",
                                          [CONN_SKIPPING] = "skipping",
                                          [CONN_REFUSING] = "refusing",
                                          [CONN_LINGERING] = "lingering",
                                          [CONN_GONE] = "gone",
                                          [CONN_OVER] = "over"};

static void on_ready(void *argument, uint32_t slot) {
    struct bench *bench = argument;
    cr_assert_eq(slot, 3);
    bench->readies++;
}

void bench_open(struct bench *bench) {
    memset(bench, 0, sizeof *bench);
    bench->http = (struct http){
        .parse = parse_plain,
        .head_timeout = HEAD_S * NS_PER_S,
        .idle_timeout = IDLE_S * NS_PER_S,
        .stall_timeout = STALL_S * NS_PER_S,
        .counters = &bench->counters,
    };
    bench->takes = SIZE_MAX;
    bench->held = HELD_UNKNOWN;
    conn_open(&bench->conn, &bench->http, 3, 4, on_ready, bench, bench->now);
    bench->got = calloc(1, bench->got_capacity = 1);
}

void bench_close(struct bench *bench) {
    free(bench->unread);
    free(bench->got);
}

/* From which phase to which one call may lead. */
static void expect_step(enum conn_phase from, enum conn_phase to) {
    static const char *const next[] = {
        [CONN_READING] = "ARO",  [CONN_ANSWERING] = "rSRLGO", [CONN_SKIPPING] = "rLO",
        [CONN_REFUSING] = "LGO", [CONN_LINGERING] = "GO",     [CONN_GONE] = "O",
        [CONN_OVER] = "",
    };
    static const char letter[] = {'r', 'A', 'S', 'R', 'L', 'G', 'O'};
    cr_assert(from == to || strchr(next[from], letter[to]), "from %s to %s",
              phase_names[from], phase_names[to]);
}

/* Makes a call and looks at what it did to the connection. */
#define CALL(bench, call)                                                              \
    do {                                                                               \
        enum conn_phase before = (bench)->conn.phase;                                  \
        call;                                                                          \
        expect_step(before, (bench)->conn.phase);                                      \
        cr_assert_leq((bench)->conn.sent,                                              \
                      atomic_load(&(bench)->conn.exchange.filled));                    \
        cr_assert_leq((bench)->conn.in.end, (size_t)INPUT_MOST);                       \
    } while (0)

static void take_input(struct bench *bench) {
    struct conn *conn = &bench->conn;
    char *at;
    size_t room = conn_input_room(conn, &at);
    size_t n = room < bench->unread_length ? room : bench->unread_length;
    if (n > 0) {
        memcpy(at, bench->unread, n);
        bench->unread_length -= n;
        memmove(bench->unread, bench->unread + n, bench->unread_length);
        CALL(bench, conn_took_input(conn, n, bench->now));
    } else if (bench->client_ended && room > 0)
        CALL(bench, conn_input_ended(conn, bench->now));
}

static void give_output(struct bench *bench, size_t *takes) {
    struct conn *conn = &bench->conn;
    const char *at;
    for (size_t n = conn_output(conn, &at); n > 0 && *takes > 0;
         n = conn_output(conn, &at)) {
        n = n < *takes ? n : *takes;
        *takes -= n;
        while (bench->got_length + n >= bench->got_capacity)
            bench->got = realloc(bench->got, bench->got_capacity *= 2);
        memcpy(bench->got + bench->got_length, at, n);
        bench->got_length += n;
        bench->got[bench->got_length] = '\0';
        CALL(bench, conn_sent(conn, n, bench->now));
    }
    CALL(bench, conn_sent(conn, 0, bench->now));
    if (conn_half_closes(conn)) {
        bench->half_closes++;
        cr_assert_eq(conn->phase, CONN_LINGERING);
    }
}

static void begin(struct bench *bench) {
    struct exchange *exchange = &bench->conn.exchange;
    cr_assert_null(bench->open, "an exchange begins before the last one ended");
    exchange->with_application = true;
    bench->open = exchange;
    bench->begins++;
    if (bench->begun)
        bench->begun(bench, exchange);
}

static void tell(struct bench *bench) {
    struct conn *conn = &bench->conn;
    if (conn_has_room(conn)) {
        cr_assert_not_null(bench->open, "there is nobody who wants room");
        bench->rooms++;
        if (bench->has_room)
            bench->has_room(bench, bench->open);
    }
    if (conn_disconnects(conn)) {
        cr_assert_not_null(bench->open, "there is nobody to hear of a disconnect");
        bench->disconnects++;
    }
}

static void tell_of_body(struct bench *bench) {
    struct conn *conn = &bench->conn;
    for (;;) {
        bool has_body;
        CALL(bench, has_body = conn_has_body(conn, bench->now));
        if (!has_body)
            return;
        cr_assert_not_null(bench->open, "there is nobody who wants a body");
        bench->bodies++;
        if (bench->has_body)
            bench->has_body(bench, bench->open);
    }
}

/* Who is neither watched nor waited for by anybody would stay for ever. */
static void expect_future(const struct bench *bench) {
    const struct conn *conn = &bench->conn;
    int interest = conn_interest(conn);
    bool unsent = conn->sent < atomic_load(&conn->exchange.filled);
    bool answers = conn->phase == CONN_ANSWERING && unsent;
    bool says = conn->own_sent < conn->own_length;
    bool asks =
        conn->phase == CONN_ANSWERING && atomic_load(&conn->exchange.wants_body);
    cr_assert_eq((interest & WRITABLE) != 0, answers || says);
    if (conn->phase == CONN_OVER) {
        cr_assert_eq(interest, 0);
        cr_assert_null(bench->open, "over, though the application is at work");
    } else if (!bench->open || answers || says || asks) {
        cr_assert(interest != 0 || (bench->open && conn->phase == CONN_GONE),
                  "%s, watched for nothing", phase_names[conn->phase]);
        cr_assert(conn->deadline != NEVER || conn->phase == CONN_GONE, "%s, for ever",
                  phase_names[conn->phase]);
    }
    if (interest & READABLE)
        cr_assert_not(conn->input_ended, "watched for what has ended");
}

static void move_once(struct bench *bench) {
    struct conn *conn = &bench->conn;
    bool closed = conn->phase == CONN_GONE || conn->phase == CONN_OVER;
    size_t takes = bench->takes;
    if (conn_interest(conn) & READABLE)
        take_input(bench);
    do {
        bool begins;
        CALL(bench, begins = conn_begins(conn, bench->now));
        if (begins)
            begin(bench);
        tell_of_body(bench);
        if (closed)
            CALL(bench, conn_sent(conn, 0, bench->now));
        else
            give_output(bench, &takes);
    } while (conn_has_unread(conn));
}

void bench_move(struct bench *bench) {
    int readies;
    do {
        move_once(bench);
        readies = bench->readies;
        tell(bench);
    } while (bench->readies != readies); /* it had something to say to that */
    expect_future(bench);
}

void bench_feed(struct bench *bench, const char *bytes, size_t length) {
    bench->unread = realloc(bench->unread, bench->unread_length + length + 1);
    memcpy(bench->unread + bench->unread_length, bytes, length);
    bench->unread_length += length;
    size_t before;
    do {
        before = bench->unread_length;
        bench_move(bench);
    } while (bench->unread_length < before);
}

void bench_says(struct bench *bench, const char *text) {
    bench_feed(bench, text, strlen(text));
}

void bench_ends(struct bench *bench) {
    bench->client_ended = true;
    bench_move(bench);
}

void bench_breaks(struct bench *bench) {
    CALL(bench, conn_broken(&bench->conn));
    tell(bench);
    expect_future(bench);
}

void bench_answers(struct bench *bench, const char *body) {
    struct exchange *exchange = bench->open;
    cr_assert_not_null(exchange);
    bench->open = NULL;
    exchange_answer(exchange, 200, "text/plain", body, strlen(body));
    bench_move(bench);
}

void bench_passes(struct bench *bench, double seconds) {
    bench->now = (uint64_t)(seconds * 1e9);
    if (bench->conn.deadline > bench->now)
        return;
    CALL(bench, conn_expired(&bench->conn, bench->held, bench->now));
    bench_move(bench);
}

void bench_expect_deadline(const struct bench *bench, double seconds) {
    cr_assert_eq(bench->conn.deadline, (uint64_t)(seconds * 1e9),
                 "the deadline is at %.3f s, not %.3f s",
                 (double)bench->conn.deadline / 1e9, seconds);
}

const char *bench_got(struct bench *bench) {
    static char *last;
    free(last);
    last = bench->got;
    bench->got = calloc(1, bench->got_capacity = 1);
    bench->got_length = 0;
    return last;
}
