/* Latencies, all of them: percentiles are read off the sorted samples and not out of
 * the bins of a histogram. */
#ifndef MEASURE_LOAD_SAMPLES_H
#define MEASURE_LOAD_SAMPLES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SAMPLES_MOST = 1 << 24 }; /* 16,777,216, which is 128 MiB */

struct samples {
    uint64_t *ns; /* NULL before the first; freed by samples_free() */
    size_t count, room;
};

/* Adds one. Dies, saying so, if it is one more than SAMPLES_MOST. */
void samples_add(struct samples *samples, uint64_t ns);

/* Writes a line for each, in the order in which they stand. The caller looks whether
 * `out` took them. */
void samples_write(const struct samples *samples, FILE *out);

void samples_sort(struct samples *samples);

/* Of sorted samples, at least one: the smallest that `permille` of 1,000 don't exceed
 * (the nearest rank). 500 is the median, 1,000 the largest. */
uint64_t samples_percentile(const struct samples *samples, unsigned permille);

/* Of at least one, in ns. */
double samples_mean(const struct samples *samples);

void samples_free(struct samples *samples);

#endif
