/* A gate stands at a thread's wait. A lock that two threads hold outside their waits,
 * as Python's threads hold the GIL, is let go before a wait and taken back after it. */
#ifndef PASS_GATE_H
#define PASS_GATE_H

#include "02-readiness/backend.h"

struct gate {
    void *self;
    void (*before_wait)(void *self);
    void (*after_wait)(void *self);
};

/* backend_wait() through `gate` (NULL: no gate), with the sleep in the trace. */
int gate_wait(const struct gate *gate, struct backend *backend,
              struct readiness *events, int room, int ms);

#endif
