/* ANCHOR: top */
/* A trap that looks like a cure: the producer turns the native loop itself. */
#include "09-traps/traps.h"
/* ANCHOR_END: top */

/* ANCHOR: wait */
static struct loop_state *loop;

void pass_instead_on(struct loop_state *on) {
    loop = on;
}

/* In a callback of the executor, so outside any pass. The first pass sends what lies in
 * the outbox; the others wait until a socket can take more. */
static bool turn_the_loop(const struct exchange *exchange) {
    for (int ms = 0; awaits_room(exchange); ms = -1) {
        if (loop->stops > 0)
            return false;
        loop_pass(loop, ms);
    }
    return true;
}

size_t pass_instead_chunk(struct exchange *exchange, const char *bytes, size_t n,
                          bool more) {
    return blocking_chunk(exchange, bytes, n, more, turn_the_loop);
}
/* ANCHOR_END: wait */
