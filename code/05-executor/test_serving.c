/* The executor's own server, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"

TestSuite(serving, .timeout = 300);

EVERY_SEQUENCE(SERVING, "05-executor")
SERVING("05-executor", demo, check_demo)
SERVING("05-executor", leftover_timer, sequence_leftover_timer)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("05-executor");
}
