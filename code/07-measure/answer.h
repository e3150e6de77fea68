/* What a client reads: one answer at a time, in pieces as they come, with a body of any
 * length, which is counted and dropped, unless somebody wants a copy of it (RFC 9112,
 * sections 4, 6, 7 and 8). */
#ifndef MEASURE_ANSWER_H
#define MEASURE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANSWER_HEAD_MOST = 16384 }; /* bytes of a head; a longer one is malformed */

enum answer_result {
    ANSWER_PARTIAL, /* more bytes are needed, or the end of input */
    ANSWER_WHOLE,   /* what follows isn't part of it */
    ANSWER_BAD,     /* malformed, or cut off by the end of input */
};

struct answer {
    int status;      /* 200 to 999, once the head has been read */
    bool keep_alive; /* the connection may be used again after it */
    uint64_t bytes;  /* of it so far: heads, interim ones too, body, framing */
    uint64_t body;   /* of these the body's own, without the framing */

    /* private */
    char *copy; /* the body's first `room` bytes go there, too */
    size_t room;
    bool to_head;           /* the request was HEAD: there is no body */
    enum answer_result end; /* what the end of input would make of it */
    int place;              /* where in it we are */
    uint64_t left;          /* bytes of the body, or of this chunk, still to come */
    int digits;             /* of the chunk's size so far */
    size_t have;            /* bytes in `head` */
    char head[ANSWER_HEAD_MOST];
};

/* An answer of which nothing has come; `to_head`: the request's method was HEAD. */
void answer_begin(struct answer *answer, bool to_head);

/* Behind answer_begin(): copies the body to `copy`, without its framing and without a NUL,
 * until the `room` bytes there are full. */
void answer_copy_body(struct answer *answer, char *copy, size_t room);

/* Takes the next `length` bytes; `*used` of them were the answer's. How the bytes are
 * cut makes no difference. Not to be called again after ANSWER_WHOLE or ANSWER_BAD. */
enum answer_result answer_take(struct answer *answer, const char *bytes, size_t length,
                               size_t *used);

/* The input has ended: ANSWER_WHOLE for an answer that only this could end. */
enum answer_result answer_ended(const struct answer *answer);

#endif
