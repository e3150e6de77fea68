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
static bool takes_body(const struct conn *conn) {
    return (conn->phase == CONN_ANSWERING || conn->phase == CONN_SKIPPING) &&
           !body_over(&conn->body);
}

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
    else if (takes_body(conn))
        conn_advance_body(conn, now);
    conn_stops(conn, now);
}
/* ANCHOR_END: input */

/* ANCHOR: advance */
/* The body can't be read to its end. */
static void fail_body(struct conn *conn, int status, uint64_t now) {
    if (conn->phase == CONN_SKIPPING)
        conn_linger(conn, now);
    else if (conn_ended(conn)) /* its answer is on the way, and is the last */
        conn->exchange.closes = true;
    else if (!conn->answer_begun)
        conn_refuse(conn, status, now);
    else
        conn_broken(conn);
}

/* Has the application's answer begun? Then a client who sends no more may still read
 * it, though his request is never whole. */
static bool answers(const struct conn *conn) {
    return conn->phase == CONN_ANSWERING &&
           (conn->answer_begun || conn_filled(conn) > 0);
}

void conn_advance_body(struct conn *conn, uint64_t now) {
    static const int status_of[] = {
        [BODY_BAD] = 400, [BODY_TOO_LARGE] = 413, [BODY_TOO_MANY] = 431};
    struct exchange *exchange = &conn->exchange;
    bool dropped = conn->phase == CONN_SKIPPING || conn_ended(conn);
    char *raw = conn->in.bytes + conn->in.start + conn->head_length;
    size_t length = buffer_used(&conn->in) - conn->head_length, used, made;
    size_t filled = atomic_load_explicit(&exchange->body_filled, memory_order_relaxed);
    size_t room = dropped ? SIZE_MAX : BODY_ROOM - filled;
    enum body_result result =
        body_decode(&conn->body, raw, length, &used,
                    dropped ? NULL : exchange->body + filled, room, &made);
    memmove(raw, raw + used, length - used);
    conn->in.end -= used;
    conn->body_begun |= used > 0;
    if (!dropped)
        atomic_store_explicit(&exchange->body_filled, filled + made,
                              memory_order_release);
    if (result == BODY_OVER)
        atomic_store_explicit(&exchange->body_ended, true, memory_order_release);
    else if (result != BODY_PARTIAL)
        fail_body(conn, status_of[result], now);
    else if (conn->input_ended && made < room && !answers(conn))
        fail_body(conn, 400, now); /* the client left in the middle of it */
    if (conn->phase == CONN_SKIPPING && result == BODY_OVER)
        conn_await_head(conn, now);
    else if (conn->phase == CONN_SKIPPING)
        conn->deadline = now + conn->http->stall_timeout;
    else if (conn->phase == CONN_ANSWERING)
        conn_set_stall(conn, used > 0 && conn->sent == conn_filled(conn), now);
}
/* ANCHOR_END: advance */

/* ANCHOR: begin */
void conn_input_ended(struct conn *conn, uint64_t now) {
    conn->input_ended = true;
    if (conn->phase == CONN_LINGERING)
        conn_broken(conn);
    else if (takes_body(conn))
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

/* ANCHOR: continue */
/* Tells the client to go on, if it waits for that and wasn't told (RFC 9110, section
 * 10.1.1). */
static void say_continue(struct conn *conn) {
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (!conn->exchange.expects_continue || conn->continued || conn->body_begun ||
        conn->phase != CONN_ANSWERING || conn_filled(conn) > 0)
        return;
    conn->continued = true;
    conn->own_length = sizeof go_on - 1;
    memcpy(conn->own, go_on, conn->own_length);
}
/* ANCHOR_END: continue */

/* ANCHOR: has_body */
bool conn_has_body(struct conn *conn, uint64_t now) {
    struct exchange *exchange = &conn->exchange;
    if (!conn->open || conn_ended(conn) ||
        !atomic_load_explicit(&exchange->wants_body, memory_order_acquire))
        return false;
    /* The application waits for our word, so what it has taken is ours for this
     * moment. If it has taken all, there is room again for the whole buffer. */
    size_t filled = atomic_load_explicit(&exchange->body_filled, memory_order_relaxed);
    if (exchange->taken == filled) {
        exchange->taken = 0;
        atomic_store_explicit(&exchange->body_filled, 0, memory_order_relaxed);
        if (takes_body(conn))
            conn_advance_body(conn, now);
        filled = atomic_load_explicit(&exchange->body_filled, memory_order_relaxed);
    }
    if (exchange->taken == filled && !exchange_body_is_whole(exchange)) {
        say_continue(conn);
        return false;
    }
    atomic_store_explicit(&exchange->wants_body, false, memory_order_release);
    return true;
}
/* ANCHOR_END: has_body */

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
