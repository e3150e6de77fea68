#include "03-request/hello.h"

void answer_hello(struct exchange *exchange) {
    exchange_answer(exchange, 200, "text/plain", "hello\n", 6);
}

void answer_not_found(struct exchange *exchange) {
    exchange_answer(exchange, 404, "text/plain", "not found\n", 10);
}

static void begin(void *self, struct exchange *exchange) {
    (void)self;
    if (text_is(exchange->request.path, "/"))
        answer_hello(exchange);
    else
        answer_not_found(exchange);
}

static void ignore(void *self, struct exchange *exchange) {
    (void)self;
    (void)exchange;
}

static void ignore_shutdown(void *self) {
    (void)self;
}

const struct application hello_application = {
    .begin = begin,
    .on_room = ignore,
    .disconnect = ignore,
    .shutdown = ignore_shutdown,
};
