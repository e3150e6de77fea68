/* What a load came to: a table to read, or a line of JSON. */
#ifndef MEASURE_LOAD_REPORT_H
#define MEASURE_LOAD_REPORT_H

#include <stdbool.h>

#include "07-measure/load.h"

/* Was the client itself the bound, so that the throughput says little of the server?
 * Where 90 % of its thread's time was spent on other things than waiting. */
bool load_client_bound(const struct load_result *result);

/* Both sort the latencies; where there is none, a table has a dash and JSON null. */
void load_print_table(const struct load_plan *plan, struct load_result *result);
void load_print_json(const struct load_plan *plan, struct load_result *result);

#endif
