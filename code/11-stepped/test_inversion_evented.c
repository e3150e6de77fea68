/* The inversion with the evented drain, from outside. */
#include <criterion/criterion.h>

#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=inversion");
    program_option("--drain=evented");
}

TestSuite(serving, .timeout = 60, .init = choose);

SERVING_NESTED("11-stepped", in_flight, end_in_flight)
SERVING_NESTED("11-stepped", silent, end_silent)
SERVING_NESTED("11-stepped", unread, end_unread)
SERVING_NESTED("11-stepped", backlog, end_backlog)
SERVING_NESTED("11-stepped", pipelined, end_pipelined)
SERVING_NESTED("11-stepped", halves, end_halves)
SERVING_NESTED("11-stepped", pooled, end_pooled)
SERVING_NESTED("11-stepped", lingers, end_lingers)
SERVING_NESTED("11-stepped", slow_reader, end_slow_reader)
SERVING_NESTED("11-stepped", trickles, end_trickles)
SERVING_NESTED("11-stepped", budget, end_budget)
SERVING_NESTED("11-stepped", followed, end_followed)
SERVING_NESTED("11-stepped", stalls, end_stalls)
SERVING_NESTED("11-stepped", of_time, end_of_time)
SERVING_NESTED("11-stepped", twice, end_twice)
SERVING_NESTED("11-stepped", start_up, end_start_up)
SERVING_NESTED("11-stepped", rolling, end_rolling)
SERVING_NESTED("11-stepped", full_load, end_full_load)
