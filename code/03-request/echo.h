/* /echo: an answer that is the request's body. */
#ifndef REQUEST_ECHO_H
#define REQUEST_ECHO_H

#include "03-request/exchange.h"

/* All zero bytes are one that echoes nothing. */
struct echo {
    struct exchange *exchange; /* NULL: none */
    char *bytes;               /* owned */
    size_t length, capacity;   /* of bytes: what has come, and the memory it lies in */
    size_t given;              /* what has gone back */
    bool answering;            /* the body is whole */
};

/* Takes a request on. The whole body is kept, up to BODY_MOST bytes, and goes back when
 * it is whole: most clients send all before they read anything, so a server that answers
 * meanwhile and one such client would wait for each other. Answers POST and PUT, others
 * with 405, and 503 when memory runs out. */
void echo_begin(struct echo *echo, struct exchange *exchange);

/* For the application's functions of these names. */
void echo_body(struct echo *echo);
void echo_on_room(struct echo *echo);
void echo_disconnect(struct echo *echo);

/* Frees what was kept. Nothing is answered. */
void echo_forget(struct echo *echo);

#endif
