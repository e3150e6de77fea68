/* ANCHOR: includes */
#include "06-pump/channel.h"

#include <string.h>

#include "00-ground/error.h"

void channel_init(struct channel *channel) {
    /* Every page is written once now, so that memory doesn't grow as the ring fills. */
    memset(channel->notices, 0, sizeof channel->notices);
    atomic_init(&channel->pushed, 0);
    atomic_init(&channel->popped, 0);
}
/* ANCHOR_END: includes */

/* ANCHOR: push */
void channel_push(struct channel *channel, struct notice notice) {
    uint32_t pushed = atomic_load_explicit(&channel->pushed, memory_order_relaxed);
    uint32_t popped = atomic_load_explicit(&channel->popped, memory_order_acquire);
    if (pushed - popped == CHANNEL)
        die("the submit channel is full, which its size should make impossible");
    channel->notices[pushed % CHANNEL] = notice;
    atomic_store_explicit(&channel->pushed, pushed + 1, memory_order_release);
}

bool channel_pop(struct channel *channel, struct notice *notice) {
    uint32_t popped = atomic_load_explicit(&channel->popped, memory_order_relaxed);
    uint32_t pushed = atomic_load_explicit(&channel->pushed, memory_order_acquire);
    if (popped == pushed)
        return false;
    *notice = channel->notices[popped % CHANNEL];
    atomic_store_explicit(&channel->popped, popped + 1, memory_order_release);
    return true;
}
/* ANCHOR_END: push */
