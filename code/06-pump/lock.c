/* ANCHOR: includes */
#include "06-pump/lock.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/trace.h"

#ifdef __APPLE__
enum { CONDITION_CLOCK = CLOCK_REALTIME }; /* its conditions know no other */
#else
enum { CONDITION_CLOCK = CLOCK_MONOTONIC };
#endif
/* ANCHOR_END: includes */

/* ANCHOR: mutex */
static void mutex_take(void *self) {
    struct lock *lock = self;
    if (pthread_mutex_trylock(&lock->mutex) == 0)
        return;
    uint64_t began = trace_begin();
    pthread_mutex_lock(&lock->mutex);
    trace_end(began, "lock", NO_SLOT, 0);
}

static void mutex_let_go(void *self) {
    pthread_mutex_unlock(&((struct lock *)self)->mutex);
}
/* ANCHOR_END: mutex */

/* ANCHOR: interval */
static struct timespec interval_from_now(void) {
    struct timespec until;
    clock_gettime(CONDITION_CLOCK, &until);
    until.tv_nsec += GIL_INTERVAL_MS * (long)NS_PER_MS;
    if (until.tv_nsec >= (long)NS_PER_S) {
        until.tv_nsec -= (long)NS_PER_S;
        until.tv_sec++;
    }
    return until;
}
/* ANCHOR_END: interval */

/* ANCHOR: take */
/* Waits until nobody holds it. Who has waited for the whole interval, and nobody else
 * got it meanwhile either, asks the holder to let go. */
static void wait_for_gil(struct lock *gil) {
    while (gil->held) {
        uint64_t seen = gil->switches;
        struct timespec until = interval_from_now();
        int error = pthread_cond_timedwait(&gil->freed, &gil->mutex, &until);
        if (error == ETIMEDOUT && gil->held && gil->switches == seen)
            atomic_store_explicit(&gil->asked, true, memory_order_relaxed);
    }
}

static void gil_take(void *self) {
    struct lock *gil = self;
    pthread_mutex_lock(&gil->mutex);
    if (gil->held) {
        uint64_t began = trace_begin();
        wait_for_gil(gil);
        trace_end(began, "lock", NO_SLOT, 0);
    }
    gil->held = true;
    gil->switches += !pthread_equal(gil->last, pthread_self());
    gil->last = pthread_self();
    atomic_store_explicit(&gil->asked, false, memory_order_relaxed);
    pthread_cond_signal(&gil->taken);
    pthread_mutex_unlock(&gil->mutex);
}
/* ANCHOR_END: take */

/* ANCHOR: let_go */
/* Who was asked also waits until somebody else has it. Otherwise it would most likely
 * be back first, for it is awake and the other one isn't. */
static void gil_let_go(void *self) {
    struct lock *gil = self;
    pthread_mutex_lock(&gil->mutex);
    assert(gil->held && pthread_equal(gil->last, pthread_self()));
    uint64_t seen = gil->switches;
    gil->held = false;
    pthread_cond_signal(&gil->freed);
    while (atomic_load_explicit(&gil->asked, memory_order_relaxed) &&
           gil->switches == seen)
        pthread_cond_wait(&gil->taken, &gil->mutex);
    pthread_mutex_unlock(&gil->mutex);
}

static void gil_pause(void *self) {
    struct lock *gil = self;
    if (!atomic_load_explicit(&gil->asked, memory_order_relaxed))
        return;
    gil_let_go(gil);
    gil_take(gil);
}
/* ANCHOR_END: let_go */

/* ANCHOR: init */
static void init_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
#ifndef __APPLE__
    if (!error)
        error = pthread_condattr_setclock(&attributes, CONDITION_CLOCK);
#endif
    if (!error)
        error = pthread_cond_init(condition, &attributes);
    if (error)
        die("can't make a condition variable: %s", strerror(error));
    pthread_condattr_destroy(&attributes);
}

const struct gate *lock_init(struct lock *lock, const char *name) {
    bool gil = strcmp(name, "gil") == 0;
    if (strcmp(name, "free") == 0)
        return NULL;
    if (!gil && strcmp(name, "mutex") != 0)
        die_of_usage("--lock %s: there is no such lock; choose free, gil or mutex",
                     name);
    *lock = (struct lock){.last = pthread_self()};
    lock->gate = gil ? (struct gate){lock, gil_let_go, gil_take, gil_pause}
                     : (struct gate){lock, mutex_let_go, mutex_take, NULL};
    int error = pthread_mutex_init(&lock->mutex, NULL);
    if (error)
        die("can't make a mutex: %s", strerror(error));
    init_condition(&lock->freed);
    init_condition(&lock->taken);
    return &lock->gate;
}
/* ANCHOR_END: init */
