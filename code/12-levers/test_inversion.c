/* The inversion with both levers pulled, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "03-request/test_support_memory.h"
#include "05-executor/test_load.h"
#include "10-drain/test_ends.h"

static void choose(void) {
    program_drains();
    program_option("--topology=inversion");
}

TestSuite(serving, .timeout = 300, .init = choose);

EVERY_SEQUENCE(SERVING_NESTED, "12-levers")
SERVING_NESTED("12-levers", demo, check_demo)
SERVING_NESTED("12-levers", leavers, load_leavers)
SERVING_NESTED("12-levers", crossings, load_crossings)
SERVING_NESTED("12-levers", in_flight, end_in_flight)

Test(serving, memory_does_not_grow_with_the_requests_served) {
    check_memory("12-levers");
}
