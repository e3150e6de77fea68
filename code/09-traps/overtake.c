/* ANCHOR: top */
/* A trap: a request goes straight to the application, and the disconnect that came
 * before it stands in a queue. */
#include <stddef.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "09-traps/traps.h"

static const struct application *straight(void *self) {
    return &((struct overtake *)self)->stream->application;
}
/* ANCHOR_END: top */

/* ANCHOR: late */
enum { LATE_MS = 5 };

/* Two things end a stream. Its task is found by the slot, its exchange is checked by the
 * tag. Whoever has the slot by now loses the first and keeps the second. */
static void pop(struct overtake *overtake) {
    struct late_disconnect *late = &overtake->late[overtake->popped++ % LATE_MOST];
    struct exchange *exchange = late->exchange;
    stream_halt(overtake->stream, exchange->slot);
    if (exchange->with_application && exchange->tag == late->tag)
        exchange_end(exchange);
}
/* ANCHOR_END: late */

/* ANCHOR: queue */
static void empty_queue(void *argument) {
    struct overtake *overtake = argument;
    overtake->timer = 0;
    while (overtake->popped != overtake->pushed)
        pop(overtake);
}

static void disconnect(void *self, struct exchange *exchange) {
    struct overtake *overtake = self;
    const struct executor *executor = overtake->stream->executor;
    if (!overtake->stream->tasks[exchange->slot].exchange) { /* not a stream's */
        straight(self)->disconnect(straight(self)->self, exchange);
        return;
    }
    if (overtake->pushed - overtake->popped == LATE_MOST)
        pop(overtake);
    overtake->late[overtake->pushed++ % LATE_MOST] =
        (struct late_disconnect){exchange, exchange->tag};
    if (overtake->timer)
        return;
    overtake->timer = executor->call_later(executor->self, LATE_MS * NS_PER_MS,
                                           empty_queue, overtake);
    if (!overtake->timer)
        die("can't set a timer: out of memory");
}
/* ANCHOR_END: queue */

/* ANCHOR: straight */
static void begin(void *self, struct exchange *exchange) {
    straight(self)->begin(straight(self)->self, exchange);
}

static void body(void *self, struct exchange *exchange) {
    straight(self)->body(straight(self)->self, exchange);
}

static void on_room(void *self, struct exchange *exchange) {
    straight(self)->on_room(straight(self)->self, exchange);
}

static void stopping(void *self) {
    straight(self)->stopping(straight(self)->self);
}

static void shut_down(void *self) {
    struct overtake *overtake = self;
    const struct executor *executor = overtake->stream->executor;
    if (overtake->timer)
        executor->cancel(executor->self, overtake->timer);
    straight(self)->shutdown(straight(self)->self);
}

void overtake_init(struct overtake *overtake, struct stream *stream) {
    *overtake = (struct overtake){.stream = stream};
    overtake->application = (struct application){
        .self = overtake,
        .begin = begin,
        .body = body,
        .on_room = on_room,
        .disconnect = disconnect,
        .stopping = stopping,
        .shutdown = shut_down,
    };
}
/* ANCHOR_END: straight */
