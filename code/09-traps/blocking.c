/* ANCHOR: top */
/* What the first two traps share: a chunk call that comes back when it is done. */
#include "09-traps/traps.h"
/* ANCHOR_END: top */

/* ANCHOR: blocking */
bool awaits_room(const struct exchange *exchange) {
    return atomic_load_explicit(&exchange->wants_room, memory_order_acquire);
}

size_t blocking_chunk(struct exchange *exchange, const char *bytes, size_t n, bool more,
                      bool (*wait)(const struct exchange *exchange)) {
    size_t taken = 0;
    if (awaits_room(exchange))
        return 0; /* called for a notice of room that was used up while we waited */
    while (taken < n) {
        if (awaits_room(exchange) && !wait(exchange))
            break;
        taken += exchange_chunk(exchange, bytes + taken, n - taken, more);
    }
    return taken;
}
/* ANCHOR_END: blocking */
