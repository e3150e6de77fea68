/* ANCHOR: top */
#include "02-readiness/slots.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/clock.h"
/* ANCHOR_END: top */

/* ANCHOR: token */
watch_token token_of(uint32_t slot, uint32_t tag) {
    return (watch_token)tag << 32 | slot;
}

uint32_t token_slot(watch_token token) {
    return (uint32_t)token;
}

uint32_t token_tag(watch_token token) {
    return (uint32_t)(token >> 32);
}
/* ANCHOR_END: token */

/* ANCHOR: init */
void slots_init(struct slots *slots) {
    memset(slots, 0, sizeof *slots);
    for (int slot = SLOTS - 1; slot >= 0; slot--) { /* so that slot 0 is taken first */
        slots->free[slots->free_count++] = (uint16_t)slot;
        slots->idle_since[slot] = NEVER;
    }
}
/* ANCHOR_END: init */

/* ANCHOR: take */
bool slots_take(struct slots *slots, watch_token *token) {
    if (slots->free_count == 0)
        return false;
    uint32_t slot = slots->free[--slots->free_count];
    slots->taken[slot] = true;
    *token = token_of(slot, ++slots->tag[slot]);
    return true;
}
/* ANCHOR_END: take */

/* ANCHOR: current */
bool slots_current(const struct slots *slots, watch_token token) {
    uint32_t slot = token_slot(token);
    return slot < SLOTS && slots->taken[slot] && slots->tag[slot] == token_tag(token);
}
/* ANCHOR_END: current */

/* ANCHOR: leave */
void slots_leave(struct slots *slots, uint32_t slot) {
    assert(slots->taken[slot]);
    slots->taken[slot] = false;
    slots_busy(slots, slot);
    slots->leaving[slots->leaving_count++] = (uint16_t)slot;
}

void slots_close_later(struct slots *slots, int fd) {
    assert(slots->closing_count < SLOTS);
    slots->closing[slots->closing_count++] = fd;
}

void slots_end_batch(struct slots *slots) {
    for (int i = 0; i < slots->closing_count; i++)
        close(slots->closing[i]);
    for (int i = 0; i < slots->leaving_count; i++)
        slots->free[slots->free_count++] = slots->leaving[i];
    slots->closing_count = slots->leaving_count = 0;
}
/* ANCHOR_END: leave */

/* ANCHOR: idle */
void slots_idle(struct slots *slots, uint32_t slot, uint64_t now_ns) {
    slots->idle_since[slot] = now_ns;
}

void slots_busy(struct slots *slots, uint32_t slot) {
    slots->idle_since[slot] = NEVER;
}

bool slots_longest_idle(const struct slots *slots, uint32_t *slot) {
    uint64_t longest = NEVER;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (slots->idle_since[i] < longest) {
            longest = slots->idle_since[i];
            *slot = i;
        }
    return longest != NEVER;
}
/* ANCHOR_END: idle */
