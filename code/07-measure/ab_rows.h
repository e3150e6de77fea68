/* The raw rows, written as they come, so that an experiment that was stopped goes on. */
#ifndef MEASURE_AB_ROWS_H
#define MEASURE_AB_ROWS_H

#include "07-measure/ab.h"

/* Opens or begins FILE, a line of JSON for the settings and one for each run and each
 * block's end, and fills in the blocks that it holds. A block that was cut short is
 * listed as dropped. Dies of usage if the file is of other settings, if another process
 * writes it, or if it is no such file at all. `path` NULL: nothing is kept, and the calls below do nothing. */
void rows_open(const char *path, const struct ab_settings *settings,
               struct ab_blocks *blocks);

/* Adds the last run of the last block. */
void rows_add_run(const struct ab_settings *settings, const struct ab_blocks *blocks);

/* Ends the last block. */
void rows_end_block(const struct ab_blocks *blocks);

#endif
