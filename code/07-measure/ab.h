/* What an experiment of two or more programs consists of. */
#ifndef MEASURE_AB_H
#define MEASURE_AB_H

#include <stdbool.h>
#include <stdint.h>

enum {
    AB_ARMS = 6,                /* programs that one experiment compares at most */
    AB_TURNS = 2 * AB_ARMS + 2, /* runs of a block at most */
    AB_BLOCKS = 64,
    AB_WHY = 256,   /* bytes of a reason, with its NUL */
    AB_PATH = 4000, /* characters of a path at most */
};

/* A program under its name. The command is split at spaces and no shell sees it. */
struct ab_arm {
    const char *name, *command;
    uint64_t sum; /* of its file, by program_sum() */
};

/* All strings live as long as the program. */
struct ab_settings {
    struct ab_arm arms[AB_ARMS + 1]; /* the control follows the last arm */
    int arm_count;                   /* the control not counted */
    const char *client, *path, *place;
    uint64_t client_sum; /* as an arm's */
    uint64_t connections;
    uint64_t warmup_ms, ms;   /* of each run */
    uint64_t blocks, tries;   /* to keep; to try at most */
    uint64_t control_percent; /* a control that moved more drops its block */
    uint64_t steal_percent;   /* so does a hypervisor that took more of the CPUs */
    bool different_answers;   /* the arms may answer differently */
};

/* One server process under one client. What could not be had is NAN. */
struct ab_run {
    int arm; /* index into the settings' arms */
    double requests, seconds, per_second, reconnects;
    double cpu_us;        /* CPU of the server in the measured time */
    double p50, p90, p99; /* latency, µs */
    double client_cpu;    /* cores that the client used */
    bool client_bound;    /* it had no time left: the server wasn't the limit */
    double steal;         /* per cent of the CPUs that the hypervisor took */
};

/* The runs of one block. A block that isn't kept says why. */
struct ab_block {
    struct ab_run runs[AB_TURNS];
    int run_count;
    bool kept, failed; /* failed: dropped because a run went wrong */
    char why[AB_WHY];
};

struct ab_blocks {
    struct ab_block list[AB_BLOCKS];
    int count;
};

#endif
