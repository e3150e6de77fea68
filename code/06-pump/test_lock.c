/* The locks behind the gate: who gets them, and when. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "06-pump/lock.h"

TestSuite(lock, .timeout = 300);

static struct lock lock;
static const struct gate *gate;
static int inside; /* plain: the lock alone guards it */
static _Atomic bool over, waits, got;
static _Atomic uint64_t turns[2]; /* of each thread */

static void open_lock(const char *name) {
    gate = lock_init(&lock, name);
    cr_assert_not_null(gate);
    inside = 0;
    atomic_store(&over, false);
    atomic_store(&waits, false);
    atomic_store(&got, false);
    atomic_store(&turns[0], 0);
    atomic_store(&turns[1], 0);
}

static void start(pthread_t *thread, void *(*run)(void *), void *argument) {
    cr_assert_eq(pthread_create(thread, NULL, run, argument), 0);
}

/* Comes back once `flag` is up. */
static void await(_Atomic bool *flag) {
    uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS;
    while (!atomic_load(flag)) {
        cr_assert_lt(clock_now(), deadline);
        sched_yield();
    }
}

/* Comes back once the thread that waits for the gil has asked for it, or the other
 * way. */
static void await_asked(bool asked) {
    uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS;
    while (atomic_load(&lock.asked) != asked) {
        cr_assert_lt(clock_now(), deadline);
        sched_yield();
    }
}

/* A turn of a thread that holds the lock: nobody else may be inside meanwhile. */
static void turn(int thread) {
    cr_assert_eq(inside++, 0, "two threads hold it");
    for (int i = 0; i < 200; i++)
        atomic_signal_fence(memory_order_seq_cst);
    cr_assert_eq(--inside, 0);
    atomic_fetch_add(&turns[thread], 1);
}

/* --- free ---------------------------------------------------------------------------- */

Test(lock, free_is_no_gate_and_a_gate_of_null_does_nothing) {
    gate = lock_init(&lock, "free");
    cr_assert_null(gate);
    gate_enter(gate);
    gate_pause(gate);
    gate_leave(gate);
}

/* --- both ---------------------------------------------------------------------------- */

/* Two threads that often let go, as if they waited. */
static void *take_turns(void *argument) {
    int thread = argument != NULL;
    for (int i = 0; i < 20000; i++) {
        gate_enter(gate);
        turn(thread);
        gate_pause(gate);
        turn(thread);
        gate_leave(gate);
    }
    return NULL;
}

static void exclude(const char *name) {
    pthread_t other;
    open_lock(name);
    start(&other, take_turns, &other);
    take_turns(NULL);
    pthread_join(other, NULL);
    cr_assert_eq(atomic_load(&turns[0]), 40000);
    cr_assert_eq(atomic_load(&turns[1]), 40000);
}

Test(lock, gil_is_held_by_one_thread_at_a_time) {
    exclude("gil");
}

Test(lock, mutex_is_held_by_one_thread_at_a_time) {
    exclude("mutex");
}

static void *take_once(void *unused) {
    atomic_store(&waits, true);
    gate_enter(gate);
    cr_assert_eq(inside, 0, "the other thread still holds it");
    atomic_store(&got, true);
    gate_leave(gate);
    return unused;
}

/* Whoever waits gets it when the holder comes to its wait, and no earlier. How long that
 * took, in ns. */
static uint64_t hand_over_at_a_wait(const char *name) {
    pthread_t other;
    open_lock(name);
    gate_enter(gate);
    inside = 1;
    start(&other, take_once, NULL);
    await(&waits);
    cr_assert(!readable_within(-1, 1)); /* it has a moment to try */
    cr_assert(!atomic_load(&got));
    inside = 0;
    gate_leave(gate);
    uint64_t began = clock_now();
    await(&got); /* with this thread out of it for good, as in a long sleep */
    uint64_t took = clock_now() - began;
    pthread_join(other, NULL);
    gate_enter(gate); /* and back */
    gate_leave(gate);
    return took;
}

static int by_length(const void *a, const void *b) {
    const uint64_t *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

/* And it is told: who only looked again when its interval is over would need most of
 * that, nearly always. */
Test(lock, gil_goes_to_who_waits_at_the_holders_wait) {
    enum { TIMES = 101 };
    uint64_t took[TIMES];
    for (int i = 0; i < TIMES; i++)
        took[i] = hand_over_at_a_wait("gil");
    qsort(took, TIMES, sizeof took[0], by_length);
    cr_assert_lt(took[TIMES / 2], GIL_INTERVAL_MS * NS_PER_MS / 2);
}

Test(lock, mutex_goes_to_who_waits_at_the_holders_wait) {
    for (int i = 0; i < 100; i++)
        hand_over_at_a_wait("mutex");
}

/* --- gil ----------------------------------------------------------------------------- */

static void *burn(void *argument) {
    int thread = argument != NULL;
    gate_enter(gate);
    while (!atomic_load(&over)) {
        turn(thread);
        gate_pause(gate);
    }
    gate_leave(gate);
    return NULL;
}

/* Neither ever waits, and yet each gets on, again and again: the one who has waited
 * for the interval asks, and the other lets go. */
Test(lock, gil_changes_hands_between_two_who_never_wait) {
    pthread_t threads[2];
    enum { SWITCHES = 6 };
    open_lock("gil");
    start(&threads[0], burn, NULL);
    start(&threads[1], burn, &threads[1]);
    uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS, seen[2] = {0, 0};
    for (int i = 0; i < SWITCHES; i++)
        for (int thread = 0; thread < 2; thread++) {
            while (atomic_load(&turns[thread]) == seen[thread]) {
                cr_assert_lt(clock_now(), deadline, "thread %d doesn't get on", thread);
                sched_yield();
            }
            seen[thread] = atomic_load(&turns[thread]);
        }
    atomic_store(&over, true);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    cr_assert_geq(lock.switches, 2);
}

/* Who isn't asked keeps it at a pause. */
Test(lock, gil_is_kept_at_a_pause_by_who_was_not_asked) {
    open_lock("gil");
    gate_enter(gate);
    uint64_t switches = lock.switches;
    for (int i = 0; i < 1000; i++)
        gate_pause(gate);
    cr_assert_eq(lock.switches, switches);
    gate_leave(gate);
}

/* Nobody is asked before the interval is over; who is asked stands back until the other
 * has taken it, so a single pause is enough. */
Test(lock, gil_goes_to_who_has_asked_at_the_next_pause) {
    pthread_t other;
    for (int round = 0; round < 5; round++) {
        open_lock("gil");
        gate_enter(gate);
        uint64_t switches = lock.switches, began = clock_now();
        start(&other, take_once, NULL);
        await_asked(true);
        cr_assert_geq(clock_now() - began, GIL_INTERVAL_MS * NS_PER_MS);
        cr_assert(!atomic_load(&got));
        gate_pause(gate);
        cr_assert(atomic_load(&got), "it was back before the other had it");
        cr_assert_eq(lock.switches, switches + 2);
        cr_assert(!atomic_load(&lock.asked));
        gate_leave(gate);
        pthread_join(other, NULL);
    }
}

/* The same at a wait: it ends with the other one in possession. */
Test(lock, gil_is_not_taken_back_by_who_was_asked_before_its_wait) {
    pthread_t other;
    for (int round = 0; round < 5; round++) {
        open_lock("gil");
        gate_enter(gate);
        uint64_t switches = lock.switches;
        start(&other, take_once, NULL);
        await_asked(true);
        gate_leave(gate);
        gate_enter(gate);
        cr_assert(atomic_load(&got), "it was back before the other had it");
        cr_assert_eq(lock.switches, switches + 2);
        gate_leave(gate);
        pthread_join(other, NULL);
    }
}

/* --- mutex --------------------------------------------------------------------------- */

/* Nobody can ask for a mutex: a pause passes over who waits. */
Test(lock, mutex_is_kept_at_a_pause) {
    pthread_t other;
    open_lock("mutex");
    gate_enter(gate);
    start(&other, take_once, NULL);
    await(&waits);
    for (uint64_t began = clock_now(); clock_now() - began < 20 * NS_PER_MS;)
        gate_pause(gate);
    cr_assert(!atomic_load(&got));
    gate_leave(gate);
    pthread_join(other, NULL);
    cr_assert(atomic_load(&got));
}
