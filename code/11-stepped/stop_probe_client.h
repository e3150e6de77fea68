/* A client of a server that is stopped: what it asked, and what became of that. */
#ifndef STEPPED_STOP_PROBE_CLIENT_H
#define STEPPED_STOP_PROBE_CLIENT_H

#include <stdbool.h>

#include "07-measure/answer.h"

enum client_saw {
    SAW_NOTHING, /* so far; at the end it means that the client was left to hang */
    SAW_REFUSED, /* it wasn't let in */
    SAW_ANSWER,  /* in full */
    SAW_CUT,     /* a part of it, then the end, or a reset */
    SAW_CLOSED,  /* the end, before a byte of an answer */
    SAW_RESET,   /* a reset, before a byte of an answer */
    SAW_NO_HTTP, /* bytes that are no answer */
};

struct probe_client {
    int fd;               /* -1: none */
    int port;             /* the server's */
    bool asked, was_read; /* it sent a request; the server had it when SIGTERM came */
    bool reset_later;     /* after the end that it saw came a reset: bytes lay unread */
    enum client_saw saw;
    struct answer answer;
};

/* Connects to 127.0.0.1 within `limit_ms`; saw is SAW_REFUSED if it can't. */
void client_open(struct probe_client *client, int port, int limit_ms);
void client_close(struct probe_client *client);

/* Sends GET `path`, and forgets what it saw before. */
void client_ask(struct probe_client *client, const char *path);

/* Forgets what it saw, asks for nothing, and looks. */
void client_rest(struct probe_client *client);

/* Takes what has come, without waiting. */
void client_look(struct probe_client *client);

/* What the server's kernel has for this client: Linux says (sock_diag(7)); on other
 * systems the answer is always CLIENT_UNKNOWN. */
enum client_place { CLIENT_UNKNOWN, CLIENT_IN_BACKLOG, CLIENT_UNREAD, CLIENT_READ };
enum client_place client_place(const struct probe_client *client);

/* In words: "answered in full". */
const char *client_says(const struct probe_client *client);

#endif
