/* The list as an outbox. */
#include "04-pass/test_outbox.h"
#include "12-levers/outbox_list.h"

static struct list_outbox list;

static void start(void) {
    outbox = list_outbox_init(&list);
}

TestSuite(outbox, .init = start, .timeout = 300);

EVERY_OUTBOX

Test(outbox, a_flush_looks_only_at_slots_that_were_put) {
    outbox_flush();
    cr_assert_eq(counters.slots_swept, 0);
    outbox_put(3);
    outbox_put(900);
    outbox_put(3);
    outbox_flush();
    outbox_flush();
    cr_assert_eq(counters.slots_swept, 2);
}

static uint32_t order[SLOTS];
static int came;

static void note_order(void *unused, uint32_t slot) {
    (void)unused;
    order[came++] = slot;
}

Test(outbox, slots_come_in_the_order_in_which_they_were_put) {
    static const uint32_t put[] = {900, 3, 1023, 0, 512};
    for (int i = 0; i < 5; i++)
        outbox_put(put[i]);
    outbox_put(900); /* it has its place already */
    outbox->flush(outbox, note_order, NULL, &counters);
    cr_assert_eq(came, 5);
    cr_assert_eq(memcmp(order, put, sizeof put), 0);
}

Test(outbox, a_slot_that_puts_itself_again_and_again_holds_no_flush_up) {
    outbox_put(1);
    for (uint32_t round = 1; round <= 3; round++) {
        outbox->flush(outbox, outbox_again, NULL, &counters);
        cr_assert_eq(delivered[1], round);
    }
}

/* As if four thousand million had been put. */
Test(outbox, the_counts_may_wrap_around) {
    atomic_store(&list.put, UINT32_MAX - 600);
    list.flushed = UINT32_MAX - 600;
    outbox_holds_all();
    cr_assert_lt(atomic_load(&list.put), UINT32_MAX - 600, "they did");
}
