/* ANCHOR: top */
/* A request's body, taken out of its framing (RFC 9112, sections 6 and 7) piece by
 * piece, as it comes. Strictly: what could be read in two ways is refused. */
#ifndef REQUEST_BODY_H
#define REQUEST_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BODY_MOST = 1048576, /* bytes of a body */
    BODY_ROOM = 16384,   /* bytes of it that wait for the application at once */
};

enum body_kind {
    BODY_NONE,
    BODY_LENGTH, /* so many bytes as Content-Length says */
    BODY_CHUNKED,
};
/* ANCHOR_END: top */

/* ANCHOR: result */
enum body_result {
    BODY_PARTIAL,   /* more bytes are needed, or more room */
    BODY_OVER,      /* what follows belongs to the next request */
    BODY_BAD,       /* 400: it isn't the framing of a body */
    BODY_TOO_LARGE, /* 413: its chunks add up to more than BODY_MOST */
    BODY_TOO_MANY, /* 431: trailers of more than HEAD_MOST bytes or FIELDS_MOST lines */
};
/* ANCHOR_END: result */

/* ANCHOR: body */
/* Where in a body we are. No pointers: it may be copied, and forgotten at any time. */
struct body {
    enum body_result result; /* of all bytes so far; once it isn't partial, it stays */
    int place;               /* in the framing */
    bool chunked;
    uint64_t left;     /* bytes of data that come next */
    uint64_t size;     /* of the chunk whose size is being read */
    uint64_t total;    /* bytes of all chunks that were announced */
    size_t line;       /* bytes of the size's line so far */
    size_t extensions; /* bytes of all chunks' extensions so far */
    size_t trailers;   /* bytes of all trailers so far */
    int fields;        /* trailers so far */
};
/* ANCHOR_END: body */

/* ANCHOR: calls */
/* `length` counts for BODY_LENGTH alone and is BODY_MOST at most. */
void body_begin(struct body *body, enum body_kind kind, uint64_t length);

/* The body's last byte has been decoded. It may have none. */
bool body_over(const struct body *body);

/* Decodes the `length` bytes at `raw` into the `room` bytes at `out` (NULL and SIZE_MAX:
 * the body is dropped). `*used` bytes of `raw` were consumed, `*made` bytes of the body
 * delivered, also when the result is an error. What comes out doesn't depend on how the
 * bytes are cut, nor on the room. */
enum body_result body_decode(struct body *body, const char *raw, size_t length,
                             size_t *used, char *out, size_t room, size_t *made);

#endif
/* ANCHOR_END: calls */
