/* An HTTP server whose sockets belong to the executor: the shape of uvicorn. */
#ifndef EXECUTOR_SERVER_H
#define EXECUTOR_SERVER_H

#include "02-readiness/slots.h"
#include "03-request/conn.h"
#include "05-executor/alarm.h"
#include "05-executor/c_executor.h"
#include "05-executor/soon.h"

struct server {
    struct c_executor *c_executor; /* for add_writer */
    const struct executor *executor;
    struct http http;
    struct counters counters;
    struct soon soon;
    struct alarm alarm; /* the connections' deadlines */
    struct alarm retry; /* to accept again, after descriptors ran out */
    uint64_t earliest;  /* no connection's deadline comes before it */
    int listener;
    bool listening;
    struct slots slots;
    int sockets[SLOTS]; /* -1: closed, but the application hasn't ended the exchange */
    int interests[SLOTS]; /* which of a reader and a writer the socket has */
    struct server_connection {
        struct server *server;
        struct conn conn;
    } connections[SLOTS];
};

/* Starts to serve what `listener` accepts. All it points to has to outlive the server,
 * which sets `http.counters` to its own. */
void server_start(struct server *server, struct c_executor *c_executor, int listener,
                  struct http http, const struct application *application);

/* Closes the listener and every connection. */
void server_close(struct server *server);

#endif
