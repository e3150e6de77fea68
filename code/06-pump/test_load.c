/* The pump under load: stops in the middle, and clients who leave. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "05-executor/test_load.h"

TestSuite(serving, .timeout = 300);

SERVING("06-pump", stops, load_stops)
SERVING("06-pump", rounds, load_rounds)
SERVING("06-pump", leavers, load_leavers)
SERVING("06-pump", crossings, load_crossings)
