/* What the kept blocks say: a ratio for each arm beside the first one. */
#ifndef MEASURE_AB_RESULT_H
#define MEASURE_AB_RESULT_H

#include "07-measure/ab.h"
#include "07-measure/ab_estimate.h"

enum ab_measure {
    AB_PER_SECOND, /* requests per second */
    AB_CPU,        /* CPU of the server for a request, µs */
    AB_CORES,      /* CPU of the server for a second */
    AB_JUDGED,     /* the measures above have ratios; those below are context */
    AB_P50 = AB_JUDGED,
    AB_P90,
    AB_P99,
    AB_MEASURES,
};

/* "requests per second" for people, "per_second" for a record. */
const char *ab_measure_title(enum ab_measure measure);
const char *ab_measure_name(enum ab_measure measure);

/* NAN if it couldn't be had, or is 0, which has no ratio. */
double ab_value(const struct ab_run *run, enum ab_measure measure);

/* The logarithm of `arm`'s value in the block over that of arm 0, each the geometric
 * mean of its two runs. NAN if a value is missing. */
double ab_log_ratio(const struct ab_block *block, int arm, enum ab_measure measure);

/* The median of an arm's runs in the kept blocks, the control's too. NAN if a value is
 * missing, or no block was kept. */
double ab_median(const struct ab_blocks *blocks, int arm, enum ab_measure measure);

struct ab_result {
    bool present;
    struct estimate ratio;
    char why[AB_WHY]; /* why it isn't present, or ratio.has_interval is false */
};

/* `arm` beside arm 0, over the kept blocks. Throughput, and the cores, which are
 * throughput times CPU, are not judged if the client was bound in a run of either. */
struct ab_result ab_result(const struct ab_blocks *blocks, int arm,
                           enum ab_measure measure);

/* Is `arm`, which isn't arm 0, the command of arm 0 under another name (A/A)? */
bool ab_is_again(const struct ab_settings *settings, int arm);

/* The noise floor: by how many per cent the interval of an arm that is arm 0 again reaches
 * away from 1, the widest of them if there are several. NAN if there is none. */
double ab_floor(const struct ab_settings *settings, const struct ab_blocks *blocks,
                enum ab_measure measure);

/* By how many per cent the control's quickest run was quicker than its slowest, in requests
 * per second, over the blocks that were kept or over all that were tried. NAN if there is
 * no run. */
double ab_control_moved(const struct ab_settings *settings,
                        const struct ab_blocks *blocks, bool kept_only);

#endif
