/* What every outbox promises: each put is flushed once, whoever puts and whenever. For
 * the sweep, and for whoever keeps another list. */
#ifndef PASS_TEST_OUTBOX_H
#define PASS_TEST_OUTBOX_H

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "04-pass/outbox.h"

static struct outbox *outbox; /* the one to test; empty */
static struct counters counters;
static uint32_t delivered[SLOTS]; /* how often each slot was */
static int put_again = -1;        /* a slot to put while another is being delivered */

/* A test of the suite "outbox" for each promise. */
#define EVERY_OUTBOX                                                                   \
    OUTBOX(a_slot_that_was_put_is_delivered_once, outbox_delivers_once)                \
    OUTBOX(two_puts_before_a_flush_are_one_delivery, outbox_joins)                     \
    OUTBOX(a_slot_that_is_put_while_it_is_delivered_comes_again, outbox_comes_again)   \
    OUTBOX(another_slot_that_is_put_during_a_flush_comes_in_it_or_in_the_next,         \
           outbox_takes_more)                                                          \
    OUTBOX(all_slots_fit_even_if_all_are_put_again, outbox_holds_all)                  \
    OUTBOX(another_thread_puts_and_none_is_lost_or_doubled, outbox_across)             \
    OUTBOX(a_put_that_meets_a_flush_is_not_lost, outbox_meets)
#define OUTBOX(name, check)                                                            \
    Test(outbox, name) {                                                               \
        check();                                                                       \
    }

static inline void outbox_put(uint32_t slot) {
    outbox->put(outbox, slot);
}

static inline void outbox_count(void *argument, uint32_t slot) {
    cr_assert_eq(argument, &counters, "the argument is handed on");
    delivered[slot]++;
    if (put_again >= 0) {
        outbox_put((uint32_t)put_again);
        put_again = -1;
    }
}

/* Flushes once and says how many slots came. */
static inline int outbox_flush(void) {
    int sum = 0;
    memset(delivered, 0, sizeof delivered);
    outbox->flush(outbox, outbox_count, &counters, &counters);
    for (int slot = 0; slot < SLOTS; slot++)
        sum += (int)delivered[slot];
    return sum;
}

static inline void outbox_delivers_once(void) {
    cr_assert_eq(outbox_flush(), 0);
    outbox_put(0);
    outbox_put(7);
    outbox_put(SLOTS - 1);
    cr_assert_eq(outbox_flush(), 3);
    cr_assert(delivered[0] == 1 && delivered[7] == 1 && delivered[SLOTS - 1] == 1);
    cr_assert_eq(outbox_flush(), 0, "nothing is delivered twice");
}

static inline void outbox_joins(void) {
    outbox_put(5);
    outbox_put(5);
    cr_assert_eq(outbox_flush(), 1);
}

static inline void outbox_comes_again(void) {
    outbox_put(5);
    put_again = 5;
    cr_assert_eq(outbox_flush(), 1);
    cr_assert_eq(outbox_flush(), 1);
    cr_assert_eq(outbox_flush(), 0);
}

static inline void outbox_takes_more(void) {
    for (int other = 4; other <= 6; other += 2) { /* behind the sweep, and before it */
        outbox_put(5);
        put_again = other;
        int first = outbox_flush();
        cr_assert_eq(first + outbox_flush(), 2);
        cr_assert_eq(outbox_flush(), 0);
    }
}

static inline void outbox_again(void *unused, uint32_t slot) {
    (void)unused;
    delivered[slot]++;
    outbox_put(slot);
}

/* Each slot is put again while it is delivered: the outbox is full all the time. */
static inline void outbox_holds_all(void) {
    enum { ROUNDS = 3 };
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        outbox_put((slot * 611) % SLOTS);
    for (int round = 0; round < ROUNDS; round++)
        outbox->flush(outbox, outbox_again, NULL, &counters);
    for (int slot = 0; slot < SLOTS; slot++)
        cr_assert_eq(delivered[slot], ROUNDS);
    cr_assert_eq(outbox_flush(), SLOTS);
    cr_assert_eq(outbox_flush(), 0);
}

enum { PUTS = 1000000 };

static struct cell {
    int plain;         /* written before put, read by the flush: TSan watches */
    _Atomic bool full; /* from the put to its delivery */
} cells[SLOTS];
static int taken;

static inline void *outbox_put_many(void *unused) {
    uint32_t slot = 0;
    for (int i = 1; i <= PUTS; i++, slot = (slot + 611) % SLOTS) {
        while (atomic_load_explicit(&cells[slot].full, memory_order_acquire))
            sched_yield();
        cells[slot].plain = i;
        atomic_store_explicit(&cells[slot].full, true, memory_order_relaxed);
        outbox_put(slot);
    }
    return unused;
}

static inline void outbox_take(void *unused, uint32_t slot) {
    (void)unused;
    struct cell *cell = &cells[slot];
    cr_assert(atomic_load_explicit(&cell->full, memory_order_relaxed),
              "delivered without a put");
    cr_assert_gt(cell->plain, 0, "delivered without what was written before the put");
    cell->plain = 0;
    taken++;
    atomic_store_explicit(&cell->full, false, memory_order_release);
}

static inline void outbox_across(void) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, outbox_put_many, NULL), 0);
    while (taken < PUTS) { /* a put that was lost ends in the test's timeout */
        int before = taken;
        outbox->flush(outbox, outbox_take, NULL, &counters);
        if (taken == before)
            sched_yield();
    }
    pthread_join(thread, NULL);
    outbox->flush(outbox, outbox_take, NULL, &counters);
    cr_assert_eq(taken, PUTS);
}

/* A few slots, put as fast as it goes: most puts find the one before not flushed yet, or
 * in the very moment of being flushed. */
enum { BUSY = 3 };
static _Atomic int written[BUSY]; /* the last value that was written before a put */
static int seen[BUSY];            /* the last one that a delivery has read */

static inline void *outbox_put_often(void *unused) {
    for (int i = 1; i <= PUTS; i++) {
        int slot = i % BUSY;
        atomic_store_explicit(&written[slot], i, memory_order_relaxed);
        outbox_put((uint32_t)slot);
    }
    return unused;
}

static inline void outbox_look(void *unused, uint32_t slot) {
    (void)unused;
    cr_assert_lt(slot, BUSY);
    seen[slot] = atomic_load_explicit(&written[slot], memory_order_relaxed);
}

static inline void outbox_meets(void) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, outbox_put_often, NULL), 0);
    for (int last = PUTS - BUSY + 1; last <= PUTS; last++)
        while (seen[last % BUSY] != last) /* a lost put ends in the test's timeout */
            outbox->flush(outbox, outbox_look, NULL, &counters);
    pthread_join(thread, NULL);
}

#endif
