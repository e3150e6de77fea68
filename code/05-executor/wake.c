/* ANCHOR: includes */
#include "05-executor/wake.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
#endif

#include "00-ground/descriptor.h"
#include "00-ground/error.h"
/* ANCHOR_END: includes */

/* ANCHOR: named */
static const char *const names[] = {
#ifdef __linux__
    [WAKE_EVENTFD] = "eventfd",
#endif
    [WAKE_PIPE] = "pipe",
    [WAKE_DATAGRAM] = "datagram",
};

enum wake_kind wake_kind_named(const char *name) {
    if (!name)
        return WAKE_DEFAULT;
    for (size_t kind = 0; kind < sizeof names / sizeof names[0]; kind++)
        if (names[kind] && strcmp(name, names[kind]) == 0)
            return (enum wake_kind)kind;
    die_of_usage("--wake %s: this system lacks it; it has %spipe, datagram", name,
                 names[WAKE_EVENTFD] ? "eventfd, " : "");
}
/* ANCHOR_END: named */

/* ANCHOR: open */
static int open_eventfd(int ends[2]) {
#ifdef __linux__
    ends[0] = ends[1] = eventfd(0, 0);
    return ends[0] < 0 ? -1 : 0;
#else
    (void)ends;
    errno = ENOTSUP;
    return -1;
#endif
}

static int open_ends(enum wake_kind kind, int ends[2]) {
    if (kind == WAKE_EVENTFD)
        return open_eventfd(ends);
    if (kind == WAKE_PIPE)
        return pipe(ends);
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
}

int wake_open(struct wake *wake, enum wake_kind kind) {
    int ends[2];
    if (open_ends(kind, ends) != 0)
        return -1;
    *wake = (struct wake){.kind = kind, .watched = ends[0], .sent_to = ends[1]};
    if (descriptor_prepare(ends[0]) == 0 && descriptor_prepare(ends[1]) == 0)
        return 0;
    int saved = errno;
    wake_close(wake);
    errno = saved;
    return -1;
}

void wake_close(struct wake *wake) {
    close(wake->watched);
    if (wake->sent_to != wake->watched)
        close(wake->sent_to);
}
/* ANCHOR_END: open */

/* ANCHOR: send */
void wake_send(const struct wake *wake) {
    uint64_t one = 1; /* an eventfd wants eight bytes; the others take them too */
    while (write(wake->sent_to, &one, sizeof one) < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            return; /* so full of wakes that the sleeper can't miss them */
        if (errno == ENOBUFS && wake->kind == WAKE_DATAGRAM)
            return; /* what some systems call it */
        if (errno != EINTR)
            die("can't wake the other thread: %s", strerror(errno));
    }
}
/* ANCHOR_END: send */

/* ANCHOR: clear */
/* One read empties an eventfd, and a pipe if it came out shorter than it might have. Of
 * a datagram socket each read takes a single wake. */
void wake_clear(const struct wake *wake) {
    char bytes[1024];
    ssize_t n;
    do
        n = read(wake->watched, bytes, sizeof bytes);
    while (n == (ssize_t)sizeof bytes || (n > 0 && wake->kind == WAKE_DATAGRAM) ||
           (n < 0 && errno == EINTR));
}
/* ANCHOR_END: clear */
