/* The sweep as an outbox. */
#include "04-pass/test_outbox.h"

static struct sweep_outbox sweep;

static void start(void) {
    outbox = sweep_outbox_init(&sweep);
}

TestSuite(outbox, .init = start, .timeout = 300);

EVERY_OUTBOX

Test(outbox, a_flush_counts_the_slots_that_it_looks_at) {
    outbox_flush();
    outbox_flush();
    cr_assert_eq(counters.slots_swept, 2 * SLOTS);
}
