#include "11-stepped/stress_traffic.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"

enum { BURST_LIMIT_MS = 20000 };
#define ENDLESS UINT64_MAX

/* splitmix64 (Steele, Lea and Flood, 2014): any seed will do. */
uint64_t stress_random(struct stress_traffic *traffic, uint64_t most) {
    uint64_t x = traffic->random += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (x ^ (x >> 31)) % (most + 1);
}

static uint64_t within_ms(struct stress_traffic *traffic, uint64_t most) {
    return stress_random(traffic, most * 1000) * NS_PER_US;
}

/* Does this client have a connection, or will it open one? Once the server is told to
 * stop it may refuse, and each client tries once more. */
static bool wants_one(const struct stress_traffic *traffic,
                      const struct stress_client *client) {
    return client->conn.fd >= 0 || (traffic->more > 0 && !client->over);
}

static void open_one(struct stress_traffic *traffic, struct stress_client *client) {
    struct stress_conn *conn = &client->conn;
    client->over = stress_stopped(traffic->round) || client->manner >= MANNERS;
    if (!stress_conn_open(conn, traffic->port, ++traffic->connections,
                          traffic->round)) {
        if (!stress_stopped(traffic->round))
            stress_fault(traffic->round, "connection %" PRIu64 ": refused",
                         traffic->connections);
        client->over = true;
        return;
    }
    if (client->manner < MANNERS)
        client->manner = (enum stress_manner)stress_random(traffic, MANNERS - 1);
    bool many = client->manner == KEEPS || client->manner == DRIBBLES;
    client->left = many                       ? 1 + (unsigned)stress_random(traffic, 19)
                   : client->manner == SILENT ? 0
                                              : 1;
}

static void ask_one(struct stress_traffic *traffic, struct stress_client *client) {
    bool slow = stress_random(traffic, 3) == 0;
    uint64_t most =
        client->manner == KEEPS || client->manner == DRIBBLES ? BODY_MOST : 500;
    stress_conn_ask(&client->conn, slow,
                    stress_random(traffic, slow ? traffic->slow_most : most));
    if (traffic->more > 0 && traffic->more != ENDLESS)
        traffic->more--;
}

static void ask(struct stress_traffic *traffic, struct stress_client *client,
                uint64_t now) {
    struct stress_conn *conn = &client->conn;
    client->left--;
    client->due = NEVER;
    if (client->manner == OVERSTAYS) {
        stress_conn_ask(conn, true, traffic->round->budget / NS_PER_MS + 2000);
        return;
    }
    ask_one(traffic, client);
    if (client->manner == PIPELINES)
        for (uint64_t i = stress_random(traffic, PIPELINE_MOST - 1); i > 0; i--)
            ask_one(traffic, client);
    if (client->manner == DRIBBLES)
        conn->out_held = conn->out_end / 2;
    if (client->manner == DRIBBLES || client->manner == RESETS)
        client->due = now + within_ms(traffic, 20);
}

static void left(struct stress_traffic *traffic, struct stress_client *client,
                 uint64_t now) {
    client->due = now + within_ms(traffic, 5);
}

/* What a client does by itself, when it is due. */
static void step(struct stress_traffic *traffic, struct stress_client *client,
                 uint64_t now) {
    struct stress_conn *conn = &client->conn;
    if (conn->fd < 0) {
        open_one(traffic, client);
        client->due = conn->fd < 0 ? NEVER : now;
    } else if (client->manner == RESETS && conn->asks > 0) {
        stress_conn_reset(conn, traffic->round);
        left(traffic, client, now);
    } else if (conn->out_held < conn->out_end) {
        conn->out_held = conn->out_end;
        client->due = NEVER;
    } else if (client->left > 0 && !conn->closing) {
        ask(traffic, client, now);
    } else {
        client->due = NEVER; /* the server's turn */
    }
}

/* After an answer: the next request, the end, or nothing more. */
static void go_on(struct stress_traffic *traffic, struct stress_client *client,
                  uint64_t now) {
    struct stress_conn *conn = &client->conn;
    if (client->due != NEVER || !stress_conn_idle(conn) || conn->closing)
        return;
    if (client->left > 0 && traffic->more > 0) {
        client->due = now + within_ms(traffic, 5);
    } else if (client->manner < MANNERS) {
        stress_conn_close(conn);
        left(traffic, client, now);
    }
}

/* Lets everybody do what is due. Returns when the next is. */
static uint64_t step_all(struct stress_traffic *traffic, uint64_t now) {
    uint64_t next = NEVER;
    for (unsigned i = 0; i < traffic->count; i++) {
        struct stress_client *client = &traffic->clients[i];
        while (client->due <= now && wants_one(traffic, client))
            step(traffic, client, now);
        if (client->due < next && wants_one(traffic, client))
            next = client->due;
    }
    return next;
}

/* Waits until `until` at most, and moves what is ready. Returns the time. */
static uint64_t move_all(struct stress_traffic *traffic, uint64_t now, uint64_t until) {
    struct pollfd waits[CLIENTS_MOST];
    for (unsigned i = 0; i < traffic->count; i++) {
        const struct stress_conn *conn = &traffic->clients[i].conn;
        bool sends = conn->out_sent < conn->out_held;
        waits[i] = (struct pollfd){.fd = conn->fd, .events = POLLIN};
        if (sends)
            waits[i].events |= POLLOUT;
    }
    if (poll(waits, traffic->count, clock_wait_ms(until, now)) < 0 && errno != EINTR)
        die("can't wait: %s", strerror(errno));
    now = clock_now();
    for (unsigned i = 0; i < traffic->count; i++) {
        struct stress_client *client = &traffic->clients[i];
        if (waits[i].fd < 0 || !waits[i].revents)
            continue;
        if (stress_conn_move(&client->conn, traffic->round, now))
            go_on(traffic, client, now);
        else
            left(traffic, client, now);
    }
    return now;
}

static bool is_busy(const struct stress_traffic *traffic, unsigned but) {
    for (unsigned i = but; i < traffic->count; i++)
        if (wants_one(traffic, &traffic->clients[i]))
            return true;
    return false;
}

/* Goes on until `until`, or until nobody but the first `but` clients has or wants a
 * connection. */
static void run(struct stress_traffic *traffic, unsigned but, uint64_t until) {
    uint64_t now = clock_now();
    while (now < until) {
        uint64_t next = step_all(traffic, now);
        if (!is_busy(traffic, but))
            return;
        now = move_all(traffic, now, next < until ? next : until);
    }
}

static void give_up(struct stress_traffic *traffic, unsigned but) {
    for (unsigned i = but; i < traffic->count; i++)
        if (traffic->clients[i].conn.fd >= 0)
            stress_conn_hung(&traffic->clients[i].conn, traffic->round, clock_now());
}

void stress_traffic_open(struct stress_traffic *traffic, int port, unsigned count,
                         uint64_t seed, struct stress_round *round) {
    *traffic = (struct stress_traffic){
        .round = round, .port = port, .random = seed, .count = 1, .more = 1};
    for (unsigned i = 0; i < count; i++)
        traffic->clients[i].conn.fd = -1;
    traffic->clients[0].manner = LINGERS;
    uint64_t now = clock_now(), limit = now + BURST_LIMIT_MS * NS_PER_MS;
    while (traffic->clients[0].conn.answers == 0 && is_busy(traffic, 0) &&
           now < limit) {
        step_all(traffic, now);
        now = move_all(traffic, now, limit);
    }
    traffic->count = count;
}

void stress_burst(struct stress_traffic *traffic, uint64_t requests) {
    traffic->more = requests;
    traffic->slow_most = 20;
    run(traffic, 1, clock_now() + BURST_LIMIT_MS * NS_PER_MS);
    give_up(traffic, 1);
}

static uint64_t under_way(const struct stress_traffic *traffic) {
    uint64_t requests = 0;
    for (unsigned i = 0; i < traffic->count; i++) {
        const struct stress_conn *conn = &traffic->clients[i].conn;
        for (unsigned j = conn->answers; conn->fd >= 0 && j < conn->asks; j++)
            requests += conn->asked[j].sent > 0;
    }
    return requests;
}

uint64_t stress_stop(struct stress_traffic *traffic, pid_t pid, uint64_t ms,
                     uint64_t over) {
    struct stress_round *round = traffic->round;
    traffic->clients[1].manner = SILENT;
    for (unsigned i = 2; i < traffic->count && i < 2 + over; i++)
        traffic->clients[i].manner = OVERSTAYS;
    traffic->more = ENDLESS;
    traffic->slow_most = 400;
    run(traffic, 0, clock_now() + ms * NS_PER_MS);
    uint64_t requests = under_way(traffic);
    round->stop = clock_now();
    if (kill(pid, SIGTERM) != 0)
        stress_fault(round, "the server had ended before it was told to");
    run(traffic, 0, round->stop + round->budget + PATIENCE_MS * NS_PER_MS);
    give_up(traffic, 0);
    return requests;
}
