/* poll(2): the list of what is watched is ours, and goes to the kernel at each wait. */
#include "02-readiness/backend_kind.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

struct poll_backend {
    struct backend backend;
    struct pollfd *watched; /* `count` of them, in no order */
    watch_token *tokens;    /* the token of each */
    int count, capacity;
    int *place_of; /* by descriptor: where it stands in `watched`, or -1 */
    int places;    /* of place_of */
    int next;      /* where the next batch begins, so that a full one starves nobody */
};

static struct poll_backend *of(struct backend *backend) {
    return (struct poll_backend *)backend;
}

static struct backend *open_poll(void) {
    struct poll_backend *made = calloc(1, sizeof *made);
    return made ? &made->backend : NULL;
}

static void close_poll(struct backend *backend) {
    struct poll_backend *own = of(backend);
    free(own->watched);
    free(own->tokens);
    free(own->place_of);
    free(own);
}

static int place(const struct poll_backend *own, int fd) {
    return fd >= 0 && fd < own->places ? own->place_of[fd] : -1;
}

static short mask(int interest) {
    int events =
        (interest & READABLE ? POLLIN : 0) | (interest & WRITABLE ? POLLOUT : 0);
    return (short)events;
}

static int grow_list(struct poll_backend *own) {
    int capacity = own->capacity ? 2 * own->capacity : 64;
    struct pollfd *watched =
        realloc(own->watched, (size_t)capacity * sizeof *own->watched);
    if (!watched)
        return -1;
    own->watched = watched;
    watch_token *tokens = realloc(own->tokens, (size_t)capacity * sizeof *own->tokens);
    if (!tokens)
        return -1;
    own->tokens = tokens;
    own->capacity = capacity;
    return 0;
}

static int grow_places(struct poll_backend *own, int fd) {
    int places = own->places ? own->places : 64;
    while (places <= fd)
        places *= 2;
    int *place_of = realloc(own->place_of, (size_t)places * sizeof *own->place_of);
    if (!place_of)
        return -1;
    for (int i = own->places; i < places; i++)
        place_of[i] = -1;
    own->place_of = place_of;
    own->places = places;
    return 0;
}

static int watch(struct backend *backend, int fd, int interest, watch_token token) {
    struct poll_backend *own = of(backend);
    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    if (place(own, fd) >= 0) {
        errno = EEXIST;
        return -1;
    }
    if ((own->count == own->capacity && grow_list(own) != 0) ||
        (fd >= own->places && grow_places(own, fd) != 0))
        return -1;
    own->watched[own->count] = (struct pollfd){.fd = fd, .events = mask(interest)};
    own->tokens[own->count] = token;
    own->place_of[fd] = own->count++;
    return 0;
}

static int rewatch(struct backend *backend, int fd, int interest, watch_token token) {
    struct poll_backend *own = of(backend);
    int at = place(own, fd);
    if (at < 0) {
        errno = ENOENT;
        return -1;
    }
    own->watched[at].events = mask(interest);
    own->tokens[at] = token;
    return 0;
}

static int unwatch(struct backend *backend, int fd) {
    struct poll_backend *own = of(backend);
    int at = place(own, fd);
    if (at < 0) {
        errno = ENOENT;
        return -1;
    }
    int last = --own->count;
    own->watched[at] = own->watched[last];
    own->tokens[at] = own->tokens[last];
    own->place_of[own->watched[at].fd] = at;
    own->place_of[fd] = -1;
    return 0;
}

static int wait_poll(struct backend *backend, struct readiness *events, int room,
                     int ms) {
    struct poll_backend *own = of(backend);
    int ready = poll(own->watched, (nfds_t)own->count, ms);
    if (ready < 0)
        return errno == EINTR ? 0 : -1;
    int n = 0, at = own->next < own->count ? own->next : 0;
    for (int looked = 0; looked < own->count && n < ready && n < room; looked++) {
        short seen = own->watched[at].revents;
        if (seen) {
            events[n] = (struct readiness){.token = own->tokens[at]};
            if (seen & POLLIN)
                events[n].ready |= READABLE;
            if (seen & POLLOUT)
                events[n].ready |= WRITABLE;
            if (seen & (POLLHUP | POLLERR | POLLNVAL))
                events[n].ready |= HANGUP;
            n++;
        }
        if (++at == own->count)
            at = 0;
    }
    own->next = at;
    return n;
}

static int no_fd(const struct backend *backend) {
    (void)backend;
    errno = ENOTSUP;
    return -1;
}

const struct backend_kind poll_kind = {
    .name = "poll",
    .open = open_poll,
    .close = close_poll,
    .watch = watch,
    .rewatch = rewatch,
    .unwatch = unwatch,
    .wait = wait_poll,
    .fd = no_fd,
};
