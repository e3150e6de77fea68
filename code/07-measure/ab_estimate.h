/* The median of a few ratios, and an interval that assumes nothing of how they are
 * spread. */
#ifndef MEASURE_AB_ESTIMATE_H
#define MEASURE_AB_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

struct estimate {
    size_t count;      /* of values */
    double median;     /* */
    bool has_interval; /* false below 6 values, of which none has 95 % */
    double low, high;  /* both are values that were measured */
    double coverage;   /* how sure the interval is: at least 0.95, at most 1 */
};

/* Puts `values` in order and returns their median, of an even number the mean of the
 * middle two. NAN if there are none. */
double median_of(double *values, size_t count);

/* How often the true median lies between the `rank`th smallest and the `rank`th largest
 * of `count` independent values, 1 being the smallest, `rank` at most half of them:
 * 1 - 2 P(fewer than `rank` heads in `count` throws). (H. A. David and H. N. Nagaraja,
 * Order Statistics, 3rd edition, section 7.1.) */
double order_coverage(size_t count, size_t rank);

/* The greatest rank, which means the narrowest interval, that still covers 95 %; 0 if
 * none does. */
size_t order_rank(size_t count);

/* Puts `logs`, the logarithms of ratios, in order; the estimate is of the ratios. */
struct estimate estimate_ratio(double *logs, size_t count);

#endif
