/* ANCHOR: top */
/* Who is let in, and who has to go for it. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "02-readiness/listener.h"
#include "03-request/transport.h"
#include "04-pass/pass_inside.h"
/* ANCHOR_END: top */

/* ANCHOR: listener */
void loop_listen(struct loop_state *loop, bool wanted) {
    if (backend_update(loop->backend, loop->listener, loop->listening ? READABLE : 0,
                       wanted ? READABLE : 0, token_of(LISTENER_SLOT, 0)) != 0)
        die("can't watch the listener: %s", strerror(errno));
    loop->listening = wanted;
}
/* ANCHOR_END: listener */

/* ANCHOR: make_room */
/* Its next request may have come a moment ago: then that is read instead. */
void loop_close_silent(struct loop_state *loop, uint32_t slot) {
    char byte;
    bool silent = recv(loop->sockets[slot], &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
    if (silent && transport_has_unsent(loop->sockets[slot]))
        conn_linger(&loop->conns[slot], loop->now); /* his last answer is on its way */
    else if (silent)
        conn_broken(&loop->conns[slot]);
    loop_move(loop, slot, !silent);
}

/* The table is full and somebody knocks: whoever has been idle longest has to go, or is
 * served if the next request has just come. False if nobody is idle. */
static bool make_room(struct loop_state *loop) {
    uint32_t slot;
    if (!slots_longest_idle(&loop->slots, &slot))
        return false;
    loop_close_silent(loop, slot);
    return true;
}
/* ANCHOR_END: make_room */

/* ANCHOR: let_in */
/* Takes in everybody who waits. When slots or descriptors run out the listener is
 * unwatched, or it would report the same clients at every wait: until a slot or a
 * descriptor frees, or, since others may have taken the descriptors, for 100 ms. */
void loop_let_in(struct loop_state *loop) {
    if (loop->slots.free_count == 0) { /* a slot that frees now is taken next time */
        if (loop->slots.leaving_count == 0 && !make_room(loop))
            loop_listen(loop, false);
        return;
    }
    while (loop->slots.free_count > 0) {
        int fd = listener_accept(loop->listener);
        if (fd == ACCEPT_NONE) {
            if (loop->http.stops)
                loop_close_listener(loop);
            return;
        }
        if (fd == ACCEPT_EXHAUSTED) {
            loop->retry = loop->now + RETRY_MS * NS_PER_MS;
            loop_listen(loop, false);
            return;
        }
        watch_token token;
        slots_take(&loop->slots, &token);
        uint32_t slot = token_slot(token);
        loop->sockets[slot] = fd;
        loop->interests[slot] = 0;
        conn_open(&loop->conns[slot], &loop->http, slot, token_tag(token),
                  loop->links.answered, loop->links.argument, loop->now);
        loop_move(loop, slot, false);
    }
}
/* ANCHOR_END: let_in */

/* ANCHOR: left */
/* Is it worth while to watch the listener again, though nobody has left? */
static bool may_accept(const struct loop_state *loop) {
    uint32_t slot;
    return loop->retry == NEVER ? slots_longest_idle(&loop->slots, &slot)
                                : loop->now >= loop->retry;
}

void loop_free_what_left(struct loop_state *loop) {
    bool freed = loop->slots.closing_count > 0 || loop->slots.leaving_count > 0;
    slots_end_batch(&loop->slots);
    if (!loop->listening && loop->listener >= 0 && (freed || may_accept(loop))) {
        loop->retry = NEVER;
        loop_listen(loop, true);
    }
}
/* ANCHOR_END: left */
