/* ANCHOR: top */
#include "09-traps/stream.h"

#include <stdio.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "03-request/hello.h"

enum {
    CHUNKS_MOST = 1000000,
    MS_MOST = 60000,
    BYTES_MOST = 1048576,
    BYTES_ELSE = 1024,
    WORD_MOST = 64,
};
/* ANCHOR_END: top */

/* ANCHOR: end */
void stream_halt(struct stream *stream, uint32_t slot) {
    struct stream_task *task = &stream->tasks[slot];
    if (task->timer)
        stream->executor->cancel(stream->executor->self, task->timer);
    task->timer = 0;
    task->left = 0; /* on_room would go on from there */
}

/* Ends the answer where it stands. The client sees that it isn't whole. */
static void cut(struct stream_task *task) {
    stream_halt(task->stream, task->exchange->slot);
    exchange_end(task->exchange);
}

static void finish(struct stream_task *task) {
    exchange_chunk(task->exchange, "", 0, false);
    cut(task);
}
/* ANCHOR_END: end */

/* ANCHOR: piece */
/* Makes the next bytes of the chunk that is under way; returns how many. */
static size_t make_piece(const struct stream_task *task) {
    char *piece = task->stream->piece;
    size_t line = task->word.length + 1;
    size_t at = (task->bytes - task->left) % line;
    size_t n = task->left < OUTPUT_MOST ? task->left : OUTPUT_MOST;
    for (size_t i = 0; i < n; i++) {
        piece[i] = at < task->word.length ? task->word.at[at] : '\n';
        at = at + 1 < line ? at + 1 : 0;
    }
    return n;
}
/* ANCHOR_END: piece */

/* ANCHOR: give */
static bool is_last(const struct stream_task *task) {
    return task->endless ? task->stream->stopping : task->chunks == 0;
}

static void next_chunk(void *argument);

/* Gives what is left of this chunk, as far as there is room: on_room goes on from here. */
static void give(struct stream_task *task) {
    struct stream *stream = task->stream;
    while (task->left > 0) {
        size_t n = make_piece(task);
        bool more = n < task->left || !is_last(task);
        size_t taken = stream->chunk(task->exchange, stream->piece, n, more);
        task->left -= taken;
        if (taken < n)
            return;
    }
    if (is_last(task)) {
        finish(task);
        return;
    }
    task->timer = stream->executor->call_later(stream->executor->self,
                                               task->ms * NS_PER_MS, next_chunk, task);
    if (!task->timer)
        die("can't set a timer: out of memory");
}
/* ANCHOR_END: give */

/* ANCHOR: next */
static void next_chunk(void *argument) {
    struct stream_task *task = argument;
    task->timer = 0;
    task->left = task->bytes;
    task->chunks -= task->chunks > 0;
    give(task);
}

static void on_room(void *self, struct exchange *exchange) {
    struct stream *stream = self;
    struct stream_task *task = &stream->tasks[exchange->slot];
    if (!task->exchange)
        stream->rest->on_room(stream->rest->self, exchange);
    else if (task->left > 0)
        give(task);
}
/* ANCHOR_END: next */

/* ANCHOR: disconnect */
static void disconnect(void *self, struct exchange *exchange) {
    struct stream *stream = self;
    struct stream_task *task = &stream->tasks[exchange->slot];
    if (task->exchange)
        cut(task);
    else
        stream->rest->disconnect(stream->rest->self, exchange);
}
/* ANCHOR_END: disconnect */

/* ANCHOR: stopping */
/* An endless stream that is in the middle of a chunk comes to its end in give(). */
static void stopping(void *self) {
    struct stream *stream = self;
    stream->stopping = true;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (stream->tasks[slot].timer && stream->tasks[slot].endless)
            finish(&stream->tasks[slot]);
    if (stream->rest->stopping)
        stream->rest->stopping(stream->rest->self);
}
/* ANCHOR_END: stopping */

/* ANCHOR: begin */
/* The number that the query gives for `name`; without one it stays as it is. False if
 * it isn't from `low` to `high`. */
static bool take_number(struct text query, const char *name, uint64_t low,
                        uint64_t high, uint64_t *number) {
    struct text value;
    if (!text_parameter(query, name, &value))
        return true;
    return text_number(value, high, number) && *number >= low;
}

static bool take_query(struct stream_task *task, struct text query) {
    task->chunks = 1;
    task->bytes = BYTES_ELSE;
    if (!text_parameter(query, "word", &task->word))
        task->word = text_of("stream");
    bool good = take_number(query, "chunks", 0, CHUNKS_MOST, &task->chunks) &&
                take_number(query, "ms", 0, MS_MOST, &task->ms) &&
                take_number(query, "bytes", 1, BYTES_MOST, &task->bytes) &&
                task->word.length >= 1 && task->word.length <= WORD_MOST;
    task->endless = task->chunks == 0;
    return good;
}

static void refuse(struct exchange *exchange) {
    char body[160];
    int n = snprintf(body, sizeof body,
                     "chunks: 0 to %d; ms: 0 to %d; bytes: 1 to %d; word: 1 to %d "
                     "bytes\n",
                     CHUNKS_MOST, MS_MOST, BYTES_MOST, WORD_MOST);
    exchange_answer(exchange, 400, "text/plain", body, (size_t)n);
}

static void begin_stream(struct stream_task *task, struct exchange *exchange) {
    const struct field fields[] = {{text_of("Content-Type"), text_of("text/plain")}};
    if (!only_get(exchange))
        return;
    if (!take_query(task, exchange->request.query)) {
        refuse(exchange);
        return;
    }
    if (exchange_start(exchange, 200, fields, 1, LENGTH_UNKNOWN) != 0)
        die("can't begin an answer");
    task->exchange = exchange;
    if (exchange->head_only) /* its output is never full, so nothing would slow it */
        finish(task);
    else
        next_chunk(task);
}

static void begin(void *self, struct exchange *exchange) {
    struct stream *stream = self;
    struct stream_task *task = &stream->tasks[exchange->slot];
    *task = (struct stream_task){.stream = stream};
    if (text_is(exchange->request.path, "/stream"))
        begin_stream(task, exchange);
    else
        stream->rest->begin(stream->rest->self, exchange);
}
/* ANCHOR_END: begin */

/* ANCHOR: rest */
/* A stream reads no body, so it is never told of one. */
static void body(void *self, struct exchange *exchange) {
    struct stream *stream = self;
    stream->rest->body(stream->rest->self, exchange);
}

static void shut_down(void *self) {
    struct stream *stream = self;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        stream_halt(stream, slot);
    stream->rest->shutdown(stream->rest->self);
}

void stream_init(struct stream *stream, const struct executor *executor,
                 const struct application *rest, chunk_call *chunk) {
    stream->executor = executor;
    stream->rest = rest;
    stream->chunk = chunk;
    stream->application = (struct application){
        .self = stream,
        .begin = begin,
        .body = body,
        .on_room = on_room,
        .disconnect = disconnect,
        .stopping = stopping,
        .shutdown = shut_down,
    };
}
/* ANCHOR_END: rest */
