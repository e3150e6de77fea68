/* The inversion with the stepped drain, from outside. */
#include <criterion/criterion.h>

#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=inversion");
    program_option("--drain=stepped");
}

TestSuite(serving, .timeout = 300, .init = choose);

EVERY_END(SERVING_NESTED, "11-stepped")
SERVING_NESTED("11-stepped", held, end_held)
