/* ANCHOR: includes */
#include "05-executor/wake.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
#endif

#include "00-ground/descriptor.h"
#include "00-ground/error.h"
/* ANCHOR_END: includes */

/* ANCHOR: open */
#ifdef __linux__
int wake_open(struct wake *wake) {
    wake->watched = wake->sent_to = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return wake->watched < 0 ? -1 : 0;
}
#else
int wake_open(struct wake *wake) {
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    *wake = (struct wake){.watched = ends[0], .sent_to = ends[1]};
    if (descriptor_prepare(ends[0]) == 0 && descriptor_prepare(ends[1]) == 0)
        return 0;
    int saved = errno;
    wake_close(wake);
    errno = saved;
    return -1;
}
#endif

void wake_close(struct wake *wake) {
    close(wake->watched);
    if (wake->sent_to != wake->watched)
        close(wake->sent_to);
}
/* ANCHOR_END: open */

/* ANCHOR: send */
void wake_send(const struct wake *wake) {
    uint64_t one = 1; /* an eventfd wants eight bytes; a pipe takes them too */
    while (write(wake->sent_to, &one, sizeof one) < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            return; /* so full of wakes that the sleeper can't miss them */
        if (errno != EINTR)
            die("can't wake the other thread: %s", strerror(errno));
    }
}

void wake_clear(const struct wake *wake) {
    char bytes[1024];
    ssize_t n;
    do /* one read empties an eventfd; a pipe may take several */
        n = read(wake->watched, bytes, sizeof bytes);
    while (n == (ssize_t)sizeof bytes || (n < 0 && errno == EINTR));
}
/* ANCHOR_END: send */
