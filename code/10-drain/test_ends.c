/* The pump with the blocking drain, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_support_http.h"
#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=pump");
}

TestSuite(serving, .timeout = 300, .init = choose);

EVERY_END(SERVING, "10-drain")
SERVING("10-drain", readers, check_readers)
