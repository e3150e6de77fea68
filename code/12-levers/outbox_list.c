/* ANCHOR: put */
#include "12-levers/outbox_list.h"

#include <string.h>

static void put(struct outbox *outbox, uint32_t slot) {
    struct list_outbox *list = (struct list_outbox *)outbox;
    /* An exchange even if the flag is up: who lowers it sees what was written before. */
    if (atomic_exchange_explicit(&list->waiting[slot], true, memory_order_acq_rel))
        return;
    uint32_t count = atomic_load_explicit(&list->put, memory_order_relaxed);
    list->slots[count % SLOTS] = slot;
    atomic_store_explicit(&list->put, count + 1, memory_order_release);
}
/* ANCHOR_END: put */

/* ANCHOR: flush */
static void flush(struct outbox *outbox, void (*deliver)(void *argument, uint32_t slot),
                  void *argument, struct counters *counters) {
    struct list_outbox *list = (struct list_outbox *)outbox;
    /* What is put from here on comes in the next flush: nobody keeps us here. */
    uint32_t count = atomic_load_explicit(&list->put, memory_order_acquire);
    counters->slots_swept += count - list->flushed;
    while (list->flushed != count) {
        uint32_t slot = list->slots[list->flushed++ % SLOTS];
        /* The place is read before the flag goes down, for then it may be written; and
         * the flag goes down before the slot is looked at, as in the sweep. */
        atomic_exchange_explicit(&list->waiting[slot], false, memory_order_acq_rel);
        deliver(argument, slot);
    }
}
/* ANCHOR_END: flush */

/* ANCHOR: list_init */
struct outbox *list_outbox_init(struct list_outbox *list) {
    list->outbox = (struct outbox){.put = put, .flush = flush};
    memset(list->slots, 0, sizeof list->slots);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        atomic_init(&list->waiting[slot], false);
    atomic_init(&list->put, 0);
    list->flushed = 0;
    return &list->outbox;
}
/* ANCHOR_END: list_init */
