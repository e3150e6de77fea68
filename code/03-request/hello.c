/* ANCHOR: answers */
#include "03-request/hello.h"

#include <assert.h>

#include "02-readiness/slots.h"
#include "03-request/echo.h"

void answer_hello(struct exchange *exchange) {
    exchange_answer(exchange, 200, "text/plain", "hello\n", 6);
}

void answer_not_found(struct exchange *exchange) {
    exchange_answer(exchange, 404, "text/plain", "not found\n", 10);
}

void answer_not_allowed(struct exchange *exchange, const char *allowed) {
    const struct field fields[] = {{text_of("Content-Type"), text_of("text/plain")},
                                   {text_of("Allow"), text_of(allowed)}};
    int failed = exchange_start(exchange, 405, fields, 2, 12);
    assert(!failed);
    (void)failed;
    exchange_chunk(exchange, "not allowed\n", 12, false);
    exchange_end(exchange);
}

bool only_get(struct exchange *exchange) {
    struct text method = exchange->request.method;
    if (text_is(method, "GET") || text_is(method, "HEAD"))
        return true;
    answer_not_allowed(exchange, "GET, HEAD");
    return false;
}
/* ANCHOR_END: answers */

/* ANCHOR: application */
static struct echo echoes[SLOTS];

static void begin(void *self, struct exchange *exchange) {
    (void)self;
    if (text_is(exchange->request.path, "/echo"))
        echo_begin(&echoes[exchange->slot], exchange);
    else if (!text_is(exchange->request.path, "/"))
        answer_not_found(exchange);
    else if (only_get(exchange))
        answer_hello(exchange);
}

/* Hello is answered before begin() returns, so whatever comes later is about an echo. */
static void body(void *self, struct exchange *exchange) {
    (void)self;
    echo_body(&echoes[exchange->slot]);
}

static void on_room(void *self, struct exchange *exchange) {
    (void)self;
    echo_on_room(&echoes[exchange->slot]);
}

static void disconnect(void *self, struct exchange *exchange) {
    (void)self;
    echo_disconnect(&echoes[exchange->slot]);
}

static void shut_down(void *self) {
    (void)self;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        echo_forget(&echoes[slot]);
}

const struct application hello_application = {
    .begin = begin,
    .body = body,
    .on_room = on_room,
    .disconnect = disconnect,
    .shutdown = shut_down,
};
/* ANCHOR_END: application */
