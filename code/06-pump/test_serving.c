/* The pump, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"

TestSuite(serving, .timeout = 300);

EVERY_SEQUENCE(SERVING, "06-pump")
SERVING("06-pump", demo, check_demo)
SERVING("06-pump", leftover_timer, sequence_leftover_timer)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("06-pump");
}
