/* The inversion, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"

TestSuite(serving, .timeout = 300);

EVERY_SEQUENCE(SERVING_NESTED, "08-inversion")
SERVING_NESTED("08-inversion", demo, check_demo)
SERVING_NESTED("08-inversion", leftover_timer, sequence_leftover_timer)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("08-inversion");
}
