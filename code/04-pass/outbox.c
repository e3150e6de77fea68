/* ANCHOR: sweep */
#include "04-pass/outbox.h"

static void put(struct outbox *outbox, uint32_t slot) {
    struct sweep_outbox *sweep = (struct sweep_outbox *)outbox;
    atomic_store_explicit(&sweep->waiting[slot], true, memory_order_release);
}

static void flush(struct outbox *outbox, void (*deliver)(void *argument, uint32_t slot),
                  void *argument, struct counters *counters) {
    struct sweep_outbox *sweep = (struct sweep_outbox *)outbox;
    counters->slots_swept += SLOTS;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!atomic_load_explicit(&sweep->waiting[slot], memory_order_relaxed))
            continue;
        /* The flag goes down before the slot is looked at: what is put from here on
         * raises it again and is found by the next flush. */
        atomic_exchange_explicit(&sweep->waiting[slot], false, memory_order_acquire);
        deliver(argument, slot);
    }
}
/* ANCHOR_END: sweep */

/* ANCHOR: init */
struct outbox *sweep_outbox_init(struct sweep_outbox *sweep) {
    sweep->outbox = (struct outbox){.put = put, .flush = flush};
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        atomic_init(&sweep->waiting[slot], false);
    return &sweep->outbox;
}
/* ANCHOR_END: init */
