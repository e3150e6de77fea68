/* A lock for two threads that hold it from their start to their end, except when they
 * wait: what the interpreter's lock is to two of Python's threads. */
#ifndef PUMP_LOCK_H
#define PUMP_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "04-pass/gate.h"

enum { GIL_INTERVAL_MS = 5 }; /* how long a thread waits before it asks */

struct lock {
    struct gate gate;
    pthread_mutex_t mutex; /* the lock itself; for "gil" it guards what follows */
    bool held;
    pthread_t last;     /* who took it last */
    uint64_t switches;  /* how often somebody else took it than the last time */
    _Atomic bool asked; /* somebody has waited too long for it */
    pthread_cond_t freed, taken; /* these two have happened */
};

/* Makes a lock of the kind called `name` and returns its gate, which lives as long as
 * the lock does:
 *   "free"   none: NULL, and `lock` isn't touched
 *   "gil"    the rule of CPython's: who has waited for 5 ms asks for it, and then gets it
 *   "mutex"  a mutex: whoever comes first gets it, even who has just let go
 * Dies of usage if there is no such kind. The caller doesn't hold it yet. */
const struct gate *lock_init(struct lock *lock, const char *name);

#endif
