#include "00-ground/clock.h"

#include <limits.h>
#include <time.h>

static uint64_t read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t); /* can't fail for the three clocks below */
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_now(void) {
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_cpu(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t clock_thread_cpu(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int clock_wait_ms(uint64_t deadline, uint64_t now) {
    if (deadline == NEVER)
        return -1;
    if (deadline <= now)
        return 0;
    uint64_t ms = (deadline - now - 1) / NS_PER_MS + 1; /* up, and never overflowing */
    return ms > INT_MAX ? INT_MAX : (int)ms;
}
