/* ANCHOR: top */
#include "03-request/conn.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/trace.h"
#include "02-readiness/backend.h"

enum { LINGER_MS = 1000 }; /* for the client to read our last bytes and close */

static size_t filled(const struct conn *conn) {
    return atomic_load_explicit(&conn->exchange.filled, memory_order_acquire);
}

static bool has_ended(const struct conn *conn) {
    return atomic_load_explicit(&conn->exchange.ended, memory_order_acquire);
}

void conn_open(struct conn *conn, const struct http *http, uint32_t slot, uint32_t tag,
               void (*ready)(void *argument, uint32_t slot), void *ready_argument,
               uint64_t now) {
    struct exchange *exchange = &conn->exchange;
    memset(conn, 0, offsetof(struct conn, exchange));
    conn->http = http;
    conn->phase = CONN_READING;
    conn->in = (struct buffer){.bytes = conn->input, .capacity = sizeof conn->input};
    conn->deadline = now + http->head_timeout; /* it may not connect and say nothing */
    exchange->output = conn->output;
    exchange->slot = slot;
    exchange->tag = tag;
    exchange->date = http->date;
    exchange->ready = ready;
    exchange->ready_argument = ready_argument;
    exchange->head_only = exchange->cut_short = false;
    atomic_store_explicit(&exchange->filled, 0, memory_order_relaxed);
    atomic_store_explicit(&exchange->wants_room, false, memory_order_relaxed);
    atomic_store_explicit(&exchange->ended, false, memory_order_relaxed);
}
/* ANCHOR_END: top */

/* ANCHOR: input */
size_t conn_input_room(struct conn *conn, char **at) {
    if (conn->phase == CONN_LINGERING)
        conn->in.start = conn->in.end = 0;
    *at = conn->in.bytes + conn->in.end;
    return buffer_room(&conn->in);
}

void conn_took_input(struct conn *conn, size_t n, uint64_t now) {
    if (conn->phase == CONN_READING && !conn->head_begun) {
        conn->head_begun = true; /* by an empty line, too: it won't put the end off */
        conn->deadline = now + conn->http->head_timeout;
    }
    conn->in.end += n;
}
/* ANCHOR_END: input */

/* ANCHOR: refuse */
/* Sends the client no more than this one answer, and tells it so. */
static void refuse(struct conn *conn, int status, uint64_t now) {
    struct exchange *exchange = &conn->exchange;
    char body[64];
    int length = snprintf(body, sizeof body, "%d %s\n", status, status_reason(status));
    size_t n = write_head(conn->output, OUTPUT_MOST, status, "text/plain",
                          (uint64_t)length, false, false, conn->http->date);
    if (!exchange->head_only) {
        memcpy(conn->output + n, body, (size_t)length);
        n += (size_t)length;
    }
    atomic_store_explicit(&exchange->filled, n, memory_order_relaxed);
    conn->sent = 0;
    conn->phase = CONN_REFUSING;
    conn->deadline = now + conn->http->stall_timeout;
}
/* ANCHOR_END: refuse */

/* ANCHOR: begin */
void conn_input_ended(struct conn *conn) {
    conn->input_ended = true;
    if (conn->phase == CONN_LINGERING)
        conn->phase = CONN_OVER;
}

/* An empty line before a request is passed over (RFC 9112, section 2.2). */
static void skip_empty_lines(struct conn *conn) {
    while (buffer_used(&conn->in) >= 2 &&
           !memcmp(conn->in.bytes + conn->in.start, "\r\n", 2)) {
        buffer_take(&conn->in, 2);
        conn->seen = 0;
    }
}

static void begin(struct conn *conn, size_t head_length, struct demands demands) {
    struct exchange *exchange = &conn->exchange;
    conn->phase = CONN_ANSWERING;
    conn->head_length = head_length;
    conn->told_disconnect = false;
    conn->deadline = NEVER; /* an application may take its time */
    exchange->keep_alive = demands.keep_alive;
    exchange->http10 = exchange->request.minor == 0;
    exchange->started = false;
    count_request(conn->http->counters);
}
/* ANCHOR_END: begin */

/* ANCHOR: parse */
bool conn_begins(struct conn *conn, uint64_t now) {
    if (conn->phase != CONN_READING)
        return false;
    skip_empty_lines(conn);
    size_t used = buffer_used(&conn->in);
    struct exchange *exchange = &conn->exchange;
    uint64_t began = trace_begin();
    exchange->head_only = false;
    int head = used == 0 ? PARSE_PARTIAL
                         : conn->http->parse(conn->in.bytes + conn->in.start, used,
                                             conn->seen, &exchange->request);
    /* ANCHOR_END: parse */
    /* ANCHOR: judge */
    if (head > 0) {
        trace_end(began, "parse", exchange->slot, exchange->tag);
        conn->seen = 0;
        struct demands demands = request_demands(&exchange->request);
        exchange->head_only = demands.head_only;
        if (demands.refuse_with)
            refuse(conn, demands.refuse_with, now);
        else
            begin(conn, (size_t)head, demands);
    } else if (head == PARSE_PARTIAL && conn->input_ended)
        conn->phase = CONN_OVER;
    else if (head == PARSE_PARTIAL && used == conn->in.capacity)
        refuse(conn, 431, now);
    else if (head == PARSE_PARTIAL) {
        conn->seen = used;
        buffer_pack(&conn->in);
    } else
        refuse(conn, head == PARSE_TOO_MANY ? 431 : 400, now);
    return conn->phase == CONN_ANSWERING;
}
/* ANCHOR_END: judge */

/* ANCHOR: unread */
bool conn_has_unread(const struct conn *conn) {
    return conn->phase == CONN_READING &&
           (buffer_used(&conn->in) > conn->seen || conn->input_ended);
}
/* ANCHOR_END: unread */

/* ANCHOR: disconnects */
bool conn_disconnects(struct conn *conn) {
    bool answering = conn->phase == CONN_ANSWERING || conn->phase == CONN_GONE;
    if (!answering || !conn->input_ended || conn->told_disconnect || has_ended(conn))
        return false;
    conn->told_disconnect = true;
    return true;
}
/* ANCHOR_END: disconnects */

/* ANCHOR: room */
bool conn_has_room(struct conn *conn) {
    struct exchange *exchange = &conn->exchange;
    if ((conn->phase != CONN_ANSWERING && conn->phase != CONN_GONE) ||
        !atomic_load_explicit(&exchange->wants_room, memory_order_acquire) ||
        conn->sent < filled(conn))
        return false;
    /* The application waits for our word, so its fields are ours for this moment. */
    conn->sent = 0;
    atomic_store_explicit(&exchange->filled, 0, memory_order_relaxed);
    atomic_store_explicit(&exchange->wants_room, false, memory_order_relaxed);
    return true;
}
/* ANCHOR_END: room */

/* ANCHOR: output */
size_t conn_output(struct conn *conn, const char **at) {
    *at = conn->output + conn->sent;
    return filled(conn) - conn->sent;
}

/* The client has our last byte: it may close, or see that we do. */
static void linger(struct conn *conn, uint64_t now) {
    conn->phase = conn->input_ended ? CONN_OVER : CONN_LINGERING;
    conn->deadline = now + LINGER_MS * NS_PER_MS;
}
/* ANCHOR_END: output */

/* ANCHOR: finish */
static void finish_exchange(struct conn *conn, uint64_t now) {
    struct exchange *exchange = &conn->exchange;
    conn->http->counters->responses++;
    conn->sent = 0;
    atomic_store_explicit(&exchange->filled, 0, memory_order_relaxed);
    atomic_store_explicit(&exchange->wants_room, false, memory_order_relaxed);
    atomic_store_explicit(&exchange->ended, false, memory_order_relaxed);
    buffer_take(&conn->in, conn->head_length);
    if (!exchange->keep_alive || exchange->cut_short) {
        linger(conn, now);
        return;
    }
    conn->phase = CONN_READING;
    conn->head_begun = buffer_used(&conn->in) > 0; /* pipelined bytes: here already */
    conn->deadline =
        now + (conn->head_begun ? conn->http->head_timeout : conn->http->idle_timeout);
}
/* ANCHOR_END: finish */

/* ANCHOR: sent */
void conn_sent(struct conn *conn, size_t n, uint64_t now) {
    conn->sent += n;
    bool ended = has_ended(conn); /* before `filled`: after it no more is added */
    bool all = conn->sent == filled(conn);
    if (conn->phase == CONN_ANSWERING) {
        if (ended && all)
            finish_exchange(conn, now);
        else if (all)
            conn->deadline = NEVER;
        else if (n > 0 || conn->deadline == NEVER)
            conn->deadline = now + conn->http->stall_timeout;
    } else if (conn->phase == CONN_REFUSING) {
        if (all)
            linger(conn, now);
        else if (n > 0)
            conn->deadline = now + conn->http->stall_timeout;
    } else if (conn->phase == CONN_GONE) {
        conn->sent = filled(conn); /* nobody reads it */
        if (ended)
            conn->phase = CONN_OVER;
    }
}
/* ANCHOR_END: sent */

/* ANCHOR: half_closes */
bool conn_half_closes(struct conn *conn) {
    if (conn->phase != CONN_LINGERING || conn->half_closed)
        return false;
    return conn->half_closed = true;
}
/* ANCHOR_END: half_closes */

/* ANCHOR: broken */
void conn_broken(struct conn *conn) {
    conn->input_ended = true;
    bool with_application = conn->phase == CONN_ANSWERING && !has_ended(conn);
    conn->phase = with_application ? CONN_GONE : CONN_OVER;
    conn->deadline = NEVER;
    conn->sent = filled(conn);
}
/* ANCHOR_END: broken */

/* ANCHOR: interest */
int conn_interest(const struct conn *conn) {
    int interest = 0;
    bool reads = conn->phase == CONN_READING || conn->phase == CONN_ANSWERING;
    if (!conn->input_ended &&
        ((reads && buffer_room(&conn->in) > 0) || conn->phase == CONN_LINGERING))
        interest |= READABLE;
    bool writes = conn->phase == CONN_ANSWERING || conn->phase == CONN_REFUSING;
    if (writes && conn->sent < filled(conn))
        interest |= WRITABLE;
    return interest;
}
/* ANCHOR_END: interest */

/* ANCHOR: expired */
void conn_expired(struct conn *conn, uint64_t now) {
    if (conn->phase == CONN_READING && buffer_used(&conn->in) > 0)
        refuse(conn, 408, now);
    else
        conn_broken(conn);
}
/* ANCHOR_END: expired */
