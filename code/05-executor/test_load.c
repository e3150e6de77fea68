/* The executor's own server under load: stops in the middle, and clients who leave. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "05-executor/test_load.h"

TestSuite(serving, .timeout = 300);

SERVING("05-executor", stops, load_stops)
SERVING("05-executor", rounds, load_rounds)
SERVING("05-executor", leavers, load_leavers)
SERVING("05-executor", crossings, load_crossings)
