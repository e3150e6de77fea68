/* Slow motion: where a wake is dearer than on the note's machine, the work of a request
 * is made dearer too, until wake and work stand to each other as they do there. */
#ifndef MEASURE_SLOW_MOTION_H
#define MEASURE_SLOW_MOTION_H

#include <stdbool.h>

/* Of this machine, in ns. */
struct slow_constants {
    double wake_cpu, wake_latency;
    double wait;        /* one wait that finds one descriptor */
    double sweep;       /* */
    double read, write; /* of a request, of a response */
};

/* The proportions of the note's server. The first four are of the server's CPU for a
 * request but where the name says otherwise. */
enum proportion {
    SLOW_WAKE_CPU,
    SLOW_WAKE_LATENCY,
    SLOW_WAIT_SWEEP,
    SLOW_LOOP, /* of the application */
    SLOW_CLIENT,
    PROPORTIONS,
};

struct slow_motion {
    double k; /* from 1 (as it is) to 100, in tenths */
    double application_us, parse_us, server_us;
    struct {
        double is, low, high; /* both ends belong to it */
        bool holds;
    } proportions[PROPORTIONS];
};

/* "wake CPU / server CPU" */
const char *proportion_name(enum proportion proportion);

/* Where one factor stands. The server's CPU for a request is one wait, sweep, read and
 * write, which cost what they cost here, and application and parser, which cost k times
 * what they do in the note. Wakes aren't in it. */
struct slow_motion slow_motion_at(const struct slow_constants *constants, double k);

/* The factor with which most proportions hold, the wake's CPU being one of them if any
 * factor can do that; of several that are next to each other the middle one. */
struct slow_motion slow_motion_of(const struct slow_constants *constants);

#endif
