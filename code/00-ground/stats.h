/* What a program counts, and the line of JSON that --stats prints at its exit. */
#ifndef GROUND_STATS_H
#define GROUND_STATS_H

#include <stdint.h>

/* Each thread counts in a struct of its own, so no count needs an atomic. */
struct counters {
    uint64_t requests;  /* heads that were read whole and accepted */
    uint64_t responses; /* their answers, handed to the kernel to the last byte */
    uint64_t passes;    /* turns of the native loop */
    uint64_t events;    /* readiness events that a backend reported to them */
    uint64_t submits;   /* exchanges that were handed to the application */
    uint64_t wakes_to_executor; /* system calls made to end the executor's wait */
    uint64_t wakes_to_loop;     /* system calls made to end the native loop's wait */
    uint64_t slots_swept;       /* slots that the outbox looked at */
    uint64_t stale_events;      /* events and notices for a tenant who had left */
    uint64_t given_up; /* answers cut off since their client didn't read, or send on */
    uint64_t rss_kb_first; /* resident memory when the first request was counted */
};

/* Counts a request; reads the resident memory at the first one. */
void count_request(struct counters *counters);

/* Adds `more` to `sum`, for a program of two threads. */
void counters_add(struct counters *sum, const struct counters *more);

/* Resident memory of this process in KiB: Rss of /proc/self/smaps_rollup on Linux
 * (proc(5)), the most there ever was by getrusage(2) elsewhere. 0 if neither says. */
uint64_t resident_kb(void);

/* Prints the counters as one line of JSON on standard output, with the CPU and the wall
 * time since the program began (`began`: clock_now() at its start) and the resident memory
 * of this moment. Dies if that can't be written. */
void stats_print(const struct counters *counters, uint64_t began);

#endif
