/* The bell: one wake until it is answered, and none is lost. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "00-ground/test_support.h"
#include "06-pump/bell.h"
#include "06-pump/channel.h"

TestSuite(bell, .timeout = 300);

static struct bell bell;

static void open_bell(enum wake_kind kind, bool every) {
    cr_assert_eq(bell_open(&bell, kind, every), 0);
}

static bool awake(void) {
    return readable_within(bell.wake.watched, 0);
}

Test(bell, wakes_once_until_it_is_answered) {
    open_bell(WAKE_DEFAULT, false);
    for (int round = 0; round < 3; round++) {
        cr_assert(!awake());
        cr_assert(bell_ring(&bell));
        for (int i = 0; i < 5; i++)
            cr_assert(!bell_ring(&bell), "one wake is on its way");
        cr_assert(awake());
        bell_answer(&bell);
    }
    cr_assert(!awake());
    bell_close(&bell);
}

Test(bell, with_every_wakes_at_each_ring) {
    open_bell(WAKE_DEFAULT, true);
    for (int i = 0; i < 5; i++)
        cr_assert(bell_ring(&bell));
    cr_assert(awake());
    bell_answer(&bell);
    cr_assert(!awake());
    cr_assert(bell_ring(&bell));
    bell_close(&bell);
}

Test(bell, an_answer_that_nobody_rang_for_does_no_harm) {
    open_bell(WAKE_DEFAULT, false);
    bell_answer(&bell);
    bell_answer(&bell);
    cr_assert(!awake());
    cr_assert(bell_ring(&bell));
    cr_assert(awake());
    bell_close(&bell);
}

/* A thread pushes and rings; this one sleeps until it is woken, answers, and takes out
 * what there is. Nobody pushes a batch before the last one was taken, so that a ring
 * that is lost stays lost. Whoever pops also reads what was written before the push. */
enum { BATCHES = OFTEN(20000), MOST = 4 };
static struct channel channel;
static uint32_t payload[MOST * BATCHES];
static _Atomic uint32_t taken;

static void *push_batches(void *unused) {
    uint32_t pushed = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        for (int i = 0; i <= batch % MOST; i++, pushed++) {
            payload[pushed] = pushed; /* plain: push and ring hand it over */
            channel_push(&channel, (struct notice){NOTICE_BEGIN, 0, pushed});
            bell_ring(&bell);
        }
        while (atomic_load_explicit(&taken, memory_order_acquire) < pushed)
            sched_yield();
    }
    return unused;
}

static void exchange_batches(enum wake_kind kind, bool every) {
    pthread_t thread;
    uint32_t popped = 0, all = 0;
    for (int batch = 0; batch < BATCHES; batch++)
        all += 1 + (uint32_t)(batch % MOST);
    open_bell(kind, every);
    channel_init(&channel);
    atomic_store(&taken, 0);
    cr_assert_eq(pthread_create(&thread, NULL, push_batches, NULL), 0);
    while (popped < all) {
        struct notice notice;
        cr_assert(readable_within(bell.wake.watched, WAIT_MS),
                  "a ring was lost after %u", popped);
        bell_answer(&bell);
        while (channel_pop(&channel, &notice)) {
            cr_assert_eq(notice.tag, popped);
            cr_assert_eq(payload[popped], popped);
            popped++;
        }
        atomic_store_explicit(&taken, popped, memory_order_release);
    }
    pthread_join(thread, NULL);
    bell_close(&bell);
}

Test(bell, none_is_lost_between_two_threads) {
    exchange_batches(WAKE_DEFAULT, false);
    exchange_batches(WAKE_PIPE, false);
    exchange_batches(WAKE_DATAGRAM, false);
    exchange_batches(WAKE_DEFAULT, true);
}

/* Two rings for each answer. The second finds a wake pending and makes no call, and yet
 * what was written before it is seen after the answer: the thread sanitizer would know
 * if it were luck, since the count of rings is relaxed and says nothing of the rest. */
static _Atomic int rung, answered;
static int written; /* plain: the bell hands it over */

static void *ring_twice(void *unused) {
    for (int i = 1; i <= BATCHES; i++) {
        cr_assert(bell_ring(&bell));
        written = i;
        cr_assert(!bell_ring(&bell));
        atomic_store_explicit(&rung, i, memory_order_relaxed);
        while (atomic_load_explicit(&answered, memory_order_acquire) < i)
            sched_yield();
    }
    return unused;
}

Test(bell, a_ring_that_makes_no_call_still_hands_over) {
    pthread_t thread;
    open_bell(WAKE_DEFAULT, false);
    cr_assert_eq(pthread_create(&thread, NULL, ring_twice, NULL), 0);
    for (int i = 1; i <= BATCHES; i++) {
        cr_assert(readable_within(bell.wake.watched, WAIT_MS));
        while (atomic_load_explicit(&rung, memory_order_relaxed) < i)
            sched_yield();
        bell_answer(&bell);
        cr_assert_eq(written, i);
        atomic_store_explicit(&answered, i, memory_order_release);
    }
    pthread_join(thread, NULL);
    bell_close(&bell);
}
