/* The unsplit loop serves HTTP, on every backend of this system. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"

TestSuite(serving, .timeout = 300);

EVERY_SEQUENCE(SERVING, "03-request")

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("03-request");
}
