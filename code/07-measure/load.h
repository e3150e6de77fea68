/* A load: requests over so many connections, for so long, and what came of them. */
#ifndef MEASURE_LOAD_H
#define MEASURE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "07-measure/load_asker.h"
#include "07-measure/load_samples.h"

struct load_plan {
    uint32_t connections;
    uint64_t rate; /* requests per second; 0: a closed loop */
    uint64_t warmup_ns, measure_ns;
    uint64_t requests;   /* measured ones at most; 0: as many as time allows */
    uint64_t timeout_ns; /* from when a request is due to the end of its answer */
    bool spin;           /* never sleep */
    bool may_repeat;     /* a request that met a closed connection may be sent again */
};

/* A request is measured if it was due after the warm-up. What went wrong counts from
 * the first moment on. */
struct load_result {
    struct samples latencies; /* of the measured answers, from when each was due */
    uint64_t bytes;           /* of these answers */
    uint64_t warmup_requests; /* answers that aren't measured */
    uint64_t non_2xx, errors, timeouts;
    uint64_t reconnects; /* connections opened after the first ones */
    double seconds;      /* from the warm-up's end to the last measured answer, and not
                            less than was planned */
    double client_cpu;   /* cores that this process used meanwhile */
    double client_busy; /* the same, less its share of polls that found nothing to do */
};

/* Runs it. Every request that was due is answered, or is an error or a timeout, when it
 * returns. Dies with exit status 2 if the first connections can't be had. The caller
 * frees `result->latencies`. */
void load_run(const struct load_plan *plan, struct target *target,
              struct load_result *result);

#endif
