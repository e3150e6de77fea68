/* Many clients on one thread, each with its own manner, in bursts or until the server is
 * told to stop. */
#ifndef STEPPED_STRESS_TRAFFIC_H
#define STEPPED_STRESS_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "11-stepped/stress_conn.h"

enum {
    CLIENTS_MOST = 128,
    PATIENCE_MS = 3000, /* beyond the budget; then who still waits was left to hang */
};

enum stress_manner {
    KEEPS,     /* asks again and again on one connection */
    PIPELINES, /* asks up to 8 times at once */
    CLOSES,    /* one request for each connection */
    RESETS,    /* resets with a request under way */
    DRIBBLES,  /* sends half of a request first, and the rest later */
    MANNERS,
    LINGERS,  /* asks once and stays */
    SILENT,   /* never asks */
    OVERSTAYS /* asks for what takes longer than the budget */
};

struct stress_client {
    struct stress_conn conn;
    enum stress_manner manner;
    unsigned left; /* requests that it makes yet on this connection */
    uint64_t due;  /* when it does what comes next */
    bool over;     /* it opens no more */
};

struct stress_traffic {
    struct stress_round *round;
    int port;
    uint64_t random;
    uint64_t connections; /* opened so far */
    uint64_t more;        /* requests to begin yet in this burst */
    uint64_t slow_most;   /* ms that a slow request takes at most */
    unsigned count;
    struct stress_client clients[CLIENTS_MOST];
};

/* `count` clients, from 3 on, of the server at `port`. The first asks once, has its answer
 * when this returns, and stays connected: the server has nothing left to open then. */
void stress_traffic_open(struct stress_traffic *traffic, int port, unsigned count,
                         uint64_t seed, struct stress_round *round);

/* From 0 to `most`, of the seed's numbers. */
uint64_t stress_random(struct stress_traffic *traffic, uint64_t most);

/* All but the first make `requests` requests together and leave. */
void stress_burst(struct stress_traffic *traffic, uint64_t requests);

/* They ask on without an end, but for one who says nothing and `over` who ask for what takes
 * longer than the budget. After `ms` milliseconds `pid` gets SIGTERM. Returns when every
 * connection has ended, or was given up as a fault; says how many requests were under way
 * at SIGTERM. */
uint64_t stress_stop(struct stress_traffic *traffic, pid_t pid, uint64_t ms,
                     uint64_t over);

#endif
