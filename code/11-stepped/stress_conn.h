/* One connection of the client: what it asked, and whether what comes is the answer. */
#ifndef STEPPED_STRESS_CONN_H
#define STEPPED_STRESS_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "07-measure/answer.h"
#include "11-stepped/stress.h"

enum {
    PIPELINE_MOST = 8,
    BODY_MOST = 6000,
    OUT_MOST = 65536,
};

/* A request. Its word is in no other, and an answer has to bring it back. */
struct stress_asked {
    bool slow;       /* GET /slow?ms=N; else POST /echo with a body of words */
    uint64_t number; /* N, or the length of the body */
    char word[40];
    size_t begins; /* its first byte in `out` */
    uint64_t sent; /* when that byte went to the kernel; 0: not yet */
    bool owed;     /* ... before SIGTERM: there has to be an answer */
};

struct stress_conn {
    int fd; /* -1: none */
    uint64_t number;
    bool young;   /* opened after SIGTERM */
    bool closing; /* an answer said Connection: close */
    struct stress_asked asked[PIPELINE_MOST];
    unsigned asks, answers; /* of `asked`: how many there are, and are answered */
    uint64_t words;         /* how many have been made on this connection */
    char out[OUT_MOST];
    size_t out_end, out_sent, out_held; /* bytes there, sent, and free to be sent */
    struct answer answer;               /* what has come of the next one */
    char body[BODY_MOST];
};

/* Connects to 127.0.0.1. False if nobody listens; `conn` is closed then. */
bool stress_conn_open(struct stress_conn *conn, int port, uint64_t number,
                      const struct stress_round *round);

/* Adds a request to the output; no more than PIPELINE_MOST until all are answered. */
void stress_conn_ask(struct stress_conn *conn, bool slow, uint64_t number);

/* Has it nothing to wait for? */
bool stress_conn_idle(const struct stress_conn *conn);

/* Sends what it can and reads what has come. False once the connection has ended: it is
 * closed then, and what it still had to get is judged. */
bool stress_conn_move(struct stress_conn *conn, struct stress_round *round,
                      uint64_t now);

/* The client's own ends: an orderly one when it is idle, and a reset. */
void stress_conn_close(struct stress_conn *conn);
void stress_conn_reset(struct stress_conn *conn, struct stress_round *round);

/* Time is up: whatever it waits for is a fault. */
void stress_conn_hung(struct stress_conn *conn, struct stress_round *round,
                      uint64_t now);

#endif
