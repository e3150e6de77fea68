/* Tells a server to stop in the middle of traffic, again and again, and accounts for every
 * request of which it can have read a byte.
 *
 * Try it:
 *     build/stress --rounds 3 -- build/11-stepped --topology inversion --port 0 --stats
 * A round is played in stress_round.c. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/options.h"
#include "11-stepped/stress.h"
#include "11-stepped/stress_hogs.h"
#include "11-stepped/stress_traffic.h"

int main(int argc, char **argv) {
    struct stress stress = {.rounds = 1,
                            .clients = 32,
                            .requests = 1000,
                            .seed = clock_now() / NS_PER_US % 1000000,
                            .budget_ms = 5000};
    const struct option_row options[] = {
        {"--rounds", OPTION_NUMBER, &stress.rounds, 1, 1000,
         "servers to start and stop"},
        {"--clients", OPTION_NUMBER, &stress.clients, 3, CLIENTS_MOST, "connections"},
        {"--requests", OPTION_NUMBER, &stress.requests, 1, 100000,
         "about so many in each burst before the stop"},
        {"--over", OPTION_NUMBER, &stress.over, 0, CLIENTS_MOST,
         "clients who ask for more time than the budget"},
        {"--hogs", OPTION_NUMBER, &stress.hogs, 0, HOGS_MOST,
         "processes that use the CPU meanwhile"},
        {"--seed", OPTION_NUMBER, &stress.seed, 0, UINT32_MAX,
         "of what the clients do"},
        {"--budget-ms", OPTION_NUMBER, &stress.budget_ms, 100, 60000,
         "the server's own --drain-budget-ms"},
    };
    int own = 1;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    options_read(own, argv,
                 "stress [OPTIONS] -- COMMAND... starts a server and stops it in the "
                 "middle of traffic.",
                 options, sizeof options / sizeof *options);
    if (own + 1 >= argc)
        die_of_usage(
            "which server? stress [OPTIONS] -- build/11-stepped --port 0 --stats");
    stress.command = argv + own + 1;
    signal(SIGPIPE, SIG_IGN); /* a write says EPIPE itself */
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("seed %" PRIu64 "; %" PRIu64 " hogs\n", stress.seed, stress.hogs);
    uint64_t good = 0;
    for (uint64_t i = 1; i <= stress.rounds; i++) {
        pid_t hogs[HOGS_MOST];
        fflush(stdout);
        stress_hogs_start(hogs, stress.hogs);
        good += stress_play(&stress, i);
        stress_hogs_end(hogs, stress.hogs);
    }
    printf("%" PRIu64 " of %" PRIu64 " rounds without a fault\n", good, stress.rounds);
    output_flushed();
    return good == stress.rounds ? 0 : 1;
}
