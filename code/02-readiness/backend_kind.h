/* What each mechanism provides; only backend.c and the mechanisms include this. */
#ifndef READINESS_BACKEND_KIND_H
#define READINESS_BACKEND_KIND_H

#include "02-readiness/backend.h"

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) ||              \
    defined(__NetBSD__) || defined(__DragonFly__) || defined(COMPILE_KQUEUE)
#define HAVE_KQUEUE 1
#endif

/* The functions of backend.h, one mechanism's versions of them. */
struct backend_kind {
    const char *name;
    struct backend *(*open)(void);
    void (*close)(struct backend *backend);
    int (*watch)(struct backend *backend, int fd, int interest, watch_token token);
    int (*rewatch)(struct backend *backend, int fd, int interest, watch_token token);
    int (*unwatch)(struct backend *backend, int fd);
    int (*wait)(struct backend *backend, struct readiness *events, int room, int ms);
    int (*fd)(const struct backend *backend);
};

/* Each mechanism's struct starts with this one. */
struct backend {
    const struct backend_kind *kind;
};

#ifdef __linux__
extern const struct backend_kind epoll_kind;
#endif
#ifdef HAVE_KQUEUE
extern const struct backend_kind kqueue_kind;
#endif
extern const struct backend_kind poll_kind;

#endif
