/* The pump, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "03-request/test_support_http.h"

TestSuite(serving, .timeout = 60);

SERVING("06-pump", http, check_http)
SERVING("06-pump", readers, check_readers)
SERVING("06-pump", demo, check_demo)
SERVING("06-pump", silent_clients, sequence_silent_clients)
SERVING("06-pump", dripping_head, sequence_dripping_head)
SERVING("06-pump", half_a_head, sequence_half_a_head)
SERVING("06-pump", leftover_timer, sequence_leftover_timer)
SERVING("06-pump", few_descriptors, sequence_few_descriptors)
SERVING("06-pump", full_table, sequence_full_table)
SERVING("06-pump", idle_crowd, sequence_idle_crowd)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("06-pump");
}
