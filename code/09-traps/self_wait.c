/* ANCHOR: top */
/* A trap: the producer waits for the native loop to drain its output. */
#include <poll.h>
#include <stddef.h>

#include "00-ground/clock.h"
#include "09-traps/traps.h"
/* ANCHOR_END: top */

/* ANCHOR: wait */
enum { LIMIT_MS = 3000, LOOK_MS = 1 };

/* On another thread the native loop makes room meanwhile. On this one it can't. */
static bool wait_for_the_loop(const struct exchange *exchange) {
    uint64_t limit = clock_now() + LIMIT_MS * NS_PER_MS;
    while (awaits_room(exchange)) {
        if (clock_now() >= limit)
            return false;
        poll(NULL, 0, LOOK_MS);
    }
    return true;
}

size_t self_wait_chunk(struct exchange *exchange, const char *bytes, size_t n,
                       bool more) {
    return blocking_chunk(exchange, bytes, n, more, wait_for_the_loop);
}
/* ANCHOR_END: wait */
