/* ANCHOR: top */
/* An exchange: one request and its response. The loop fills in the request, then the
 * application answers by start, chunk and end. Both may be on threads of their own:
 * each field says whose it is. */
#ifndef REQUEST_EXCHANGE_H
#define REQUEST_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "03-request/request.h"

enum { OUTPUT_MOST = 65536 }; /* bytes of an answer that may wait to be sent */
/* ANCHOR_END: top */

/* ANCHOR: struct */
struct exchange {
    /* Written by the loop before the application begins, and left alone until it
     * ends. */
    struct request request;
    uint32_t slot, tag; /* of the connection */
    bool head_only;     /* HEAD: the body is counted but not sent */
    bool keep_alive;    /* the connection stays open after this answer */
    bool http10;        /* the client is one of HTTP/1.0 */
    bool date;          /* the answer carries a Date field */
    char *output;       /* OUTPUT_MOST bytes; the application writes, the loop sends */
    void (*ready)(void *argument, uint32_t slot); /* tells the loop of output */
    void *ready_argument;

    /* The application's thread alone. */
    bool with_application; /* from begin to end; late notices ask for it at any time,
                            * so the loop doesn't even clear it for a new tenant */
    bool started;
    bool cut_short;    /* ended with less of a body than start promised: read after
                     * `ended` */
    uint64_t promised; /* bytes of the body that are still to come */

    /* From the application to the loop: written in this order, read in the opposite. */
    _Atomic size_t filled;   /* bytes of output */
    _Atomic bool wants_room; /* the output was full */
    _Atomic bool ended;
};
/* ANCHOR_END: struct */

/* ANCHOR: calls */
/* Begins the answer: `status` (200 to 599), a media type, and the exact length of the
 * body in bytes. Call it once, before chunk and end. */
void exchange_start(struct exchange *exchange, int status, const char *type,
                    uint64_t length);

/* Adds to the body, at most what start promised in all. Copies the bytes and returns
 * how many it took. Fewer than `n`: the output is full; call again from on_room. `more`
 * is false when exchange_end() follows at once, so that one write carries both. */
size_t exchange_chunk(struct exchange *exchange, const char *bytes, size_t n,
                      bool more);

/* Ends the answer; the exchange must not be touched after it. An answer that was never
 * started becomes a 500, and one cut short closes the connection. */
void exchange_end(struct exchange *exchange);
/* ANCHOR_END: calls */

/* ANCHOR: rest */
/* The whole of a short answer: start, one chunk, end. `n` at most OUTPUT_MOST / 2. */
void exchange_answer(struct exchange *exchange, int status, const char *type,
                     const char *body, size_t n);

/* The reason phrase of a status that this server sends. */
const char *status_reason(int status);

/* Writes an answer's head into `output` (`room` bytes, 512 are enough) and returns its
 * length. The type may be up to 100 bytes long. */
size_t write_head(char *output, size_t room, int status, const char *type,
                  uint64_t length, bool keep_alive, bool http10, bool date);

#endif
/* ANCHOR_END: rest */
