/* What the three files of a connection, conn.c (heads), conn_body.c and conn_output.c,
 * share. */
#ifndef REQUEST_CONN_INSIDE_H
#define REQUEST_CONN_INSIDE_H

#include "03-request/conn.h"

/* What the application has made known, in the order in which to ask: after `ended`
 * nothing more is filled. */
bool conn_ended(const struct conn *conn);
size_t conn_filled(const struct conn *conn);

/* Waits for the next head, of which a part may be here already. */
void conn_await_head(struct conn *conn, uint64_t now);

/* Is there a body of which more may come? */
bool conn_takes_body(const struct conn *conn);

/* Decodes what has come of the body, as far as there is room for it. */
void conn_advance_body(struct conn *conn, uint64_t now);

/* Sends the client no more than this one answer, and tells it so. */
void conn_refuse(struct conn *conn, int status, uint64_t now);

/* The server stops: a client who has its answer, but goes on sending, keeps the
 * connection for a second more, and no longer. */
void conn_hurry(struct conn *conn, uint64_t now);

/* While the exchange goes on: sets the deadline if we wait for the client, anew if
 * there was progress. */
void conn_set_stall(struct conn *conn, bool progress, uint64_t now);

#endif
