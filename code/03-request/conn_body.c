/* ANCHOR: top */
#include <string.h>

#include "03-request/conn_inside.h"
/* ANCHOR_END: top */

/* ANCHOR: advance */
bool conn_takes_body(const struct conn *conn) {
    return (conn->phase == CONN_ANSWERING || conn->phase == CONN_SKIPPING) &&
           !body_over(&conn->body);
}

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
        if (conn_takes_body(conn))
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
