/* The pump with the evented drain, from outside. */
#include <criterion/criterion.h>

#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=pump");
    program_option("--drain=evented");
}

TestSuite(serving, .timeout = 300, .init = choose);

EVERY_END(SERVING, "11-stepped")
