/* What this machine charges for the things that a server does: a few constants, in
 * nanoseconds. */
#ifndef MEASURE_CALIBRATE_H
#define MEASURE_CALIBRATE_H

#include <stddef.h>

#include "05-executor/wake.h"

enum {
    WAKE_KINDS = WAKE_DATAGRAM + 1,
    CALIBRATE_REPEATS = 15, /* times that everything is measured */
    CALIBRATE_RANK = 4,     /* the interval: from the 4th smallest to the 4th largest */
};

/* By how much that interval covers the median, whatever the values' distribution:
 * 1 - 2 P(fewer than 4 heads in 15 throws of a coin) = 1 - 2 * 576 / 2^15. */
#define CALIBRATE_COVERAGE (1 - 2 * 576 / 32768.0)

enum constant {
    CLOCK, /* reading the clock */
    CPU_CLOCK,
    WAKE_CPU, /* each of these seven is followed by the same for the other kinds */
    WAKE_LATENCY = WAKE_CPU + WAKE_KINDS,
    WAKE_CPU_ONE = WAKE_LATENCY + WAKE_KINDS, /* the two threads share a CPU */
    WAKE_LATENCY_ONE = WAKE_CPU_ONE + WAKE_KINDS,
    WAKE_SEND = WAKE_LATENCY_ONE + WAKE_KINDS, /* the waker's half of WAKE_CPU */
    WAKE_SEND_ONE = WAKE_SEND + WAKE_KINDS,
    WAKE_AWAKE = WAKE_SEND_ONE + WAKE_KINDS,
    WAIT = WAKE_AWAKE + WAKE_KINDS,
    WAIT_READY,
    TCP_READ,
    TCP_WRITE,
    PARSE,
    SWEEP,
    SPIN,
    CONSTANTS,
};

struct constant_estimate {
    double ns, low, high; /* the median and its interval; NAN: it can't be had here */
};

/* "wake_cpu_eventfd", and what that is, in a line. */
const char *constant_name(enum constant constant);
const char *constant_is(enum constant constant);

/* Measures all constants CALIBRATE_REPEATS times, in turns, so that a disturbance of a
 * second hits one repetition of each and not all of one. Takes some seconds; the calling
 * thread is moved between the CPUs. */
void calibrate(struct constant_estimate estimates[CONSTANTS]);

/* The median and the interval of one constant's repetitions, which are put in order. */
struct constant_estimate estimate_constant(double values[CALIBRATE_REPEATS]);

/* Puts `count` values in order; the middle one, of an even number the upper one. */
double calibrate_median(double *values, size_t count);

/* --- one repetition, for calibrate(); each fills in its constants of `ns` ------------ */

void calibrate_clocks(double ns[CONSTANTS]);

/* After the clocks and the waits, whose costs it takes off. NAN for a kind that this
 * system lacks, for two CPUs where there is one, for one CPU where nobody can be bound
 * to it. */
void calibrate_wake(enum wake_kind kind, double ns[CONSTANTS]);

void calibrate_waits(double ns[CONSTANTS]);
void calibrate_tcp(double ns[CONSTANTS]);
void calibrate_work(double ns[CONSTANTS]); /* parse, sweep and spin */

#endif
