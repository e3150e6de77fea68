/* The outbox: every put is flushed once, whoever puts and whenever. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "04-pass/outbox.h"

static struct sweep_outbox sweep;
static struct counters counters;
static uint32_t delivered[SLOTS]; /* how often each slot was */
static int put_again = -1;        /* a slot to put while it is being delivered */

static void start(void) {
    sweep_outbox_init(&sweep);
}

TestSuite(outbox, .init = start, .timeout = 60);

static void put(uint32_t slot) {
    sweep.outbox.put(&sweep.outbox, slot);
}

static void count(void *argument, uint32_t slot) {
    cr_assert_eq(argument, &counters, "the argument is handed on");
    delivered[slot]++;
    if (put_again >= 0) {
        put((uint32_t)put_again);
        put_again = -1;
    }
}

/* Flushes once and says how many slots came. */
static int flush(void) {
    int sum = 0;
    memset(delivered, 0, sizeof delivered);
    sweep.outbox.flush(&sweep.outbox, count, &counters, &counters);
    for (int slot = 0; slot < SLOTS; slot++)
        sum += (int)delivered[slot];
    return sum;
}

Test(outbox, a_slot_that_was_put_is_delivered_once) {
    cr_assert_eq(flush(), 0);
    put(0);
    put(7);
    put(SLOTS - 1);
    cr_assert_eq(flush(), 3);
    cr_assert(delivered[0] == 1 && delivered[7] == 1 && delivered[SLOTS - 1] == 1);
    cr_assert_eq(flush(), 0, "nothing is delivered twice");
}

Test(outbox, two_puts_before_a_flush_are_one_delivery) {
    put(5);
    put(5);
    cr_assert_eq(flush(), 1);
}

Test(outbox, a_slot_that_is_put_while_it_is_delivered_comes_again) {
    put(5);
    put_again = 5;
    cr_assert_eq(flush(), 1);
    cr_assert_eq(flush(), 1);
    cr_assert_eq(flush(), 0);
}

Test(outbox, another_slot_that_is_put_during_a_flush_comes_in_it_or_in_the_next) {
    for (int other = 4; other <= 6; other += 2) { /* behind the sweep, and before it */
        put(5);
        put_again = other;
        int first = flush();
        cr_assert_eq(first + flush(), 2);
        cr_assert_eq(flush(), 0);
    }
}

Test(outbox, a_flush_counts_the_slots_that_it_looks_at) {
    flush();
    flush();
    cr_assert_eq(counters.slots_swept, 2 * SLOTS);
}

enum { PUTS = 1000000 };

static struct cell {
    int plain;         /* written before put, read by the flush: TSan watches */
    _Atomic bool full; /* from the put to its delivery */
} cells[SLOTS];
static int taken;

static void *put_many(void *unused) {
    uint32_t slot = 0;
    for (int i = 1; i <= PUTS; i++, slot = (slot + 611) % SLOTS) {
        while (atomic_load_explicit(&cells[slot].full, memory_order_acquire))
            sched_yield();
        cells[slot].plain = i;
        atomic_store_explicit(&cells[slot].full, true, memory_order_relaxed);
        put(slot);
    }
    return unused;
}

static void take(void *unused, uint32_t slot) {
    (void)unused;
    struct cell *cell = &cells[slot];
    cr_assert(atomic_load_explicit(&cell->full, memory_order_relaxed),
              "delivered without a put");
    cr_assert_gt(cell->plain, 0, "delivered without what was written before the put");
    cell->plain = 0;
    taken++;
    atomic_store_explicit(&cell->full, false, memory_order_release);
}

Test(outbox, another_thread_puts_and_none_is_lost_or_doubled) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, put_many, NULL), 0);
    while (taken < PUTS) { /* a put that was lost ends in the test's timeout */
        int before = taken;
        sweep.outbox.flush(&sweep.outbox, take, NULL, &counters);
        if (taken == before)
            sched_yield();
    }
    pthread_join(thread, NULL);
    sweep.outbox.flush(&sweep.outbox, take, NULL, &counters);
    cr_assert_eq(taken, PUTS);
}
