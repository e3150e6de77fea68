/* Settings, runs and blocks as JSON, the same in the rows and in the record. */
#ifndef MEASURE_AB_JSON_H
#define MEASURE_AB_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "07-measure/ab.h"

/* How a row and how a record is written, with 10 digits, for no clock has more. */
#define AB_ROW    (JSON_COMPACT | JSON_REAL_PRECISION(10))
#define AB_RECORD (JSON_INDENT(1) | JSON_REAL_PRECISION(10))

/* What is returned is the caller's to json_decref(). A number that is NAN is null. The
 * settings hold the checksums of the arms' programs, the control's and the client's, in
 * this order, as "programs". */
json_t *ab_json_number(double value);
json_t *ab_json_settings(const struct ab_settings *settings);
json_t *ab_json_run(const struct ab_settings *settings, int block, int turn,
                    const struct ab_run *run);

/* {"block": 3, "kept": false, "failed": false, "why": "..."}; blocks count from 1. */
json_t *ab_json_block(int number, const struct ab_block *block);

/* The other way. False if it is no such thing. */
bool ab_read_run(const struct ab_settings *settings, json_t *json, struct ab_run *run);
bool ab_read_block(json_t *json, struct ab_block *block);

#endif
