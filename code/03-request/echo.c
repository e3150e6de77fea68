#include "03-request/echo.h"

#include <assert.h>
#include <stdlib.h>

#include "03-request/hello.h"

void echo_forget(struct echo *echo) {
    free(echo->bytes);
    *echo = (struct echo){0};
}

static void give(struct echo *echo) {
    struct exchange *exchange = echo->exchange;
    echo->given += exchange_chunk(exchange, echo->bytes + echo->given,
                                  echo->length - echo->given, false);
    if (echo->given < echo->length)
        return;
    echo_forget(echo);
    exchange_end(exchange);
}

static void answer(struct echo *echo) {
    static const char type[] = "application/octet-stream";
    const struct field fields[] = {{text_of("Content-Type"), text_of(type)}};
    echo->answering = true;
    int failed = exchange_start(echo->exchange, 200, fields, 1, echo->length);
    assert(!failed);
    (void)failed;
    give(echo);
}

static bool has_room(struct echo *echo) {
    if (echo->length < echo->capacity)
        return true;
    size_t capacity = echo->capacity ? 2 * echo->capacity : BODY_ROOM;
    char *bytes = realloc(echo->bytes, capacity);
    if (!bytes)
        return false;
    echo->bytes = bytes;
    echo->capacity = capacity;
    return true;
}

void echo_body(struct echo *echo) {
    struct exchange *exchange = echo->exchange;
    int n = 0;
    do {
        echo->length += (size_t)n;
        if (!has_room(echo)) {
            echo_forget(echo);
            exchange_answer(exchange, 503, "text/plain", "no memory\n", 10);
            return;
        }
        n = exchange_read(exchange, echo->bytes + echo->length,
                          (int)(echo->capacity - echo->length));
    } while (n > 0);
    if (n < 0)
        answer(echo);
}

void echo_begin(struct echo *echo, struct exchange *exchange) {
    struct text method = exchange->request.method;
    if (!text_is(method, "POST") && !text_is(method, "PUT")) {
        answer_not_allowed(exchange, "POST, PUT");
        return;
    }
    *echo = (struct echo){.exchange = exchange};
    echo_body(echo);
}

void echo_on_room(struct echo *echo) {
    give(echo);
}

void echo_disconnect(struct echo *echo) {
    struct exchange *exchange = echo->exchange;
    if (echo->answering || exchange_body_is_whole(exchange))
        return; /* it may still read */
    echo_forget(echo);
    exchange_end(exchange);
}
