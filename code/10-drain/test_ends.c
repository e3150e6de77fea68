/* The pump with the blocking drain, from outside. */
#include <criterion/criterion.h>

#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=pump");
}

TestSuite(serving, .timeout = 60, .init = choose);

SERVING("10-drain", in_flight, end_in_flight)
SERVING("10-drain", silent, end_silent)
SERVING("10-drain", unread, end_unread)
SERVING("10-drain", backlog, end_backlog)
SERVING("10-drain", pipelined, end_pipelined)
SERVING("10-drain", halves, end_halves)
SERVING("10-drain", pooled, end_pooled)
SERVING("10-drain", lingers, end_lingers)
SERVING("10-drain", slow_reader, end_slow_reader)
SERVING("10-drain", trickles, end_trickles)
SERVING("10-drain", budget, end_budget)
SERVING("10-drain", followed, end_followed)
SERVING("10-drain", stalls, end_stalls)
SERVING("10-drain", of_time, end_of_time)
SERVING("10-drain", twice, end_twice)
SERVING("10-drain", start_up, end_start_up)
SERVING("10-drain", rolling, end_rolling)
SERVING("10-drain", full_load, end_full_load)
