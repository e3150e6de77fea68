/* The whole native server, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"

TestSuite(serving, .timeout = 300);

EVERY_SEQUENCE(SERVING, "04-pass")

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("04-pass");
}
