/* The server under stress: a process with a first line, descriptors, memory and an
 * end. */
#ifndef STEPPED_STRESS_SERVER_H
#define STEPPED_STRESS_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "11-stepped/stress.h"

struct stress_server {
    pid_t pid;
    int port;
    int out, err;      /* the reading ends of its two streams */
    char output[4096]; /* what it printed, of each stream, once it has ended */
    char errors[4096];
};

/* Starts `command`, which has to print "listening on http://127.0.0.1:PORT" first. It dies
 * with us on Linux (prctl(2), PR_SET_PDEATHSIG). Dies with one line if that fails. */
void stress_server_start(struct stress_server *server, char *const *command);

/* Open descriptors, and resident memory in kB; -1 where there is no /proc of Linux. */
int stress_server_descriptors(const struct stress_server *server);
long stress_server_kb(const struct stress_server *server);

/* Waits for its end until `deadline` and checks its exit and what it says of itself
 * against what the clients saw. Whatever is wrong is a fault. */
void stress_server_await(struct stress_server *server, struct stress_round *round,
                         uint64_t deadline);

#endif
