/* A gate stands at a thread's wait. A lock that two threads hold outside their waits,
 * as Python's threads hold the GIL, is let go before a wait and taken back after it. */
#ifndef PASS_GATE_H
#define PASS_GATE_H

#include "02-readiness/backend.h"

/* `self` is what is handed to the functions. */
struct gate {
    void *self;
    void (*before_wait)(void *self);
    void (*after_wait)(void *self);

    /* Somebody else may want what is behind the gate: lets it go and takes it back, if
     * so. NULL: nobody can ask. */
    void (*pause)(void *self);
};

/* For all three, a gate of NULL is none, and nothing happens.
 *
 * What a thread does first, and last: it takes what is behind the gate, and lets go. */
void gate_enter(const struct gate *gate);
void gate_leave(const struct gate *gate);

/* For a thread that has come to a place where it can be asked to let go. */
void gate_pause(const struct gate *gate);

/* backend_wait() through `gate` (NULL: no gate), with the sleep in the trace. */
int gate_wait(const struct gate *gate, struct backend *backend,
              struct readiness *events, int room, int ms);

#endif
