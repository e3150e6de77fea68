/* ANCHOR: open */
#include "06-pump/bell.h"

int bell_open(struct bell *bell, enum wake_kind kind, bool every) {
    atomic_init(&bell->pending, false);
    bell->every = every;
    return wake_open(&bell->wake, kind);
}

void bell_close(struct bell *bell) {
    wake_close(&bell->wake);
}
/* ANCHOR_END: open */

/* ANCHOR: ring */
bool bell_ring(struct bell *bell) {
    if (!bell->every &&
        atomic_exchange_explicit(&bell->pending, true, memory_order_acq_rel))
        return false;
    wake_send(&bell->wake);
    return true;
}

/* Clear, lower, then look. Lowered first, a ring in between would send a wake that is
 * cleared and leave the flag up: nobody would ring again. The exchange reads what a
 * skipped ring wrote, and so what was queued before that ring is seen from here on. */
void bell_answer(struct bell *bell) {
    wake_clear(&bell->wake);
    atomic_exchange_explicit(&bell->pending, false, memory_order_acq_rel);
}
/* ANCHOR_END: ring */
