/* ANCHOR: top */
#include "03-request/exchange.h"

#include <assert.h>
#include <string.h>
/* ANCHOR_END: top */

/* ANCHOR: read */
int exchange_read(struct exchange *exchange, char *into, int room) {
    assert(room > 0);
    if (atomic_load_explicit(&exchange->wants_body, memory_order_acquire))
        return 0; /* we have asked, and the loop may be about to answer */
    bool ended = exchange_body_is_whole(exchange); /* before what was filled */
    size_t filled = atomic_load_explicit(&exchange->body_filled, memory_order_acquire);
    size_t n = filled - exchange->taken;
    if (n > 0) {
        n = n < (size_t)room ? n : (size_t)room;
        memcpy(into, exchange->body + exchange->taken, n);
        exchange->taken += n;
        exchange->body_read = true;
        return (int)n;
    }
    if (ended)
        return -1;
    atomic_store_explicit(&exchange->wants_body, true, memory_order_release);
    exchange->ready(exchange->ready_argument, exchange->slot);
    return 0;
}
/* ANCHOR_END: read */

/* ANCHOR: start */
bool exchange_body_is_whole(const struct exchange *exchange) {
    return atomic_load_explicit(&exchange->body_ended, memory_order_acquire);
}

int exchange_start(struct exchange *exchange, int status, const struct field *fields,
                   int count, uint64_t length) {
    assert(!exchange->started);
    /* A client that waits for the word to go on may now send its body or not, and we
     * couldn't tell a body from a request (RFC 9110, section 10.1.1). */
    bool kept_waiting = exchange->expects_continue && !exchange->body_read &&
                        !exchange_body_is_whole(exchange);
    bool to_the_end = length == LENGTH_UNKNOWN && exchange->http10;
    bool last = atomic_load_explicit(&exchange->last, memory_order_relaxed);
    exchange->closes = kept_waiting || to_the_end || last;
    const struct head head = {
        .status = status,
        .fields = fields,
        .count = count,
        .length = length,
        .keep_alive = exchange->keep_alive && !exchange->closes,
        .http10 = exchange->http10,
        .date = exchange->date,
    };
    size_t n = head_write(&head, exchange->output, HEAD_MOST);
    if (n == 0)
        return -1;
    exchange->started = true;
    exchange->promised = length;
    exchange->no_body = exchange->head_only || !status_has_body(status);
    exchange->chunked = length == LENGTH_UNKNOWN && !exchange->http10;
    atomic_store_explicit(&exchange->filled, n, memory_order_release);
    return 0;
}
/* ANCHOR_END: start */

/* ANCHOR: frame */
static const char last_chunk[] = "0\r\n\r\n";
enum {
    LAST_CHUNK = sizeof last_chunk - 1, /* bytes; room for it is always kept */
    FRAME_MOST = 5 + 2 + 2, /* a chunk's size in hexadecimal and two line ends */
};

/* Adds `n` bytes to the output as one chunk (RFC 9112, section 7.1). */
static size_t put_chunk(char *output, const char *bytes, size_t n) {
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;
    int shift = 16; /* OUTPUT_MOST has five digits */
    while (shift > 0 && n >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        output[at++] = digits[n >> shift & 15];
    output[at++] = '\r';
    output[at++] = '\n';
    memcpy(output + at, bytes, n);
    at += n;
    output[at++] = '\r';
    output[at++] = '\n';
    return at;
}
/* ANCHOR_END: frame */

/* ANCHOR: chunk */
/* Puts as many of the bytes into the output as fit, and returns how many. */
static size_t put(struct exchange *exchange, const char *bytes, size_t n) {
    size_t filled = atomic_load_explicit(&exchange->filled, memory_order_acquire);
    size_t room = OUTPUT_MOST - filled;
    if (exchange->chunked)
        room = room > FRAME_MOST + LAST_CHUNK ? room - FRAME_MOST - LAST_CHUNK : 0;
    n = n < room ? n : room;
    if (exchange->chunked && n > 0)
        filled += put_chunk(exchange->output + filled, bytes, n);
    else if (n > 0) {
        memcpy(exchange->output + filled, bytes, n);
        filled += n;
    }
    atomic_store_explicit(&exchange->filled, filled, memory_order_release);
    return n;
}

size_t exchange_chunk(struct exchange *exchange, const char *bytes, size_t n,
                      bool more) {
    assert(exchange->started && n <= exchange->promised);
    assert(!atomic_load_explicit(&exchange->wants_room, memory_order_relaxed));
    size_t taken = exchange->no_body ? n : put(exchange, bytes, n);
    if (exchange->promised != LENGTH_UNKNOWN)
        exchange->promised -= taken;
    else if (taken == n && !more)
        exchange->promised = 0;
    if (taken < n)
        atomic_store_explicit(&exchange->wants_room, true, memory_order_release);
    if (more || taken < n)
        exchange->ready(exchange->ready_argument, exchange->slot);
    return taken;
}
/* ANCHOR_END: chunk */

/* ANCHOR: end */
void exchange_end(struct exchange *exchange) {
    static const char sorry[] = "the application gave no answer\n";
    if (!exchange->started) {
        exchange_start(exchange, 500, NULL, 0, sizeof sorry - 1);
        exchange_chunk(exchange, sorry, sizeof sorry - 1, false);
    }
    if (exchange->promised > 0 && !exchange->no_body)
        exchange->closes = true; /* and without a last chunk: it was cut short */
    else if (exchange->chunked && !exchange->no_body) {
        size_t n = atomic_load_explicit(&exchange->filled, memory_order_acquire);
        memcpy(exchange->output + n, last_chunk, LAST_CHUNK);
        atomic_store_explicit(&exchange->filled, n + LAST_CHUNK, memory_order_release);
    }
    /* ANCHOR_END: end */
    /* ANCHOR: hand_back */
    exchange->with_application = false;
    /* Once `ended` is set the loop may give the slot to somebody else, so what is
     * needed after it is read before it. */
    void (*ready)(void *, uint32_t) = exchange->ready;
    void *argument = exchange->ready_argument;
    uint32_t slot = exchange->slot;
    atomic_store_explicit(&exchange->ended, true, memory_order_release);
    ready(argument, slot);
}
/* ANCHOR_END: hand_back */

/* ANCHOR: answer */
void exchange_answer(struct exchange *exchange, int status, const char *type,
                     const char *body, size_t n) {
    assert(n <= OUTPUT_MOST / 2);
    const struct field fields[] = {{text_of("Content-Type"), text_of(type)}};
    int failed = exchange_start(exchange, status, fields, 1, n);
    assert(!failed);
    (void)failed;
    exchange_chunk(exchange, body, n, false);
    exchange_end(exchange);
}
/* ANCHOR_END: answer */
