/* Between a socket and a connection: moves what can be moved now, and asks nobody to
 * wait. */
#ifndef REQUEST_TRANSPORT_H
#define REQUEST_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "03-request/application.h"
#include "03-request/conn.h"

/* Reads once from the non-blocking `socket` if it is `readable`, tells `application` of
 * each request whose head is whole, of its body, of room and of a disconnect, and writes
 * what there is to write. `now` is in ns. True while the socket is needed; on false the
 * caller closes it, and frees the slot once the connection is CONN_OVER. If
 * conn_has_unread() holds after it, the client has had its turn: call it again after the
 * others, without waiting. Call it with -1 for a socket that was closed, to see whether
 * the application has ended. */
bool transport_move(int socket, struct conn *conn, bool readable,
                    const struct application *application, uint64_t now);

/* Calls conn_expired() with what the system still holds of the output. Call it when the
 * connection's deadline (ns) has come, and transport_move() after it. */
void transport_expired(int socket, struct conn *conn, uint64_t now);

/* Is there something that we have written and the client's kernel hasn't taken? A reset
 * would throw it away. False where the system can't say. */
bool transport_has_unsent(int socket);

#endif
