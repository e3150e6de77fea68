/* ANCHOR: top */
/* One HTTP connection, free of loops and sockets: it is fed bytes and the time, and
 * gives exchanges, output, and the time at which it next wants to be asked. */
#ifndef REQUEST_CONN_H
#define REQUEST_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "00-ground/buffer.h"
#include "00-ground/stats.h"
#include "03-request/exchange.h"
/* ANCHOR_END: top */

/* ANCHOR: http */
/* What all connections of a server share. */
struct http {
    parse_function *parse;
    bool date;              /* answers carry a Date field */
    uint64_t head_timeout;  /* ns from a head's first byte to its last */
    uint64_t idle_timeout;  /* ns that a connection may lie between two requests */
    uint64_t stall_timeout; /* ns to wait for a client to read, or to send a body */
    bool stops; /* the server stops: an answer that nothing waits behind is the last */
    struct counters *counters;
};
/* ANCHOR_END: http */

/* ANCHOR: phase */
enum conn_phase {
    CONN_READING,   /* waits for a head, or for the rest of one */
    CONN_ANSWERING, /* an exchange is with the application, or its output isn't sent */
    CONN_SKIPPING,  /* the answer is sent; the rest of the request's body is dropped */
    CONN_REFUSING,  /* an answer of our own is being sent; nothing follows it */
    CONN_LINGERING, /* all is sent; what the client still sends is thrown away */
    CONN_GONE,      /* the socket is closed, but the application hasn't ended yet */
    CONN_OVER,      /* nothing is left to do */
};
/* ANCHOR_END: phase */

/* ANCHOR: conn */
enum {
    INPUT_MOST = 2 * HEAD_MOST, /* a head, and what follows it */
    OWN_MOST = 512,             /* bytes that we say ourselves */
};

#define HELD_UNKNOWN SIZE_MAX

struct conn {
    const struct http *http;
    enum conn_phase phase;
    bool input_ended;     /* the client sends no more */
    bool kept;            /* it has been answered before */
    bool head_begun;      /* a byte of the next head has come, so its time runs */
    bool open;            /* the application has the exchange, or just ended it */
    bool told_disconnect; /* the application knows */
    bool answer_begun;    /* a byte of its answer has been sent */
    bool body_begun;      /* a byte of the request's body has come */
    bool continued;       /* the client was told to send the body */
    bool half_closed;     /* the client was told that we send no more */
    struct buffer in;
    size_t seen;        /* bytes of `in` that the parser has found to be partial */
    size_t head_length; /* of the request of this exchange, at the front of `in` */
    struct body body;   /* where we are in the request's body, which follows its head */
    size_t sent;        /* bytes of the exchange's output */
    size_t own_length;  /* bytes of `own` that are to be sent before any output */
    size_t own_sent;
    bool awaits_room; /* the deadline is for the client to read, not to send a body */
    size_t held;      /* by the system, when we last asked; or HELD_UNKNOWN */
    uint64_t deadline;
    uint64_t linger_end; /* lingering ends then, whatever still comes */
    struct exchange exchange;
    char own[OWN_MOST];
    char input[INPUT_MOST];
    char body_bytes[BODY_ROOM];
    char output[OUTPUT_MOST];
};
/* ANCHOR_END: conn */

/* ANCHOR: calls */
/* A new client, in memory that was zero before its first. `ready` is called on the
 * application's thread when the loop should look at the connection. */
void conn_open(struct conn *conn, const struct http *http, uint32_t slot, uint32_t tag,
               void (*ready)(void *argument, uint32_t slot), void *ready_argument,
               uint64_t now);

/* Where input goes: `*at` and how many bytes fit. 0: read nothing now. */
size_t conn_input_room(struct conn *conn, char **at);

/* `n` bytes were put there. */
void conn_took_input(struct conn *conn, size_t n, uint64_t now);

/* The client has closed its side. */
void conn_input_ended(struct conn *conn, uint64_t now);

/* True when a request is there to be handed to the application. Refuses a bad one. */
bool conn_begins(struct conn *conn, uint64_t now);

/* True when there is input that conn_begins() hasn't looked at: a pipelined request, or
 * an end that came while the application was busy. */
bool conn_has_unread(const struct conn *conn);

/* True when the application waits for more of the body and has to hear that it is
 * there. */
bool conn_has_body(struct conn *conn, uint64_t now);

/* True when an output that was full has been sent and the application may go on. */
bool conn_has_room(struct conn *conn);

/* True when the application has to hear of a disconnect: once an exchange. */
bool conn_disconnects(struct conn *conn);

/* What is to be sent: `*at` and how many bytes. */
size_t conn_output(struct conn *conn, const char **at);

/* `n` bytes of it were sent (0 says: look whether the exchange has ended). */
void conn_sent(struct conn *conn, size_t n, uint64_t now);

/* True once, when the client should be told that nothing follows: shutdown(2). */
bool conn_half_closes(struct conn *conn);

/* The socket is broken or closed. The connection is CONN_OVER after it, or
 * CONN_GONE. */
void conn_broken(struct conn *conn);

/* What the socket should be watched for: READABLE, WRITABLE, both or 0. */
int conn_interest(const struct conn *conn);

/* Does it lie between two requests, so that nobody would miss it? */
bool conn_is_idle(const struct conn *conn);

/* Has nothing of a request come, so that it may be closed when the server stops? */
bool conn_is_silent(const struct conn *conn);

/* Has something been read behind the request that is being answered? */
bool conn_is_followed(const struct conn *conn);

/* The server stops, as `http->stops` says by now: if an answer is under way it is the
 * last, unless a request has come behind it; if it is over, what the client still sends
 * is waited for no longer than a second. Call it again when time has passed. */
void conn_stops(struct conn *conn, uint64_t now);

/* The client has our last byte, or will have: it may close, or see that we do. What it
 * sends meanwhile is dropped. */
void conn_linger(struct conn *conn, uint64_t now);

/* Call when `conn->deadline` (ns, or NEVER) has come: the client gets a 408 or is
 * over, unless an answer has come meanwhile that it has to be given time to read. So
 * much of our output is still `held` by the system: bytes that were sent and that the
 * client's side hasn't acknowledged, or HELD_UNKNOWN. While they become fewer the client
 * reads, though nothing leaves our output. */
void conn_expired(struct conn *conn, size_t held, uint64_t now);

#endif
/* ANCHOR_END: calls */
