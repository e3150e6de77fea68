#include "07-measure/ab_estimate.h"

#include <math.h>
#include <stdlib.h>

static const double wanted = 0.95;

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double median_of(double *values, size_t count) {
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Each value falls below the median as a coin falls on heads. The interval misses the
 * median if fewer than `rank` fell below it, or fewer than `rank` above. */
double order_coverage(size_t count, size_t rank) {
    double ways = 1, misses = 0; /* ways to throw `heads` heads */
    for (size_t heads = 0; heads < rank; heads++) {
        misses += ways;
        ways = ways * (double)(count - heads) / (double)(heads + 1);
    }
    return 1 - 2 * misses / pow(2, (double)count);
}

size_t order_rank(size_t count) {
    size_t rank = 0;
    while (rank < count / 2 && order_coverage(count, rank + 1) >= wanted)
        rank++;
    return rank;
}

struct estimate estimate_ratio(double *logs, size_t count) {
    struct estimate estimate = {.count = count, .median = exp(median_of(logs, count))};
    size_t rank = order_rank(count);
    if (rank > 0) {
        estimate.has_interval = true;
        estimate.low = exp(logs[rank - 1]);
        estimate.high = exp(logs[count - rank]);
        estimate.coverage = order_coverage(count, rank);
    }
    return estimate;
}
