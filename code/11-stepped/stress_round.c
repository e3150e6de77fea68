/* ANCHOR: before */
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>

#include "00-ground/clock.h"
#include "11-stepped/stress_server.h"
#include "11-stepped/stress_traffic.h"

void stress_fault(struct stress_round *round, const char *format, ...) {
    enum { SHOWN_MOST = 8 };
    if (round->faults++ >= SHOWN_MOST)
        return;
    va_list arguments;
    va_start(arguments, format);
    printf("round %" PRIu64 ": ", round->number);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

uint64_t stress_ms(uint64_t from, uint64_t to) {
    return (to - from) / NS_PER_MS;
}

bool stress_stopped(const struct stress_round *round) {
    return round->stop != NEVER;
}

bool stress_past_budget(const struct stress_round *round, uint64_t now) {
    return stress_stopped(round) && now - round->stop >= round->budget;
}

enum { SETTLE_MS = 3000, BURSTS_MOST = 8, GROWTH_KB = 32 };

/* The first client alone is connected, as it was when `before` were counted. */
static void check_descriptors(const struct stress_server *server,
                              struct stress_round *round, int before) {
    uint64_t deadline = clock_now() + SETTLE_MS * NS_PER_MS;
    while (stress_server_descriptors(server) > before && clock_now() < deadline)
        poll(NULL, 0, 1);
    int more = stress_server_descriptors(server) - before;
    if (more > 0)
        stress_fault(
            round, "the server holds %d descriptors more than before the burst", more);
}

/* Bursts, until one of them costs the server no memory. Memory that is used for the first
 * time comes to an end after a few; memory that is lost doesn't. */
static void check_balance(const struct stress_server *server,
                          struct stress_traffic *traffic, uint64_t requests) {
    int descriptors = stress_server_descriptors(server);
    long more = GROWTH_KB + 1;
    uint64_t faults = traffic->round->faults;
    for (int i = 0; i < BURSTS_MOST && more > GROWTH_KB; i++) {
        long before = stress_server_kb(server);
        stress_burst(traffic, requests);
        check_descriptors(server, traffic->round, descriptors);
        more = stress_server_kb(server) - before;
        if (traffic->round->faults > faults)
            return;
    }
    if (more > GROWTH_KB)
        stress_fault(traffic->round,
                     "the server grew by %ld kB in the last of %d bursts of %" PRIu64
                     " requests",
                     more, BURSTS_MOST, requests);
}
/* ANCHOR_END: before */

/* ANCHOR: play */
bool stress_play(const struct stress *stress, uint64_t number) {
    static struct stress_traffic traffic;
    struct stress_server server;
    struct stress_round round = {
        .number = number, .budget = stress->budget_ms * NS_PER_MS, .stop = NEVER};
    stress_server_start(&server, stress->command);
    stress_traffic_open(&traffic, server.port, (unsigned)stress->clients,
                        stress->seed + number, &round);
    check_balance(&server, &traffic, stress->requests);

    uint64_t ms = 50 + stress_random(&traffic, 200);
    uint64_t in_flight = stress_stop(&traffic, server.pid, ms, stress->over);
    uint64_t patience = round.budget + PATIENCE_MS * NS_PER_MS;
    stress_server_await(&server, &round, round.stop + patience);
    printf("round %" PRIu64 ": %" PRIu64 " answered, %" PRIu64
           " left by the client; %" PRIu64 " in flight at SIGTERM, then %" PRIu64
           " refused, %" PRIu64 " cut; gone after %" PRIu64 " ms; %" PRIu64 " faults\n",
           number, round.answered, round.abandoned, in_flight, round.refused, round.cut,
           stress_ms(round.stop, clock_now()), round.faults);
    return round.faults == 0;
}
/* ANCHOR_END: play */
