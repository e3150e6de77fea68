/* kqueue(2): one filter for each direction of a descriptor, and a descriptor for
 * all. */
#include "02-readiness/backend_kind.h"

#ifdef HAVE_KQUEUE

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/event.h>
#include <sys/time.h>
#include <unistd.h>

enum { BATCH = 256 };

_Static_assert(sizeof(void *) >= sizeof(watch_token), "udata has to hold a token");

struct kqueue_backend {
    struct backend backend;
    int fd;
};

static int fd_of(const struct backend *backend) {
    return ((const struct kqueue_backend *)backend)->fd;
}

static struct backend *open_kqueue(void) {
    struct kqueue_backend *made = malloc(sizeof *made);
    if (!made)
        return NULL;
    made->fd = kqueue();
    if (made->fd < 0 || fcntl(made->fd, F_SETFD, FD_CLOEXEC) != 0) {
        int saved = errno;
        if (made->fd >= 0)
            close(made->fd);
        free(made);
        errno = saved;
        return NULL;
    }
    return &made->backend;
}

static void close_kqueue(struct backend *backend) {
    close(fd_of(backend));
    free(backend);
}

/* Sets or deletes the filter of each direction, with a receipt for each: what fails
 * doesn't keep the other from being done, and no event is lost to the call. */
static int set(struct backend *backend, int fd, int interest, watch_token token) {
    void *udata = (void *)(uintptr_t)token;
    enum { SET = EV_ADD | EV_RECEIPT, DELETE = EV_DELETE | EV_RECEIPT };
    struct kevent receipts[2];
    const struct kevent changes[2] = {
        {.ident = (uintptr_t)fd,
         .filter = EVFILT_READ,
         .flags = interest & READABLE ? SET : DELETE,
         .udata = udata},
        {.ident = (uintptr_t)fd,
         .filter = EVFILT_WRITE,
         .flags = interest & WRITABLE ? SET : DELETE,
         .udata = udata},
    };
    int n = kevent(fd_of(backend), changes, 2, receipts, 2, NULL);
    int result = n < 0 ? -1 : 0;
    for (int i = 0; i < n; i++) {
        bool was_not_there = changes[i].flags == DELETE && receipts[i].data == ENOENT;
        if (receipts[i].data != 0 && !was_not_there) {
            errno = (int)receipts[i].data;
            result = -1;
        }
    }
    return result;
}

static int unwatch(struct backend *backend, int fd) {
    return set(backend, fd, 0, 0);
}

/* Both directions, or neither. */
static int watch(struct backend *backend, int fd, int interest, watch_token token) {
    if (set(backend, fd, interest, token) == 0)
        return 0;
    int saved = errno;
    unwatch(backend, fd);
    errno = saved;
    return -1;
}

/* To add what is there would do, too, on a BSD; not every kqueue takes it. */
static int rewatch(struct backend *backend, int fd, int interest, watch_token token) {
    if (unwatch(backend, fd) != 0)
        return -1;
    return watch(backend, fd, interest, token);
}

static int wait_kqueue(struct backend *backend, struct readiness *events, int room,
                       int ms) {
    struct kevent seen[BATCH];
    struct timespec most = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    int n = kevent(fd_of(backend), NULL, 0, seen, room < BATCH ? room : BATCH,
                   ms < 0 ? NULL : &most);
    if (n < 0)
        return errno == EINTR ? 0 : -1;
    for (int i = 0; i < n; i++) {
        events[i] = (struct readiness){.token = (watch_token)(uintptr_t)seen[i].udata};
        events[i].ready = seen[i].filter == EVFILT_READ ? READABLE : WRITABLE;
        /* At the read filter EV_EOF is a half-close, which read(2) tells by itself. */
        if (seen[i].flags & EV_EOF &&
            (seen[i].filter == EVFILT_WRITE || seen[i].fflags))
            events[i].ready |= HANGUP;
    }
    return n;
}

const struct backend_kind kqueue_kind = {
    .name = "kqueue",
    .open = open_kqueue,
    .close = close_kqueue,
    .watch = watch,
    .rewatch = rewatch,
    .unwatch = unwatch,
    .wait = wait_kqueue,
    .fd = fd_of,
};

#endif
