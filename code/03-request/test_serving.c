/* The unsplit loop serves HTTP, on every backend of this system. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "03-request/test_support_http.h"

TestSuite(serving, .timeout = 120);

SERVING("03-request", http, check_http)
SERVING("03-request", readers, check_readers)
SERVING("03-request", silent_clients, sequence_silent_clients)
SERVING("03-request", dripping_head, sequence_dripping_head)
SERVING("03-request", half_a_head, sequence_half_a_head)
SERVING("03-request", full_table, sequence_full_table)
SERVING("03-request", idle_crowd, sequence_idle_crowd)
SERVING("03-request", few_descriptors, sequence_few_descriptors)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("03-request");
}
