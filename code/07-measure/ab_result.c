#include "07-measure/ab_result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "07-measure/ab_plan.h"

const char *ab_measure_title(enum ab_measure measure) {
    static const char *const titles[AB_MEASURES] = {
        "requests per second", "CPU per request, µs", "cores used",
        "latency, p50, µs",    "latency, p90, µs",    "latency, p99, µs"};
    return titles[measure];
}

const char *ab_measure_name(enum ab_measure measure) {
    static const char *const names[AB_MEASURES] = {
        "per_second", "cpu_us_per_request", "cores", "p50_us", "p90_us", "p99_us"};
    return names[measure];
}

double ab_value(const struct ab_run *run, enum ab_measure measure) {
    double value = measure == AB_PER_SECOND ? run->per_second
                   : measure == AB_CPU      ? run->cpu_us / run->requests
                   : measure == AB_CORES    ? run->cpu_us / 1e6 / run->seconds
                   : measure == AB_P50      ? run->p50
                   : measure == AB_P90      ? run->p90
                                            : run->p99;
    return value > 0 ? value : NAN;
}

double ab_log_ratio(const struct ab_block *block, int arm, enum ab_measure measure) {
    double sum[2] = {0, 0};
    int runs[2] = {0, 0};
    for (int r = 0; r < block->run_count; r++)
        for (int side = 0; side < 2; side++)
            if (block->runs[r].arm == (side ? arm : 0)) {
                sum[side] += log(ab_value(&block->runs[r], measure));
                runs[side]++;
            }
    return sum[1] / runs[1] - sum[0] / runs[0];
}

double ab_median(const struct ab_blocks *blocks, int arm, enum ab_measure measure) {
    double values[2 * AB_BLOCKS];
    size_t count = 0;
    for (int b = 0; b < blocks->count; b++)
        for (int r = 0; blocks->list[b].kept && r < blocks->list[b].run_count; r++)
            if (blocks->list[b].runs[r].arm == arm) {
                values[count] = ab_value(&blocks->list[b].runs[r], measure);
                if (isnan(values[count++]))
                    return NAN;
            }
    return median_of(values, count);
}

static int bound_runs(const struct ab_blocks *blocks, int arm) {
    int bound = 0;
    for (int b = 0; b < blocks->count; b++)
        for (int r = 0; blocks->list[b].kept && r < blocks->list[b].run_count; r++) {
            const struct ab_run *run = &blocks->list[b].runs[r];
            bound += run->client_bound && (run->arm == 0 || run->arm == arm);
        }
    return bound;
}

struct ab_result ab_result(const struct ab_blocks *blocks, int arm,
                           enum ab_measure measure) {
    struct ab_result result = {.present = false};
    int kept = ab_kept(blocks), bound = bound_runs(blocks, arm);
    double logs[AB_BLOCKS];
    size_t count = 0;
    for (int b = 0; b < blocks->count; b++) {
        if (!blocks->list[b].kept)
            continue;
        logs[count] = ab_log_ratio(&blocks->list[b], arm, measure);
        if (isnan(logs[count++])) {
            snprintf(result.why, sizeof result.why, "it couldn't be read here");
            return result;
        }
    }
    if (count == 0) {
        snprintf(result.why, sizeof result.why, "no block was kept");
    } else if (bound > 0 && measure != AB_CPU) {
        snprintf(result.why, sizeof result.why, "client-bound in %d of %d runs", bound,
                 4 * kept);
    } else {
        result.present = true;
        result.ratio = estimate_ratio(logs, count);
        if (!result.ratio.has_interval)
            snprintf(result.why, sizeof result.why,
                     "%d kept blocks are too few for an interval of 95 %%", kept);
    }
    return result;
}

bool ab_is_again(const struct ab_settings *settings, int arm) {
    return arm > 0 && !strcmp(settings->arms[arm].command, settings->arms[0].command);
}

double ab_floor(const struct ab_settings *settings, const struct ab_blocks *blocks,
                enum ab_measure measure) {
    double floor = NAN;
    for (int arm = 1; arm < settings->arm_count; arm++) {
        struct ab_result result = ab_result(blocks, arm, measure);
        if (!ab_is_again(settings, arm) || !result.ratio.has_interval)
            continue;
        double reach = 100 * (fmax(result.ratio.high, 1 / result.ratio.low) - 1);
        floor = fmax(floor, reach); /* of a number and NAN the number */
    }
    return floor;
}

double ab_control_moved(const struct ab_settings *settings,
                        const struct ab_blocks *blocks, bool kept_only) {
    double slowest = NAN, quickest = NAN;
    for (int b = 0; b < blocks->count; b++) {
        const struct ab_block *block = &blocks->list[b];
        for (int r = 0; r < block->run_count && (block->kept || !kept_only); r++)
            if (block->runs[r].arm == settings->arm_count) {
                slowest = fmin(slowest, block->runs[r].per_second);
                quickest = fmax(quickest, block->runs[r].per_second);
            }
    }
    return 100 * (quickest / slowest - 1);
}
