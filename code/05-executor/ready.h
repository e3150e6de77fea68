/* The ready queue: the calls that wait for their turn, first come, first served. */
#ifndef EXECUTOR_READY_H
#define EXECUTOR_READY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "05-executor/executor.h"

/* What must still hold when a call's turn comes. */
enum ready_kind {
    READY_SOON,   /* nothing: it always runs */
    READY_TIMER,  /* the timer `ticket` wasn't cancelled */
    READY_READER, /* the reader of `fd` is still the one numbered `ticket` */
    READY_WRITER, /* the same for its writer */
};

struct ready {
    enum ready_kind kind;
    int fd;          /* of a reader or writer */
    uint64_t ticket; /* a timer_handle, or a watcher's number */
    callback *run;   /* NULL for a timer: its call is kept with it */
    void *argument;
};

/* A ring. All zero bytes are an empty one. */
struct ready_queue {
    struct ready *ring;
    size_t capacity; /* 0 or a power of two; only grows */
    size_t first;    /* the index whose turn is next */
    size_t count;
};

/* Makes room for `total` calls, those that wait included. 0, or -1 with ENOMEM and the
 * queue as it was. */
int ready_reserve(struct ready_queue *queue, size_t total);

/* Adds a call at the end. There must be room. */
void ready_push(struct ready_queue *queue, struct ready call);

/* Takes the call whose turn it is. There must be one. */
struct ready ready_pop(struct ready_queue *queue);

/* Frees the ring. */
void ready_free(struct ready_queue *queue);

#endif
