/* ANCHOR: top */
/* An exchange: one request and its response. The loop fills in the request, then the
 * application reads its body if it likes, and answers by start, chunk and end. Both may
 * be on threads of their own: each field says whose it is. */
#ifndef REQUEST_EXCHANGE_H
#define REQUEST_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "03-request/body.h"
#include "03-request/head.h"
#include "03-request/request.h"

enum { OUTPUT_MOST = 65536 }; /* bytes of an answer that may wait to be sent */
/* ANCHOR_END: top */

/* ANCHOR: struct */
struct exchange {
    /* Written by the loop before the application begins, and left alone until it
     * ends. */
    struct request request;
    uint32_t slot, tag;    /* of the connection */
    bool head_only;        /* HEAD: the answer's body is counted but not sent */
    bool keep_alive;       /* the client lets the connection stay open */
    bool http10;           /* the client is one of HTTP/1.0 */
    bool expects_continue; /* it sends the body only when it is asked to */
    bool date;             /* the answer carries a Date field */
    char *output; /* OUTPUT_MOST bytes; the application writes, the loop sends */
    char *body;   /* BODY_ROOM bytes; the loop writes, the application reads */
    void (*ready)(void *argument, uint32_t slot); /* tells the loop to look here */
    void *ready_argument;

    /* The application's thread alone, from begin to end; the loop's before and after. */
    bool with_application; /* from begin to end; late notices ask for it at any time,
                            * so the loop doesn't even clear it for a new tenant */
    bool started;
    bool chunked;      /* the answer's body goes out in chunks */
    bool no_body;      /* the answer can't have one */
    bool body_read;    /* it has got bytes of the body, so the client sends it */
    uint64_t promised; /* bytes of the answer's body that are still to come */
    bool closes;       /* no request follows: the loop reads it after `ended` */
    size_t taken;      /* bytes of `body` read: the loop's while wants_body */

    /* From the loop to the application: read in the opposite order. */
    _Atomic size_t body_filled; /* bytes of `body` */
    _Atomic bool body_ended;    /* no more will come */
    _Atomic bool last;          /* the server stops: no request is to follow */

    /* From the application to the loop: written in this order, read in the opposite. */
    _Atomic size_t filled;   /* bytes of output */
    _Atomic bool wants_room; /* the output was full */
    _Atomic bool wants_body; /* all that there was of the body has been read */
    _Atomic bool ended;
};
/* ANCHOR_END: struct */

/* ANCHOR: calls */
/* Takes up to `room` bytes of the request's body and returns how many. 0: there is none
 * for now; read again from the application's body(), which will be called, and not
 * before. -1: that was the end. */
int exchange_read(struct exchange *exchange, char *into, int room);

/* Begins the answer: a status from 200 to 599, `count` fields of the application's, and
 * the length of the body in bytes or LENGTH_UNKNOWN. Call it once, before chunk and end.
 * 0, or -1 with errno as head_write() has it, and nothing was begun. */
int exchange_start(struct exchange *exchange, int status, const struct field *fields,
                   int count, uint64_t length);

/* Adds to the body, at most what start promised in all. Copies the bytes and returns
 * how many it took. Fewer than `n`: the output is full; call again from on_room, and
 * not before. `more` is false for the last ones: exchange_end() follows at once, so that
 * one write carries both. Where `head_only` is set the output is never full, so an
 * answer without end should end at once. */
size_t exchange_chunk(struct exchange *exchange, const char *bytes, size_t n,
                      bool more);

/* Ends the answer; the exchange must not be touched after it. An answer that was never
 * started becomes a 500. One that is short of what start promised, or one of unknown
 * length whose last chunk didn't say so, ends the connection in a way that tells the
 * client. */
void exchange_end(struct exchange *exchange);
/* ANCHOR_END: calls */

/* ANCHOR: rest */
/* Has the request's body come to its end, or is it still to come? */
bool exchange_body_is_whole(const struct exchange *exchange);

/* The whole of a short answer: start, one chunk, end. `n` at most OUTPUT_MOST / 2. */
void exchange_answer(struct exchange *exchange, int status, const char *type,
                     const char *body, size_t n);

#endif
/* ANCHOR_END: rest */
