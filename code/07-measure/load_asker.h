/* One connection of a client that asks the same again and again: a write for each
 * request and a read for each answer, where the kernel takes and gives them whole. */
#ifndef MEASURE_LOAD_ASKER_H
#define MEASURE_LOAD_ASKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "02-readiness/backend.h"
#include "07-measure/answer.h"

/* What all connections share. */
struct target {
    struct backend *backend;
    struct sockaddr_storage address;
    socklen_t address_length;
    char *request;   /* its bytes, head and body */
    size_t length;   /* of them */
    bool to_head;    /* its method is HEAD */
    uint64_t opened; /* connections that were begun so far */
};

struct asker {
    int fd; /* -1: closed */
    int interest;
    uint32_t number, tag; /* of its token: which asker, which of its connections */
    bool connected;
    bool asked; /* a request is on its way, or its answer */
    bool used;  /* this connection has brought an answer before */
    size_t sent;
    struct answer answer; /* the last one, while no other has been asked for */
};

enum asker_result {
    ASKER_WAITS,    /* nothing to tell yet */
    ASKER_ANSWERED, /* `answer` is whole */
    ASKER_LEFT,     /* a connection that had served was closed or reset before a byte
                       came, or one that asks nothing; it is never a new one with a
                       request, so to ask again is no endless loop */
    ASKER_FAILED,   /* reset, cut off, malformed, or bytes that nobody asked for */
    ASKER_REFUSED,  /* no connection; errno says why */
};

struct asker asker_new(uint32_t number);

/* Begins a connection where there is none, ahead of the first request. ASKER_WAITS or
 * ASKER_REFUSED. */
enum asker_result asker_open(struct asker *asker, struct target *target);

/* Asks; opens a connection for it if need be. ASKER_WAITS or ASKER_REFUSED: a write
 * that fails is found out by the read that follows. */
enum asker_result asker_ask(struct asker *asker, struct target *target);

/* Goes on after an event: at most a write and a read. The connection has been closed
 * if it can't be used again. */
enum asker_result asker_move(struct asker *asker, struct target *target, int ready);

/* Closes the connection, if there is one; the events it still has are stale then. */
void asker_close(struct asker *asker, struct target *target);

/* Is the event for the connection that this asker has now? */
bool asker_current(const struct asker *asker, watch_token token);

#endif
