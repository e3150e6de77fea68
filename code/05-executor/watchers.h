/* Who is called when a descriptor is ready: at most one reader and one writer for each,
 * numbered, so that a callback which was queued for one never serves a later one of the
 * same descriptor number. */
#ifndef EXECUTOR_WATCHERS_H
#define EXECUTOR_WATCHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "02-readiness/backend.h"
#include "05-executor/executor.h"
#include "05-executor/ready.h"

enum side { READER, WRITER };

struct watched;

/* All zero bytes but the backend are a table without watchers. */
struct watchers {
    struct backend *backend; /* borrowed */
    struct watched *table;   /* by descriptor */
    int rows;                /* of the table; only grows */
    size_t count;            /* readers and writers there are */
    uint64_t numbered;       /* and there have been */
};

/* Sets the reader or writer of `fd`, and replaces the one there was. 0, or -1 with
 * errno and nothing changed. */
int watchers_add(struct watchers *watchers, int fd, enum side side, callback *run,
                 void *argument);

/* Takes it away; none there is no error. 0, or -1 with errno and nothing changed. */
int watchers_remove(struct watchers *watchers, int fd, enum side side);

/* Queues the callbacks that an event is for, each at most once until its turn. There
 * must be room for one of each watcher. */
void watchers_queue(struct watchers *watchers, const struct readiness *event,
                    struct ready_queue *queue);

/* For the turn of a queued callback: whether the watcher that it was queued for is
 * there still, and wasn't replaced. */
bool watchers_take(struct watchers *watchers, const struct ready *call);

/* Frees the table. */
void watchers_free(struct watchers *watchers);

#endif
