/* The pump with the stepped drain, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_support_http.h"
#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=pump");
    program_option("--drain=stepped");
}

TestSuite(serving, .timeout = 300, .init = choose);

EVERY_END(SERVING, "11-stepped")
SERVING("11-stepped", readers, check_readers)
