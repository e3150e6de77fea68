/* The pump with the evented drain, from outside. */
#include <criterion/criterion.h>

#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=pump");
    program_option("--drain=evented");
}

TestSuite(serving, .timeout = 60, .init = choose);

SERVING("11-stepped", in_flight, end_in_flight)
SERVING("11-stepped", silent, end_silent)
SERVING("11-stepped", unread, end_unread)
SERVING("11-stepped", backlog, end_backlog)
SERVING("11-stepped", pipelined, end_pipelined)
SERVING("11-stepped", halves, end_halves)
SERVING("11-stepped", pooled, end_pooled)
SERVING("11-stepped", lingers, end_lingers)
SERVING("11-stepped", slow_reader, end_slow_reader)
SERVING("11-stepped", trickles, end_trickles)
SERVING("11-stepped", budget, end_budget)
SERVING("11-stepped", followed, end_followed)
SERVING("11-stepped", stalls, end_stalls)
SERVING("11-stepped", of_time, end_of_time)
SERVING("11-stepped", twice, end_twice)
SERVING("11-stepped", start_up, end_start_up)
SERVING("11-stepped", rolling, end_rolling)
SERVING("11-stepped", full_load, end_full_load)
