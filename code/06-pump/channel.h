/* ANCHOR: head */
/* The submit channel: a queue of notices from the native loop's thread to the
 * executor's. One thread pushes and one thread pops; neither waits for the other. */
#ifndef PUMP_CHANNEL_H
#define PUMP_CHANNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "02-readiness/slots.h"
#include "04-pass/notice.h"
/* ANCHOR_END: head */

/* ANCHOR: size */
/* Never full: there is a place for every notice that can be on its way. And a power of
 * two, so that a notice's place doesn't jump when the counters wrap around. */
enum { CHANNEL = 8 * SLOTS };
_Static_assert(CHANNEL >= NOTICES_PER_SLOT * SLOTS && (CHANNEL & (CHANNEL - 1)) == 0,
               "the submit channel could overflow");
/* ANCHOR_END: size */

/* ANCHOR: struct */
struct channel {
    struct notice notices[CHANNEL];
    _Atomic uint32_t pushed; /* ever; written by the pusher only */
    _Atomic uint32_t popped; /* ever; written by the popper only */
};
/* ANCHOR_END: struct */

/* ANCHOR: functions */
void channel_init(struct channel *channel);

/* Puts `notice` at the end. What was written before is seen by whoever pops it. */
void channel_push(struct channel *channel, struct notice notice);

/* Takes the first notice; false if there is none. */
bool channel_pop(struct channel *channel, struct notice *notice);

#endif
/* ANCHOR_END: functions */
