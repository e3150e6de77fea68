/* The constants' names, their repetitions, and the statistic. */
#include "07-measure/calibrate.h"

#include <math.h>
#include <stdlib.h>

/* In the order of the enum. */
static const struct {
    const char *name, *is;
} about[] = {
    {"clock", "reading the clock"},
    {"cpu_clock", "reading a thread's CPU clock"},
    {"wake_cpu_eventfd", "CPU of a wake across CPUs: write, sleep and clearing"},
    {"wake_cpu_pipe", "the same by a pipe"},
    {"wake_cpu_datagram", "the same by a datagram"},
    {"wake_latency_eventfd", "from its write until the sleeper runs"},
    {"wake_latency_pipe", "the same by a pipe"},
    {"wake_latency_datagram", "the same by a datagram"},
    {"wake_cpu_one_eventfd", "CPU of a wake on one CPU"},
    {"wake_cpu_one_pipe", "the same by a pipe"},
    {"wake_cpu_one_datagram", "the same by a datagram"},
    {"wake_latency_one_eventfd", "from its write until the sleeper runs"},
    {"wake_latency_one_pipe", "the same by a pipe"},
    {"wake_latency_one_datagram", "the same by a datagram"},
    {"wake_send_eventfd", "CPU of its write alone, to a sleeper on another CPU"},
    {"wake_send_pipe", "the same by a pipe"},
    {"wake_send_datagram", "the same by a datagram"},
    {"wake_send_one_eventfd", "CPU of its write alone, to a sleeper on this CPU"},
    {"wake_send_one_pipe", "the same by a pipe"},
    {"wake_send_one_datagram", "the same by a datagram"},
    {"wake_awake_eventfd", "CPU of the write if nobody sleeps"},
    {"wake_awake_pipe", "the same by a pipe"},
    {"wake_awake_datagram", "the same by a datagram"},
    {"wait", "CPU of a wait that needn't sleep, but for what is ready"},
    {"wait_ready", "and of each descriptor that is ready"},
    {"tcp_read", "reading a small request"},
    {"tcp_write", "writing a small response, loopback's receiving with it"},
    {"parse", "the plain parser, for wrk's request"},
    {"sweep", "one flush of the outbox, nothing in it"},
    {"spin", "one turn of the loop of /work"},
};

_Static_assert(sizeof about / sizeof *about == CONSTANTS, "each constant has a name");

const char *constant_name(enum constant constant) {
    return about[constant].name;
}

const char *constant_is(enum constant constant) {
    return about[constant].is;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double calibrate_median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

struct constant_estimate estimate_constant(double values[CALIBRATE_REPEATS]) {
    for (int i = 0; i < CALIBRATE_REPEATS; i++)
        if (isnan(values[i]))
            return (struct constant_estimate){NAN, NAN, NAN};
    double median = calibrate_median(values, CALIBRATE_REPEATS);
    return (struct constant_estimate){.ns = median,
                                      .low = values[CALIBRATE_RANK - 1],
                                      .high =
                                          values[CALIBRATE_REPEATS - CALIBRATE_RANK]};
}

void calibrate(struct constant_estimate estimates[CONSTANTS]) {
    double values[CONSTANTS][CALIBRATE_REPEATS];
    for (int i = 0; i < CALIBRATE_REPEATS; i++) {
        double ns[CONSTANTS];
        calibrate_clocks(ns);
        calibrate_waits(ns);
        for (int kind = 0; kind < WAKE_KINDS; kind++)
            calibrate_wake((enum wake_kind)kind, ns);
        calibrate_tcp(ns);
        calibrate_work(ns);
        for (int c = 0; c < CONSTANTS; c++)
            values[c][i] = ns[c];
    }
    for (int c = 0; c < CONSTANTS; c++)
        estimates[c] = estimate_constant(values[c]);
}
