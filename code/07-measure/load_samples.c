#include "07-measure/load_samples.h"

#include <inttypes.h>
#include <stdlib.h>

#include "00-ground/error.h"

static void grow(struct samples *samples) {
    size_t room = samples->room ? 2 * samples->room : 1 << 16;
    if (samples->count == SAMPLES_MOST)
        die("more than %d answers to keep; measure for a shorter time, by --ms",
            SAMPLES_MOST);
    uint64_t *ns = realloc(samples->ns, room * sizeof *ns);
    if (!ns)
        die("no memory for %zu latencies", room);
    samples->ns = ns;
    samples->room = room;
}

void samples_add(struct samples *samples, uint64_t ns) {
    if (samples->count == samples->room)
        grow(samples);
    samples->ns[samples->count++] = ns;
}

void samples_write(const struct samples *samples, FILE *out) {
    for (size_t i = 0; i < samples->count; i++)
        fprintf(out, "%" PRIu64 "\n", samples->ns[i]);
}

static int compare(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void samples_sort(struct samples *samples) {
    if (samples->count > 0)
        qsort(samples->ns, samples->count, sizeof *samples->ns, compare);
}

uint64_t samples_percentile(const struct samples *samples, unsigned permille) {
    size_t rank = (samples->count * permille + 999) / 1000;
    return samples->ns[rank > 0 ? rank - 1 : 0];
}

double samples_mean(const struct samples *samples) {
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++)
        sum += (double)samples->ns[i];
    return sum / (double)samples->count;
}

void samples_free(struct samples *samples) {
    free(samples->ns);
    *samples = (struct samples){0};
}
