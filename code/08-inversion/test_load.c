/* The inversion under load: stops in the middle, and clients who leave. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "05-executor/test_load.h"

TestSuite(serving, .timeout = 300);

SERVING_NESTED("08-inversion", stops, load_stops)
SERVING_NESTED("08-inversion", rounds, load_rounds)
SERVING_NESTED("08-inversion", leavers, load_leavers)
SERVING_NESTED("08-inversion", crossings, load_crossings)
