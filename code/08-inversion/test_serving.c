/* The inversion, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "03-request/test_support_http.h"

TestSuite(serving, .timeout = 60);

SERVING_NESTED("08-inversion", http, check_http)
SERVING_NESTED("08-inversion", readers, check_readers)
SERVING_NESTED("08-inversion", demo, check_demo)
SERVING_NESTED("08-inversion", silent_clients, sequence_silent_clients)
SERVING_NESTED("08-inversion", dripping_head, sequence_dripping_head)
SERVING_NESTED("08-inversion", half_a_head, sequence_half_a_head)
SERVING_NESTED("08-inversion", leftover_timer, sequence_leftover_timer)
SERVING_NESTED("08-inversion", few_descriptors, sequence_few_descriptors)
SERVING_NESTED("08-inversion", full_table, sequence_full_table)
SERVING_NESTED("08-inversion", idle_crowd, sequence_idle_crowd)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("08-inversion");
}
