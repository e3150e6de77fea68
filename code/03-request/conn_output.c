/* ANCHOR: refuse */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "00-ground/clock.h"
#include "02-readiness/backend.h"
#include "03-request/conn.h"
#include "03-request/conn_inside.h"

void conn_refuse(struct conn *conn, int status, uint64_t now) {
    char body[64];
    int length = snprintf(body, sizeof body, "%d %s\n", status, status_reason(status));
    const struct field fields[] = {{text_of("Content-Type"), text_of("text/plain")}};
    const struct head head = {
        .status = status,
        .fields = fields,
        .count = 1,
        .length = (uint64_t)length,
        .date = conn->http->date,
    };
    /* A word to go on may stand before it and be half sent. */
    char *own = conn->own + conn->own_length;
    size_t n = head_write(&head, own, OWN_MOST - conn->own_length - sizeof body);
    assert(n > 0);
    if (!conn->exchange.head_only) {
        memcpy(own + n, body, (size_t)length);
        n += (size_t)length;
    }
    conn->own_length += n;
    conn->phase = CONN_REFUSING;
    conn->deadline = now + conn->http->stall_timeout;
}
/* ANCHOR_END: refuse */

/* ANCHOR: disconnects */
bool conn_disconnects(struct conn *conn) {
    bool nothing_comes =
        conn->input_ended &&
        (body_over(&conn->body) || buffer_used(&conn->in) == conn->head_length);
    bool cut_off = conn->phase != CONN_ANSWERING || nothing_comes;
    if (!conn->open || !cut_off || conn->told_disconnect || conn_ended(conn))
        return false;
    conn->told_disconnect = true;
    return true;
}
/* ANCHOR_END: disconnects */

/* ANCHOR: room */
bool conn_has_room(struct conn *conn) {
    struct exchange *exchange = &conn->exchange;
    if (!conn->open ||
        !atomic_load_explicit(&exchange->wants_room, memory_order_acquire) ||
        conn->sent < conn_filled(conn))
        return false;
    /* The application waits for our word, so its fields are ours for this moment. */
    conn->sent = 0;
    atomic_store_explicit(&exchange->filled, 0, memory_order_relaxed);
    atomic_store_explicit(&exchange->wants_room, false, memory_order_release);
    return true;
}
/* ANCHOR_END: room */

/* ANCHOR: output */
size_t conn_output(struct conn *conn, const char **at) {
    if (conn->own_sent < conn->own_length) {
        *at = conn->own + conn->own_sent;
        return conn->own_length - conn->own_sent;
    }
    *at = conn->output + conn->sent;
    return conn->phase == CONN_ANSWERING ? conn_filled(conn) - conn->sent : 0;
}

bool conn_half_closes(struct conn *conn) {
    if (conn->phase != CONN_LINGERING || conn->half_closed)
        return false;
    return conn->half_closed = true;
}
/* ANCHOR_END: output */

/* ANCHOR: linger */
enum {
    LINGER_QUIET_MS = 1000, /* without a byte of the client's, or until it closes */
    LINGER_MOST_MS = 30000,
};

void conn_linger(struct conn *conn, uint64_t now) {
    if (conn->input_ended) {
        conn_broken(conn);
        return;
    }
    if (conn->phase != CONN_LINGERING)
        conn->linger_end = now + LINGER_MOST_MS * NS_PER_MS;
    conn->phase = CONN_LINGERING;
    uint64_t quiet = now + LINGER_QUIET_MS * NS_PER_MS;
    conn->deadline = quiet < conn->linger_end ? quiet : conn->linger_end;
}

/* Bytes don't put this off. No phase but these two sets `linger_end`. */
void conn_hurry(struct conn *conn, uint64_t now) {
    if (conn->phase != CONN_LINGERING && conn->phase != CONN_SKIPPING)
        return;
    uint64_t quiet = now + LINGER_QUIET_MS * NS_PER_MS;
    if (conn->linger_end == 0 || conn->linger_end > quiet)
        conn->linger_end = quiet;
    if (conn->deadline > conn->linger_end)
        conn->deadline = conn->linger_end;
}
/* ANCHOR_END: linger */

/* ANCHOR: finish */
static void finish_exchange(struct conn *conn, uint64_t now) {
    struct exchange *exchange = &conn->exchange;
    conn->http->counters->responses++;
    conn->open = false;
    conn->sent = 0;
    atomic_store_explicit(&exchange->filled, 0, memory_order_relaxed);
    atomic_store_explicit(&exchange->wants_room, false, memory_order_relaxed);
    atomic_store_explicit(&exchange->wants_body, false, memory_order_relaxed);
    atomic_store_explicit(&exchange->ended, false, memory_order_relaxed);
    buffer_take(&conn->in, conn->head_length);
    conn->head_length = 0;
    if (!exchange->keep_alive || exchange->closes)
        conn_linger(conn, now);
    else if (body_over(&conn->body))
        conn_await_head(conn, now);
    else {
        conn->phase = CONN_SKIPPING;
        conn_advance_body(conn, now);
    }
}
/* ANCHOR_END: finish */

/* ANCHOR: sent */
void conn_sent(struct conn *conn, size_t n, uint64_t now) {
    bool own = conn->own_sent < conn->own_length;
    if (own && (conn->own_sent += n) == conn->own_length)
        conn->own_sent = conn->own_length = 0;
    if (n > 0)
        conn->held = HELD_UNKNOWN; /* it is more now */
    bool ended = conn_ended(conn); /* before what is filled: after it no more is */
    if (conn->phase == CONN_ANSWERING) {
        conn->sent += own ? 0 : n;
        conn->answer_begun |= !own && n > 0;
        if (ended && conn->own_length == 0 && conn->sent == conn_filled(conn))
            finish_exchange(conn, now);
        else
            conn_set_stall(conn, n > 0, now);
        return;
    }
    if (conn->phase == CONN_REFUSING && conn->own_length == 0)
        conn_linger(conn, now);
    else if (conn->phase == CONN_REFUSING && n > 0)
        conn->deadline = now + conn->http->stall_timeout;
    if (conn->open)
        conn->sent = conn_filled(conn); /* nobody reads it */
    if (conn->open && ended) {
        conn->open = false;
        if (conn->phase == CONN_GONE)
            conn->phase = CONN_OVER;
    }
}
/* ANCHOR_END: sent */

/* ANCHOR: stall */
void conn_set_stall(struct conn *conn, bool progress, uint64_t now) {
    bool wants_body =
        atomic_load_explicit(&conn->exchange.wants_body, memory_order_acquire);
    bool unsent = conn->own_length > 0 || conn->sent < conn_filled(conn);
    bool another = unsent != conn->awaits_room; /* we waited for something else */
    conn->awaits_room = unsent;
    if (!unsent && (!wants_body || body_over(&conn->body)))
        conn->deadline = NEVER; /* we wait for the application */
    else if (progress || another || conn->deadline == NEVER)
        conn->deadline = now + conn->http->stall_timeout;
}
/* ANCHOR_END: stall */

/* ANCHOR: broken */
void conn_broken(struct conn *conn) {
    conn->input_ended = true;
    if (conn_ended(conn))
        conn->open = false;
    conn->phase = conn->open ? CONN_GONE : CONN_OVER;
    conn->deadline = NEVER;
    conn->own_length = conn->own_sent = 0;
    conn->sent = conn_filled(conn);
}
/* ANCHOR_END: broken */

/* ANCHOR: interest */
int conn_interest(const struct conn *conn) {
    int interest = 0;
    bool reads = conn->phase == CONN_READING || conn->phase == CONN_ANSWERING ||
                 conn->phase == CONN_SKIPPING;
    if (!conn->input_ended &&
        ((reads && buffer_room(&conn->in) > 0) || conn->phase == CONN_LINGERING))
        interest |= READABLE;
    bool answers = conn->phase == CONN_ANSWERING && conn->sent < conn_filled(conn);
    if (answers || conn->own_length > 0)
        interest |= WRITABLE;
    return interest;
}
/* ANCHOR_END: interest */

/* ANCHOR: reads_on */
/* Our output can't move, but does what was sent before it? The first look after that
 * has nothing to compare with, and counts for the client. */
static bool reads_on(struct conn *conn, size_t held) {
    bool fewer = held < conn->held;
    conn->held = held;
    return fewer && conn_interest(conn) & WRITABLE;
}
/* ANCHOR_END: reads_on */

/* ANCHOR: expired */
void conn_expired(struct conn *conn, size_t held, uint64_t now) {
    if (conn->phase == CONN_ANSWERING) {
        conn_set_stall(conn, false, now); /* it may have been answered since */
        if (conn->deadline > now)
            return;
    }
    if (reads_on(conn, held)) {
        conn->deadline = now + conn->http->stall_timeout;
        return;
    }
    bool half_a_head = conn->phase == CONN_READING && buffer_used(&conn->in) > 0;
    bool half_a_body = conn->phase == CONN_ANSWERING && !conn->answer_begun &&
                       conn->own_length == 0 && conn_filled(conn) == 0;
    if (half_a_head || half_a_body)
        conn_refuse(conn, 408, now);
    else {
        conn->http->counters->given_up += conn->open;
        conn_broken(conn);
    }
}
/* ANCHOR_END: expired */
