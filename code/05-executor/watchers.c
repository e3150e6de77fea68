/* ANCHOR: table */
#include "05-executor/watchers.h"

#include <errno.h>
#include <stdlib.h>

static const int interest_of[] = {[READER] = READABLE, [WRITER] = WRITABLE};

struct watcher {
    callback *run; /* NULL: nobody watches this side */
    void *argument;
    uint64_t number; /* no two calls of watchers_add() have the same */
    bool queued;     /* its callback waits for its turn */
};

struct watched { /* a descriptor */
    struct watcher sides[2];
};

static int grow(struct watchers *watchers, int fd) {
    int rows = watchers->rows ? watchers->rows : 64;
    while (rows <= fd)
        rows *= 2;
    struct watched *table = realloc(watchers->table, (size_t)rows * sizeof *table);
    if (!table) {
        errno = ENOMEM;
        return -1;
    }
    for (int i = watchers->rows; i < rows; i++)
        table[i] = (struct watched){0};
    watchers->table = table;
    watchers->rows = rows;
    return 0;
}

static int interest_in(const struct watched *watched) {
    int interest = 0;
    for (int side = READER; side <= WRITER; side++)
        if (watched->sides[side].run)
            interest |= interest_of[side];
    return interest;
}
/* ANCHOR_END: table */

/* ANCHOR: add */
int watchers_add(struct watchers *watchers, int fd, enum side side, callback *run,
                 void *argument) {
    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    if (fd >= watchers->rows && grow(watchers, fd) != 0)
        return -1;
    struct watched *watched = &watchers->table[fd];
    int had = interest_in(watched), wanted = had | interest_of[side];
    if (backend_update(watchers->backend, fd, had, wanted, (watch_token)fd) != 0)
        return -1;
    watchers->count += had != wanted;
    watched->sides[side] = (struct watcher){run, argument, ++watchers->numbered, false};
    return 0;
}
/* ANCHOR_END: add */

/* ANCHOR: remove */
int watchers_remove(struct watchers *watchers, int fd, enum side side) {
    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    if (fd >= watchers->rows || !watchers->table[fd].sides[side].run)
        return 0;
    struct watched *watched = &watchers->table[fd];
    int had = interest_in(watched), wanted = had & ~interest_of[side];
    if (backend_update(watchers->backend, fd, had, wanted, (watch_token)fd) != 0)
        return -1;
    watchers->count--;
    watched->sides[side] = (struct watcher){0};
    return 0;
}
/* ANCHOR_END: remove */

/* ANCHOR: queue */
static void queue_side(struct watchers *watchers, int fd, enum side side,
                       struct ready_queue *queue) {
    struct watcher *watcher = &watchers->table[fd].sides[side];
    enum ready_kind kind = side == READER ? READY_READER : READY_WRITER;
    if (!watcher->run || watcher->queued) /* kqueue tells of each side by itself */
        return;
    watcher->queued = true;
    ready_push(queue, (struct ready){kind, fd, watcher->number, watcher->run,
                                     watcher->argument});
}

/* A hang-up is news for both sides. */
void watchers_queue(struct watchers *watchers, const struct readiness *event,
                    struct ready_queue *queue) {
    int fd = (int)event->token; /* no callback ran since the wait: the row is its own */
    if (event->ready & (READABLE | HANGUP))
        queue_side(watchers, fd, READER, queue);
    if (event->ready & (WRITABLE | HANGUP))
        queue_side(watchers, fd, WRITER, queue);
}

bool watchers_take(struct watchers *watchers, const struct ready *call) {
    enum side side = call->kind == READY_READER ? READER : WRITER;
    struct watcher *watcher = &watchers->table[call->fd].sides[side];
    if (watcher->number != call->ticket)
        return false;
    watcher->queued = false;
    return true;
}
/* ANCHOR_END: queue */

/* ANCHOR: free */
void watchers_free(struct watchers *watchers) {
    free(watchers->table);
    watchers->table = NULL;
    watchers->rows = 0;
}
/* ANCHOR_END: free */
