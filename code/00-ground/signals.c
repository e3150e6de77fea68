#include "00-ground/signals.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "00-ground/descriptor.h"

static int write_end = -1;

static void on_signal(int number) {
    int saved = errno;
    char byte = (char)number;
    ssize_t written = write(write_end, &byte, 1); /* a full pipe is readable already */
    (void)written;
    errno = saved;
}

int signals_open(void) {
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    write_end = ends[1];
    struct sigaction stop = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    if (descriptor_prepare(ends[0]) != 0 || descriptor_prepare(ends[1]) != 0 ||
        sigaction(SIGINT, &stop, NULL) != 0 || sigaction(SIGTERM, &stop, NULL) != 0 ||
        sigaction(SIGPIPE, &ignore, NULL) != 0) {
        int saved = errno;
        close(ends[0]);
        close(ends[1]);
        errno = saved;
        return -1;
    }
    return ends[0];
}

unsigned signals_take(int fd) {
    char bytes[64];
    unsigned count = 0;
    ssize_t n;
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        count += (unsigned)n;
    return count;
}
