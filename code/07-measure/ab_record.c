#include "07-measure/ab_record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "00-ground/error.h"
#include "07-measure/ab_json.h"
#include "07-measure/ab_plan.h"
#include "07-measure/ab_result.h"

static json_t *ratios_of_block(const struct ab_settings *settings,
                               const struct ab_block *block) {
    json_t *ratios = json_object();
    for (int arm = 1; arm < settings->arm_count; arm++) {
        json_t *one = json_object();
        for (int m = 0; m < AB_JUDGED; m++)
            json_object_set_new(
                one, ab_measure_name((enum ab_measure)m),
                ab_json_number(exp(ab_log_ratio(block, arm, (enum ab_measure)m))));
        json_object_set_new(ratios, settings->arms[arm].name, one);
    }
    return ratios;
}

/* A dropped block shows its ratios, too, if it is whole. */
static json_t *all_blocks(const struct ab_settings *settings,
                          const struct ab_blocks *blocks) {
    json_t *all = json_array();
    for (int b = 0; b < blocks->count; b++) {
        const struct ab_block *block = &blocks->list[b];
        json_t *one = ab_json_block(b + 1, block);
        if (block->run_count == ab_turns(settings->arm_count))
            json_object_set_new(one, "ratios", ratios_of_block(settings, block));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *all_runs(const struct ab_settings *settings,
                        const struct ab_blocks *blocks) {
    json_t *all = json_array();
    for (int b = 0; b < blocks->count; b++)
        for (int r = 0; r < blocks->list[b].run_count; r++)
            json_array_append_new(
                all, ab_json_run(settings, b + 1, r, &blocks->list[b].runs[r]));
    return all;
}

static json_t *medians(const struct ab_settings *settings,
                       const struct ab_blocks *blocks) {
    json_t *all = json_object();
    for (int arm = 0; arm <= settings->arm_count; arm++) {
        json_t *one = json_object();
        for (int m = 0; m < AB_MEASURES; m++)
            json_object_set_new(
                one, ab_measure_name((enum ab_measure)m),
                ab_json_number(ab_median(blocks, arm, (enum ab_measure)m)));
        json_object_set_new(all, settings->arms[arm].name, one);
    }
    return all;
}

static json_t *measure_of(const struct ab_settings *settings,
                          const struct ab_blocks *blocks, int arm,
                          enum ab_measure measure) {
    struct ab_result result = ab_result(blocks, arm, measure);
    json_t *json = json_pack("{s:s}", "unit", "ratio");
    json_object_set_new(json, "value",
                        ab_json_number(result.present ? result.ratio.median : NAN));
    if (*result.why)
        json_object_set_new(json, "why", json_string(result.why));
    if (result.ratio.has_interval) {
        json_object_set_new(json, "low", ab_json_number(result.ratio.low));
        json_object_set_new(json, "high", ab_json_number(result.ratio.high));
        json_object_set_new(json, "coverage", ab_json_number(result.ratio.coverage));
    }
    json_t *raw = json_array();
    for (int b = 0; b < blocks->count; b++)
        if (blocks->list[b].kept)
            json_array_append_new(
                raw, ab_json_number(exp(ab_log_ratio(&blocks->list[b], arm, measure))));
    json_object_set_new(json, "raw", raw);
    double floor = ab_floor(settings, blocks, measure);
    if (!isnan(floor))
        json_object_set_new(json, "floor", json_real(floor));
    return json;
}

/* In per cent, over the blocks that were kept and over all that were tried. */
static json_t *control_moved(const struct ab_settings *settings,
                             const struct ab_blocks *blocks) {
    return json_pack("{s:o,s:o}", "kept",
                     ab_json_number(ab_control_moved(settings, blocks, true)), "tried",
                     ab_json_number(ab_control_moved(settings, blocks, false)));
}

static json_t *ratios(const struct ab_settings *settings,
                      const struct ab_blocks *blocks) {
    json_t *all = json_object();
    for (int arm = 1; arm < settings->arm_count; arm++) {
        json_t *one = json_object();
        for (int m = 0; m < AB_JUDGED; m++)
            json_object_set_new(one, ab_measure_name((enum ab_measure)m),
                                measure_of(settings, blocks, arm, (enum ab_measure)m));
        json_object_set_new(all, settings->arms[arm].name, one);
    }
    return all;
}

json_t *ab_record(const struct ab_settings *settings, const struct ab_blocks *blocks) {
    return json_pack(
        "{s:o,s:i,s:i,s:o,s:s,s:o,s:o,s:o,s:o}", "settings", ab_json_settings(settings),
        "tried", blocks->count, "kept", ab_kept(blocks), "control_moved",
        control_moved(settings, blocks), "base", settings->arms[0].name, "medians",
        medians(settings, blocks), "ratios", ratios(settings, blocks), "blocks",
        all_blocks(settings, blocks), "runs", all_runs(settings, blocks));
}

void record_check(const char *path) {
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        die_of_usage("--record %s is there and is no file; name another", path);
}

void record_write(json_t *record, const char *path) {
    char beside[AB_PATH + 8];
    snprintf(beside, sizeof beside, "%s.new", path);
    if (json_dump_file(record, beside, AB_RECORD) == 0 && rename(beside, path) == 0)
        return;
    int reason = errno;
    unlink(beside);
    die("can't write %s: %s", path, strerror(reason));
}
