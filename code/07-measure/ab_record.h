/* What an experiment leaves behind: a record for programs, a table for people. */
#ifndef MEASURE_AB_RECORD_H
#define MEASURE_AB_RECORD_H

#include <jansson.h>

#include "07-measure/ab.h"

/* Settings, medians of the arms, ratios with their intervals, blocks with the reasons why
 * some were dropped, and all runs. Nothing of the machine is in it. A ratio looks like a
 * measure of the ledger's records, with the noise floor of this measure if an arm is arm 0
 * again. "control_moved" is how far the control moved, in per cent. The caller's to json_decref(). */
json_t *ab_record(const struct ab_settings *settings, const struct ab_blocks *blocks);

/* Dies of usage if there is something at `path` that a record can't take the place of. */
void record_check(const char *path);

/* Writes it, so that at `path` there is the whole of it or what was there before. Dies if
 * that can't be. */
void record_write(json_t *record, const char *path);

/* Prints the same, without the runs, on standard output. */
void ab_table(const struct ab_settings *settings, const struct ab_blocks *blocks);

#endif
