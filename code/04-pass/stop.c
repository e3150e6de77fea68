/* ANCHOR: stopper */
#include <stddef.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "04-pass/pass_inside.h"

static void nothing_to_do(void *self, struct loop_state *loop,
                          void (*done)(void *argument), void *argument) {
    (void)self;
    (void)loop;
    done(argument);
}

const struct stopper stop_at_once = {.stop = nothing_to_do};
/* ANCHOR_END: stopper */

/* ANCHOR: leave */
void loop_take_leave(struct loop_state *loop) {
    loop->http.stops = true;
    loop->knocked = loop->listener >= 0 && loop->retry == NEVER;
    loop->now = clock_now();
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!loop->slots.taken[slot] || loop->sockets[slot] < 0)
            continue;
        conn_stops(&loop->conns[slot], loop->now);
        if (loop->conns[slot].deadline < loop->earliest)
            loop->earliest = loop->conns[slot].deadline;
        if (conn_is_silent(&loop->conns[slot]))
            loop_close_silent(loop, slot);
    }
    loop_free_what_left(loop);
}
/* ANCHOR_END: leave */

/* ANCHOR: shutdown */
void loop_close_listener(struct loop_state *loop) {
    loop_listen(loop, false);
    close(loop->listener);
    loop->listener = -1;
    loop->retry = NEVER;
}

void loop_shutdown(struct loop_state *loop) {
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (loop->slots.taken[slot] && loop->sockets[slot] >= 0)
            loop_close_socket(loop, slot);
    slots_end_batch(&loop->slots);
    if (loop->listener >= 0)
        close(loop->listener);
    backend_close(loop->backend);
}
/* ANCHOR_END: shutdown */
