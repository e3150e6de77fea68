#include "04-pass/gate.h"

#include <errno.h>
#include <stddef.h>

#include "00-ground/trace.h"

void gate_enter(const struct gate *gate) {
    if (gate)
        gate->after_wait(gate->self);
}

void gate_leave(const struct gate *gate) {
    if (gate)
        gate->before_wait(gate->self);
}

void gate_pause(const struct gate *gate) {
    if (gate && gate->pause)
        gate->pause(gate->self);
}

int gate_wait(const struct gate *gate, struct backend *backend,
              struct readiness *events, int room, int ms) {
    gate_leave(gate);
    uint64_t began = trace_begin();
    int n = backend_wait(backend, events, room, ms);
    int saved = errno;
    trace_end(began, ms == 0 ? "poll" : "sleep", NO_SLOT, 0);
    gate_enter(gate);
    errno = saved;
    return n;
}
