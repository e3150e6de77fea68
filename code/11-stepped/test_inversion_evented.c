/* The inversion with the evented drain, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_support_http.h"
#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=inversion");
    program_option("--drain=evented");
}

TestSuite(serving, .timeout = 300, .init = choose);

EVERY_END(SERVING_NESTED, "11-stepped")
SERVING_NESTED("11-stepped", held, end_held)
SERVING_NESTED("11-stepped", readers, check_readers)
