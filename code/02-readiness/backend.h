/* ANCHOR: top */
/* One set of calls over the three ways a Unix system reports readiness. */
#ifndef READINESS_BACKEND_H
#define READINESS_BACKEND_H

#include <stdint.h>
/* ANCHOR_END: top */

/* ANCHOR: events */
/* What a watcher waits for, and what an event reports; or them together. */
enum {
    READABLE = 1,
    WRITABLE = 2,
    HANGUP = 4, /* reported only: both directions are over, or an error waits */
};

/* Who an event is for: chosen by the watcher, handed back unread. */
typedef uint64_t watch_token;

struct readiness {
    watch_token token;
    int ready; /* READABLE, WRITABLE, HANGUP */
};

struct backend;
/* ANCHOR_END: events */

/* ANCHOR: open */
/* Opens the mechanism called `name` ("epoll", "kqueue", "poll"), or this system's best
 * for NULL. Returns NULL with errno; ENOTSUP if the system lacks it. */
struct backend *backend_open(const char *name);

/* Frees it; the descriptors it watched stay open. */
void backend_close(struct backend *backend);

/* For main(), when backend_open() has failed: dies with one line that says why and
 * which names this system has. */
_Noreturn void backend_refused(const char *name);
/* ANCHOR_END: open */

/* ANCHOR: watch */
/* Starts to watch `fd` for `interest`, READABLE or WRITABLE or both. Level-triggered:
 * an event comes at each wait for as long as it holds. 0, or -1 with errno. */
int backend_watch(struct backend *backend, int fd, int interest, watch_token token);

/* Changes what a watched `fd` is watched for. 0, or -1 with errno. */
int backend_rewatch(struct backend *backend, int fd, int interest, watch_token token);

/* Stops watching `fd`; call it before closing the descriptor. 0, or -1 with errno. */
int backend_unwatch(struct backend *backend, int fd);
/* ANCHOR_END: watch */

/* ANCHOR: update */
/* Brings the watch on `fd` from `had` to `wanted`, by whichever of the three calls that
 * takes. No interest means not watched at all, for epoll and poll report a hang-up even
 * to a watcher who asked for nothing. 0, or -1 with errno. */
int backend_update(struct backend *backend, int fd, int had, int wanted,
                   watch_token token);
/* ANCHOR_END: update */

/* ANCHOR: wait */
/* Waits until something is ready, at most `ms` milliseconds: 0 polls and returns at
 * once, -1 waits for ever. Fills up to `room` events and returns how many; 0 when time
 * ran out or a signal came. -1 with errno. */
int backend_wait(struct backend *backend, struct readiness *events, int room, int ms);
/* ANCHOR_END: wait */

/* ANCHOR: fd */
/* A descriptor that is readable while backend_wait() would find something, so that one
 * backend can be watched by another. -1 with ENOTSUP where there is none: poll keeps
 * its list in our memory, and the kernel has no object to stand for it. */
int backend_fd(const struct backend *backend);
/* ANCHOR_END: fd */

/* ANCHOR: bottom */
#endif
/* ANCHOR_END: bottom */
