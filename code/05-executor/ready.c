#include "05-executor/ready.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int ready_reserve(struct ready_queue *queue, size_t total) {
    if (total <= queue->capacity)
        return 0;
    size_t capacity = queue->capacity ? queue->capacity : 64;
    while (capacity < total)
        capacity *= 2;
    struct ready *ring = malloc(capacity * sizeof *ring);
    if (!ring) {
        errno = ENOMEM;
        return -1;
    }
    for (size_t i = 0; i < queue->count; i++) /* unrolled: the first at index 0 */
        ring[i] = queue->ring[(queue->first + i) & (queue->capacity - 1)];
    free(queue->ring);
    queue->ring = ring;
    queue->capacity = capacity;
    queue->first = 0;
    return 0;
}

void ready_push(struct ready_queue *queue, struct ready call) {
    assert(queue->count < queue->capacity);
    queue->ring[(queue->first + queue->count) & (queue->capacity - 1)] = call;
    queue->count++;
}

struct ready ready_pop(struct ready_queue *queue) {
    assert(queue->count > 0);
    struct ready call = queue->ring[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->count--;
    return call;
}

void ready_free(struct ready_queue *queue) {
    free(queue->ring);
    *queue = (struct ready_queue){0};
}
