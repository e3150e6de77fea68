/* ANCHOR: top */
#include "03-request/conn.h"

#include <stddef.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/trace.h"
#include "03-request/conn_inside.h"

bool conn_ended(const struct conn *conn) {
    return atomic_load_explicit(&conn->exchange.ended, memory_order_acquire);
}

size_t conn_filled(const struct conn *conn) {
    return atomic_load_explicit(&conn->exchange.filled, memory_order_acquire);
}

void conn_open(struct conn *conn, const struct http *http, uint32_t slot, uint32_t tag,
               void (*ready)(void *argument, uint32_t slot), void *ready_argument,
               uint64_t now) {
    struct exchange *exchange = &conn->exchange;
    memset(conn, 0, offsetof(struct conn, exchange));
    conn->http = http;
    conn->phase = CONN_READING;
    conn->held = HELD_UNKNOWN;
    conn->in = (struct buffer){.bytes = conn->input, .capacity = sizeof conn->input};
    conn->deadline = now + http->head_timeout; /* it may not connect and say nothing */
    body_begin(&conn->body, BODY_NONE, 0);
    exchange->output = conn->output;
    exchange->body = conn->body_bytes;
    exchange->slot = slot;
    exchange->tag = tag;
    exchange->date = http->date;
    exchange->ready = ready;
    exchange->ready_argument = ready_argument;
    atomic_store_explicit(&exchange->filled, 0, memory_order_relaxed);
    atomic_store_explicit(&exchange->wants_room, false, memory_order_relaxed);
    atomic_store_explicit(&exchange->wants_body, false, memory_order_relaxed);
    atomic_store_explicit(&exchange->ended, false, memory_order_relaxed);
}
/* ANCHOR_END: top */

/* ANCHOR: room */
size_t conn_input_room(struct conn *conn, char **at) {
    if (conn->phase == CONN_LINGERING)
        conn->in.end = conn->in.start + conn->head_length;
    *at = conn->in.bytes + conn->in.end;
    return buffer_room(&conn->in);
}
/* ANCHOR_END: room */

/* ANCHOR: last */
/* Once the server stops, an answer is the last of its connection, unless more has come
 * behind its request. Where a body isn't over, what has come is the body's. */
static void set_last(struct conn *conn) {
    atomic_store_explicit(&conn->exchange.last,
                          conn->http->stops && !conn_is_followed(conn),
                          memory_order_relaxed);
}

bool conn_is_followed(const struct conn *conn) {
    return conn->phase == CONN_ANSWERING && body_over(&conn->body) &&
           buffer_used(&conn->in) > conn->head_length;
}

void conn_stops(struct conn *conn, uint64_t now) {
    if (conn->phase == CONN_ANSWERING)
        set_last(conn);
    else if (conn->http->stops)
        conn_hurry(conn, now);
}
/* ANCHOR_END: last */

/* ANCHOR: input */
void conn_took_input(struct conn *conn, size_t n, uint64_t now) {
    conn->in.end += n;
    if (conn->phase == CONN_READING && !conn->head_begun) {
        conn->head_begun = true; /* by an empty line, too: it won't put the end off */
        conn->deadline = now + conn->http->head_timeout;
    } else if (conn->phase == CONN_LINGERING)
        conn_linger(conn, now);
    else if (conn_takes_body(conn))
        conn_advance_body(conn, now);
    conn_stops(conn, now);
}
/* ANCHOR_END: input */

/* ANCHOR: begin */
void conn_input_ended(struct conn *conn, uint64_t now) {
    conn->input_ended = true;
    if (conn->phase == CONN_LINGERING)
        conn_broken(conn);
    else if (conn_takes_body(conn))
        conn_advance_body(conn, now);
}

/* An empty line before a request is passed over (RFC 9112, section 2.2). */
static void skip_empty_lines(struct conn *conn) {
    while (buffer_used(&conn->in) >= 2 &&
           !memcmp(conn->in.bytes + conn->in.start, "\r\n", 2)) {
        buffer_take(&conn->in, 2);
        conn->seen = 0;
    }
}

static void begin(struct conn *conn, size_t head_length, struct demands demands,
                  uint64_t now) {
    struct exchange *exchange = &conn->exchange;
    conn->phase = CONN_ANSWERING;
    conn->head_length = head_length;
    conn->told_disconnect = conn->answer_begun = false;
    conn->body_begun = conn->continued = conn->awaits_room = false;
    conn->deadline = NEVER; /* an application may take its time */
    exchange->head_only = demands.head_only;
    exchange->keep_alive = demands.keep_alive;
    exchange->http10 = exchange->request.minor == 0;
    exchange->expects_continue = demands.expects_continue;
    exchange->started = exchange->body_read = exchange->closes = false;
    exchange->taken = 0;
    body_begin(&conn->body, demands.body, demands.length);
    atomic_store_explicit(&exchange->body_filled, 0, memory_order_relaxed);
    atomic_store_explicit(&exchange->body_ended, body_over(&conn->body),
                          memory_order_relaxed);
    if (!body_over(&conn->body))
        conn_advance_body(conn, now);
    if (conn->phase != CONN_ANSWERING)
        return; /* what came with the head is no body */
    set_last(conn);
    conn->open = true;
    count_request(conn->http->counters);
}
/* ANCHOR_END: begin */

/* ANCHOR: parse */
static int parse(struct conn *conn) {
    skip_empty_lines(conn);
    if (conn->in.start > HEAD_MOST / 2)
        buffer_pack(&conn->in); /* a body will need room behind its head */
    size_t used = buffer_used(&conn->in);
    if (used == 0)
        return PARSE_PARTIAL;
    return conn->http->parse(conn->in.bytes + conn->in.start,
                             used < HEAD_MOST ? used : HEAD_MOST, conn->seen,
                             &conn->exchange.request);
}
/* ANCHOR_END: parse */

/* ANCHOR: judge */
bool conn_begins(struct conn *conn, uint64_t now) {
    if (conn->phase != CONN_READING)
        return false;
    struct exchange *exchange = &conn->exchange;
    uint64_t began = trace_begin();
    int head = parse(conn);
    size_t used = buffer_used(&conn->in);
    exchange->head_only = false;
    if (head > 0) {
        trace_end(began, "parse", exchange->slot, exchange->tag);
        conn->seen = 0;
        struct demands demands = request_demands(&exchange->request);
        exchange->head_only = demands.head_only;
        if (demands.refuse_with)
            conn_refuse(conn, demands.refuse_with, now);
        else
            begin(conn, (size_t)head, demands, now);
    } else if (head != PARSE_PARTIAL)
        conn_refuse(conn, head == PARSE_TOO_MANY ? 431 : 400, now);
    else if (used >= HEAD_MOST) /* not even a line: it must be the target */
        conn_refuse(
            conn, memchr(conn->in.bytes + conn->in.start, '\n', HEAD_MOST) ? 431 : 414,
            now);
    else if (conn->input_ended)
        conn->phase = CONN_OVER;
    else {
        conn->seen = used;
        buffer_pack(&conn->in);
    }
    return conn->phase == CONN_ANSWERING;
}
/* ANCHOR_END: judge */

/* ANCHOR: unread */
bool conn_has_unread(const struct conn *conn) {
    return conn->phase == CONN_READING &&
           (buffer_used(&conn->in) > conn->seen || conn->input_ended);
}
/* ANCHOR_END: unread */

/* ANCHOR: silent */
bool conn_is_silent(const struct conn *conn) {
    return conn->phase == CONN_READING && buffer_used(&conn->in) == 0 &&
           !conn->input_ended;
}
/* ANCHOR_END: silent */

/* ANCHOR: idle */
bool conn_is_idle(const struct conn *conn) {
    return conn->phase == CONN_READING && conn->kept && !conn->head_begun &&
           !conn->input_ended;
}

void conn_await_head(struct conn *conn, uint64_t now) {
    conn->phase = CONN_READING;
    conn->kept = true;
    conn->head_begun = buffer_used(&conn->in) > 0; /* pipelined bytes: here already */
    conn->deadline =
        now + (conn->head_begun ? conn->http->head_timeout : conn->http->idle_timeout);
}
/* ANCHOR_END: idle */
