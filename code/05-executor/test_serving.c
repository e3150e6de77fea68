/* The executor's own server, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "03-request/test_support_http.h"

TestSuite(serving, .timeout = 60);

SERVING("05-executor", http, check_http)
SERVING("05-executor", readers, check_readers)
SERVING("05-executor", demo, check_demo)
SERVING("05-executor", silent_clients, sequence_silent_clients)
SERVING("05-executor", dripping_head, sequence_dripping_head)
SERVING("05-executor", half_a_head, sequence_half_a_head)
SERVING("05-executor", leftover_timer, sequence_leftover_timer)
SERVING("05-executor", few_descriptors, sequence_few_descriptors)
SERVING("05-executor", full_table, sequence_full_table)
SERVING("05-executor", idle_crowd, sequence_idle_crowd)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("05-executor");
}
