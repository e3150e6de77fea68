/* The listening socket, and the connections that come out of it. */
#ifndef READINESS_LISTENER_H
#define READINESS_LISTENER_H

#include <stdint.h>

/* For main(): listens on `host` (a name or a numeric address) and `port` (0: any free
 * one), non-blocking, close-on-exec, with the system's longest backlog, and prints
 * "listening on http://HOST:PORT". Dies with one line and exit 2 if it can't. Also
 * raises the soft limit of descriptors, so that a full slot table fits. */
int listener_open(const char *host, uint64_t port);

enum {
    ACCEPT_NONE = -1,      /* nobody waits */
    ACCEPT_EXHAUSTED = -2, /* somebody waits, but the system has nothing left for him */
    RETRY_MS = 100,        /* after that, leave the listener alone for so long */
};

/* Accepts one connection: non-blocking, close-on-exec, TCP_NODELAY. Returns the
 * descriptor, which is the caller's, or one of the two above. Connections that were
 * given up while they waited are passed over (accept(2), "Error handling"). */
int listener_accept(int listener);

#endif
