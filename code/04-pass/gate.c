#include "04-pass/gate.h"

#include <errno.h>
#include <stddef.h>

#include "00-ground/trace.h"

int gate_wait(const struct gate *gate, struct backend *backend,
              struct readiness *events, int room, int ms) {
    if (gate)
        gate->before_wait(gate->self);
    uint64_t began = trace_begin();
    int n = backend_wait(backend, events, room, ms);
    int saved = errno;
    trace_end(began, ms == 0 ? "poll" : "sleep", NO_SLOT, 0);
    if (gate)
        gate->after_wait(gate->self);
    errno = saved;
    return n;
}
