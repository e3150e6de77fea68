/* ANCHOR: top */
/* epoll(7): the kernel keeps the list of what is watched, and a descriptor for it. */
#include "02-readiness/backend_kind.h"

#ifdef __linux__

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { BATCH = 256 };

struct epoll_backend {
    struct backend backend;
    int fd;
};

static int fd_of(const struct backend *backend) {
    return ((const struct epoll_backend *)backend)->fd;
}

static struct backend *open_epoll(void) {
    struct epoll_backend *made = malloc(sizeof *made);
    if (!made)
        return NULL;
    made->fd = epoll_create1(EPOLL_CLOEXEC);
    if (made->fd < 0) {
        free(made);
        return NULL;
    }
    return &made->backend;
}

static void close_epoll(struct backend *backend) {
    close(fd_of(backend));
    free(backend);
}
/* ANCHOR_END: top */

/* ANCHOR: control */
static int control(struct backend *backend, int operation, int fd, int interest,
                   watch_token token) {
    struct epoll_event event = {.data.u64 = token};
    if (interest & READABLE)
        event.events |= EPOLLIN;
    if (interest & WRITABLE)
        event.events |= EPOLLOUT;
    return epoll_ctl(fd_of(backend), operation, fd, &event);
}
/* ANCHOR_END: control */

/* ANCHOR: watch */
static int watch(struct backend *backend, int fd, int interest, watch_token token) {
    return control(backend, EPOLL_CTL_ADD, fd, interest, token);
}

static int rewatch(struct backend *backend, int fd, int interest, watch_token token) {
    return control(backend, EPOLL_CTL_MOD, fd, interest, token);
}

static int unwatch(struct backend *backend, int fd) {
    return control(backend, EPOLL_CTL_DEL, fd, 0, 0);
}
/* ANCHOR_END: watch */

/* ANCHOR: wait */
static int wait_epoll(struct backend *backend, struct readiness *events, int room,
                      int ms) {
    struct epoll_event seen[BATCH];
    int n = epoll_wait(fd_of(backend), seen, room < BATCH ? room : BATCH, ms);
    if (n < 0)
        return errno == EINTR ? 0 : -1;
    for (int i = 0; i < n; i++) {
        events[i] = (struct readiness){.token = seen[i].data.u64};
        if (seen[i].events & EPOLLIN)
            events[i].ready |= READABLE;
        if (seen[i].events & EPOLLOUT)
            events[i].ready |= WRITABLE;
        if (seen[i].events & (EPOLLHUP | EPOLLERR))
            events[i].ready |= HANGUP;
    }
    return n;
}
/* ANCHOR_END: wait */

/* ANCHOR: kind */
const struct backend_kind epoll_kind = {
    .name = "epoll",
    .open = open_epoll,
    .close = close_epoll,
    .watch = watch,
    .rewatch = rewatch,
    .unwatch = unwatch,
    .wait = wait_epoll,
    .fd = fd_of,
};

#endif
/* ANCHOR_END: kind */
