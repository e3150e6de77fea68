/* Processes that use all the CPU they get. */
#ifndef STEPPED_STRESS_HOGS_H
#define STEPPED_STRESS_HOGS_H

#include <stdint.h>
#include <sys/types.h>

enum { HOGS_MOST = 64, HOG_LIMIT_S = 60 };

/* Starts `count` of them, at most HOGS_MOST, and writes their ids; each ends by itself
 * after HOG_LIMIT_S. Dies with one line if it can't. */
void stress_hogs_start(pid_t *hogs, uint64_t count);

/* Ends those. */
void stress_hogs_end(const pid_t *hogs, uint64_t count);

#endif
