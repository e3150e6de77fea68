/* What the three files of the native loop, pass.c, admit.c and stop.c, share. */
#ifndef PASS_PASS_INSIDE_H
#define PASS_PASS_INSIDE_H

#include "04-pass/pass.h"

/* Moves a connection on as far as it goes, then watches it for what it lacks. `readable`:
 * there may be something to read. */
void loop_move(struct loop_state *loop, uint32_t slot, bool readable);

/* Somebody knocks: takes in who waits, as far as there is room, or can be made. */
void loop_let_in(struct loop_state *loop);

/* Watches the listener, or doesn't. */
void loop_listen(struct loop_state *loop, bool wanted);

/* Unwatches the listener for good, and closes it: who knocks now is refused. */
void loop_close_listener(struct loop_state *loop);

/* Unwatches a connection's socket; it is closed after the batch. */
void loop_close_socket(struct loop_state *loop, uint32_t slot);

/* Closes a connection of which nothing has come; one whose last answer is still on its
 * way lingers first. */
void loop_close_silent(struct loop_state *loop, uint32_t slot);

/* The end of a batch: frees slots and descriptors, and listens again if that helps. */
void loop_free_what_left(struct loop_state *loop);

#endif
