/* Where one HTTP/1 answer ends, found in its bytes as they come; nothing is kept. */
#ifndef STEPPED_STOP_PROBE_ANSWER_H
#define STEPPED_STOP_PROBE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum answer_stage {
    ANSWER_HEAD,
    ANSWER_LENGTH, /* `left` bytes of the body are still to come */
    ANSWER_CHUNK_SIZE,
    ANSWER_CHUNK,       /* `left` bytes of this chunk, and the line's end behind it */
    ANSWER_TRAILER,     /* after the last chunk */
    ANSWER_UNTIL_CLOSE, /* the end of input is the end of the answer */
    ANSWER_WHOLE,
    ANSWER_BROKEN, /* it isn't HTTP/1 */
};

/* All zero is an answer of which nothing has come. */
struct answer {
    enum answer_stage stage;
    uint64_t bytes, body; /* how many have come of all, and of what follows the head */
    int status;           /* 200, once the head is there */
    bool closes; /* it says Connection: close, or is HTTP/1.0 without keep-alive */
    /* Private. */
    uint64_t left;
    bool has_length, chunked;
    char line[256]; /* the line that is being read, as far as it fits */
    size_t line_length;
};

/* Takes `n` bytes, or fewer if the answer ends before; returns how many. (RFC 9112,
 * sections 6 and 7.1. An answer to GET is meant, interim ones, 1xx, are passed over.) */
size_t answer_take(struct answer *answer, const char *bytes, size_t n);

/* The input has ended. An answer that only this could end is whole now. */
void answer_end(struct answer *answer);

#endif
