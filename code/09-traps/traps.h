/* ANCHOR: top */
/* The broken variants, each a file of its own that is plugged in where the good way
 * stands. They are here to be looked at, and no program needs them. */
#ifndef TRAPS_TRAPS_H
#define TRAPS_TRAPS_H

#include "04-pass/pass.h"
#include "09-traps/stream.h"
/* ANCHOR_END: top */

/* ANCHOR: chunks */
/* A chunk that returns when all of it is in the output. While that is full it calls
 * `wait`, which returns once there is room, or false when it has given up: then fewer
 * bytes were taken. */
size_t blocking_chunk(struct exchange *exchange, const char *bytes, size_t n, bool more,
                      bool (*wait)(const struct exchange *exchange));

/* Has the application been promised room that hasn't come? */
bool awaits_room(const struct exchange *exchange);

/* Self-wait: waits for the native loop to make room, up to 3 s. */
chunk_call self_wait_chunk;

/* Pass-instead: has `loop` make passes until there is room, or a signal to stop. It has
 * to be on the application's thread. */
chunk_call pass_instead_chunk;
void pass_instead_on(struct loop_state *loop);
/* ANCHOR_END: chunks */

/* ANCHOR: overtake */
/* Overtake: requests go straight to the stream, disconnects by a queue that is emptied
 * 5 ms later. */
enum { LATE_MOST = 1024 }; /* disconnects in the queue */

struct overtake {
    struct stream *stream;
    struct late_disconnect {
        struct exchange *exchange;
        uint32_t tag;
    } late[LATE_MOST];
    uint32_t pushed, popped;
    timer_handle timer;             /* until the queue is emptied, or 0 */
    struct application application; /* hand this to a server */
};

/* `stream` has to outlive it. */
void overtake_init(struct overtake *overtake, struct stream *stream);

#endif
/* ANCHOR_END: overtake */
