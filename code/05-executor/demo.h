/* The demo application: it waits, spreads work over callbacks, and burns time.
 *
 *     /               hello at once
 *     /echo           POST or PUT: what was sent
 *     /slow?ms=N      an answer after N ms (0 to 60,000), the executor free meanwhile
 *     /fanout?n=N     an answer when N callbacks (1 to 1,000) have run
 *     /work?us=N      an answer after N us (0 to 1,000,000) of plain work
 *
 * The others are for GET and HEAD. A client who leaves is noticed by /echo alone, and
 * only while it waits for his body: his slot is his until the answer is made. */
#ifndef EXECUTOR_DEMO_H
#define EXECUTOR_DEMO_H

#include "00-ground/options.h"
#include "02-readiness/slots.h"
#include "03-request/application.h"
#include "03-request/echo.h"
#include "05-executor/executor.h"

struct demo {
    const struct executor *executor;
    uint64_t spins_per_us; /* 0: not measured yet */
    uint64_t noise;        /* what /work has made so far */
    struct demo_task {     /* what a slot's exchange waits for */
        struct demo *demo;
        struct exchange *exchange;
        timer_handle timer; /* of /slow, or 0 */
        uint64_t asked;     /* the number in the query */
        uint64_t left, sum; /* of /fanout: callbacks still to run, and their total */
        struct echo echo;
    } tasks[SLOTS];
    struct application application; /* hand this to a server */
};

/* `spins_per_us` is how many turns of its loop /work takes for a microsecond: a number
 * measured once for all runs that are compared. 0: measured here, at the first
 * /work. */
void demo_init(struct demo *demo, const struct executor *executor,
               uint64_t spins_per_us);

/* Measures that number, by the calling thread's CPU time. `*noise` isn't 0; what the
 * work makes of it is left there. */
uint64_t demo_measure_spins_per_us(uint64_t *noise);

/* The row of --spins-per-us, for a server's table of options. */
struct option_row demo_option(uint64_t *spins_per_us);

#endif
