/* What a millisecond's sleep costs a process by itself: epoll_wait(1 ms) for so many
 * milliseconds, and nothing else. Prints the CPU that it took, in milliseconds.
 *     bare_tick 1000 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

static double ms_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
    struct epoll_event event;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    double length = argc > 1 ? atof(argv[1]) : 0;
    if (epoll < 0 || length <= 0) {
        fprintf(stderr, "bare_tick MILLISECONDS\n");
        return 2;
    }
    double begun = ms_of(CLOCK_MONOTONIC), cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID);
    while (ms_of(CLOCK_MONOTONIC) - begun < length)
        if (epoll_wait(epoll, &event, 1, 1) < 0)
            return 1;
    printf("%.3f\n", ms_of(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return 0;
}
