/* ANCHOR: top */
/* One client's conversation, moved on as far as it goes without sleeping. It answers
 * every head by hello, whatever it asks: chapter 03 reads requests. */
#ifndef READINESS_CLIENT_H
#define READINESS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "00-ground/stats.h"
/* ANCHOR_END: top */

/* ANCHOR: client */
/* What the server knows of one client between two events. */
struct client {
    int fd;
    int matched;   /* how much of "\r\n\r\n" the input ended with */
    bool in_head;  /* a head has begun, or the client is new */
    unsigned owed; /* answers that are due */
    size_t sent;   /* bytes of the first of them that have gone */
    bool ended;    /* the client sends no more */
};
/* ANCHOR_END: client */

/* ANCHOR: calls */
/* A client who has just connected, on a non-blocking descriptor. */
struct client client_new(int fd);

/* Reads once, and counts the requests. False when the connection is broken. */
bool client_read(struct client *client, struct counters *counters);

/* Writes what is owed until the socket is full, and no more than a turn's share: the
 * other clients wait meanwhile. Sets `*moved` if a byte went. False when the connection
 * is broken. */
bool client_write(struct client *client, struct counters *counters, bool *moved);

/* What to wait for now: READABLE, WRITABLE or both; 0 when the conversation is over. */
int client_interest(const struct client *client);
/* ANCHOR_END: calls */

/* ANCHOR: bottom */
#endif
/* ANCHOR_END: bottom */
