/* The whole native server, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "03-request/test_support_http.h"

TestSuite(serving, .timeout = 60);

SERVING("04-pass", http, check_http)
SERVING("04-pass", readers, check_readers)
SERVING("04-pass", silent_clients, sequence_silent_clients)
SERVING("04-pass", dripping_head, sequence_dripping_head)
SERVING("04-pass", half_a_head, sequence_half_a_head)
SERVING("04-pass", few_descriptors, sequence_few_descriptors)
SERVING("04-pass", full_table, sequence_full_table)
SERVING("04-pass", idle_crowd, sequence_idle_crowd)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("04-pass");
}
