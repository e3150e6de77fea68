/* A stretch of bytes that fills at one end and empties at the other. It never grows. */
#ifndef GROUND_BUFFER_H
#define GROUND_BUFFER_H

#include <stddef.h>

struct buffer {
    char *bytes;     /* borrowed; whoever made the buffer frees them */
    size_t capacity; /* of bytes */
    size_t start;    /* the first byte not yet taken */
    size_t end;      /* one past the last byte put in */
};

size_t buffer_used(const struct buffer *buffer);

/* Bytes that can be put in at `bytes + end` without moving anything. */
size_t buffer_room(const struct buffer *buffer);

/* Takes `n` bytes, at most buffer_used(), from the front. A buffer that empties starts
 * again at its first byte, so that short traffic touches little memory. */
void buffer_take(struct buffer *buffer, size_t n);

/* Moves what is left to the front, for more room at the end. Pointers into it end. */
void buffer_pack(struct buffer *buffer);

#endif
