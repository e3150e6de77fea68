/* ANCHOR: calls */
#include "02-readiness/backend.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "00-ground/error.h"
#include "02-readiness/backend_kind.h"

static const struct backend_kind *const kinds[] = {/* the best one first */
#ifdef __linux__
                                                   &epoll_kind,
#endif
#ifdef HAVE_KQUEUE
                                                   &kqueue_kind,
#endif
                                                   &poll_kind};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct backend *backend_open(const char *name) {
    for (size_t i = 0; i < KINDS; i++) {
        if (name && strcmp(name, kinds[i]->name) != 0)
            continue;
        struct backend *backend = kinds[i]->open();
        if (backend)
            backend->kind = kinds[i];
        return backend;
    }
    errno = ENOTSUP;
    return NULL;
}

void backend_refused(const char *name) {
    int reason = errno;
    char names[64] = "";
    for (size_t i = 0; i < KINDS; i++) {
        strcat(names, i > 0 ? ", " : "");
        strcat(names, kinds[i]->name); /* three short names fit */
    }
    if (reason != ENOTSUP)
        die("can't open a backend: %s", strerror(reason));
    die_of_usage("--backend %s: this system lacks it; it has %s", name, names);
}

void backend_close(struct backend *backend) {
    backend->kind->close(backend);
}

int backend_watch(struct backend *backend, int fd, int interest, watch_token token) {
    return backend->kind->watch(backend, fd, interest, token);
}

int backend_rewatch(struct backend *backend, int fd, int interest, watch_token token) {
    return backend->kind->rewatch(backend, fd, interest, token);
}

int backend_unwatch(struct backend *backend, int fd) {
    return backend->kind->unwatch(backend, fd);
}

int backend_wait(struct backend *backend, struct readiness *events, int room, int ms) {
    return backend->kind->wait(backend, events, room, ms);
}

int backend_fd(const struct backend *backend) {
    return backend->kind->fd(backend);
}
/* ANCHOR_END: calls */

/* ANCHOR: update */
int backend_update(struct backend *backend, int fd, int had, int wanted,
                   watch_token token) {
    if (had == wanted)
        return 0;
    if (wanted == 0)
        return backend_unwatch(backend, fd);
    if (had == 0)
        return backend_watch(backend, fd, wanted, token);
    return backend_rewatch(backend, fd, wanted, token);
}
/* ANCHOR_END: update */
