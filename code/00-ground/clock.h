/* Time is a count of nanoseconds in 64 bits. Rooms that need "now" are given it. */
#ifndef GROUND_CLOCK_H
#define GROUND_CLOCK_H

#include <stdint.h>

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S  1000000000ULL

/* A deadline that never comes. */
#define NEVER UINT64_MAX

/* Nanoseconds of a clock that never goes back: clock_gettime(2), CLOCK_MONOTONIC. */
uint64_t clock_now(void);

/* Nanoseconds of CPU that all threads of this process have used, from the process's
 * own CPU clock and not from the kernel's ticks. */
uint64_t clock_cpu(void);

/* The same for the calling thread alone. */
uint64_t clock_thread_cpu(void);

/* Milliseconds to hand to a wait so that it doesn't end before `deadline`: rounded up,
 * 0 if it has passed, -1 for NEVER. */
int clock_wait_ms(uint64_t deadline, uint64_t now);

#endif
