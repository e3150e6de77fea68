#include "00-ground/buffer.h"

#include <assert.h>
#include <string.h>

size_t buffer_used(const struct buffer *buffer) {
    return buffer->end - buffer->start;
}

size_t buffer_room(const struct buffer *buffer) {
    return buffer->capacity - buffer->end;
}

void buffer_take(struct buffer *buffer, size_t n) {
    assert(n <= buffer_used(buffer));
    buffer->start += n;
    if (buffer->start == buffer->end)
        buffer->start = buffer->end = 0;
}

void buffer_pack(struct buffer *buffer) {
    if (buffer->start == 0)
        return;
    memmove(buffer->bytes, buffer->bytes + buffer->start, buffer_used(buffer));
    buffer->end -= buffer->start;
    buffer->start = 0;
}
