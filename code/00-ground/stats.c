#include "00-ground/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"

void count_request(struct counters *counters) {
    if (counters->requests++ == 0)
        counters->rss_kb_first = resident_kb();
}

void counters_add(struct counters *sum, const struct counters *more) {
    sum->requests += more->requests;
    sum->responses += more->responses;
    sum->passes += more->passes;
    sum->events += more->events;
    sum->submits += more->submits;
    sum->wakes_to_executor += more->wakes_to_executor;
    sum->wakes_to_loop += more->wakes_to_loop;
    sum->slots_swept += more->slots_swept;
    sum->stale_events += more->stale_events;
    sum->given_up += more->given_up;
    sum->rss_kb_first += more->rss_kb_first; /* only one thread counts requests */
}

#ifdef __linux__
uint64_t resident_kb(void) {
    char line[256];
    uint64_t kb = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "re");
    if (!file)
        return 0;
    while (kb == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Rss: %" SCNu64 " kB", &kb) != 1)
            kb = 0;
    fclose(file);
    return kb;
}
#else
uint64_t resident_kb(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
#ifdef __APPLE__
    return (uint64_t)usage.ru_maxrss / 1024; /* bytes there, KiB elsewhere */
#else
    return (uint64_t)usage.ru_maxrss;
#endif
}
#endif

static void field(const char *name, uint64_t value, const char *after) {
    printf("\"%s\":%" PRIu64 "%s", name, value, after);
}

void stats_print(const struct counters *counters, uint64_t began) {
    putchar('{');
    field("requests", counters->requests, ",");
    field("responses", counters->responses, ",");
    field("passes", counters->passes, ",");
    field("events", counters->events, ",");
    field("submits", counters->submits, ",");
    field("wakes_to_executor", counters->wakes_to_executor, ",");
    field("wakes_to_loop", counters->wakes_to_loop, ",");
    field("slots_swept", counters->slots_swept, ",");
    field("stale_events", counters->stale_events, ",");
    field("cpu_us", clock_cpu() / NS_PER_US, ",");
    field("wall_us", (clock_now() - began) / NS_PER_US, ",");
    field("rss_kb_first", counters->rss_kb_first, ",");
    field("rss_kb_last", resident_kb(), "}\n");
    output_flushed();
}
