#include "07-measure/slow_motion.h"

/* Of the note's server, in µs. The parser is its own figure (P1); the application is the
 * middle of what a model fitted to its figures had for it on uvloop, 5.8 to 7.4. */
static const double note_parse = 2.05, note_application = 6.6;

enum { TENTHS_MOST = 1000 };

/* The ranges that the same fit gave. It has 0.2 for the latency, which we read as what
 * rounds to 0.2. The client has no lower bound. */
static const struct {
    const char *name;
    double low, high;
} wanted[PROPORTIONS] = {
    [SLOW_WAKE_CPU] = {"wake CPU / server CPU", 0.04, 0.08},
    [SLOW_WAKE_LATENCY] = {"wake latency / server CPU", 0.15, 0.25},
    [SLOW_WAIT_SWEEP] = {"(wait + sweep) / server CPU", 0.2, 0.3},
    [SLOW_LOOP] = {"loop work / application", 0.6, 1},
    [SLOW_CLIENT] = {"client / server CPU", 0, 0.7},
};

const char *proportion_name(enum proportion proportion) {
    return wanted[proportion].name;
}

struct slow_motion slow_motion_at(const struct slow_constants *constants, double k) {
    double wait_us = constants->wait / 1000, sweep_us = constants->sweep / 1000;
    double read_us = constants->read / 1000, write_us = constants->write / 1000;
    double application = k * note_application, parse = k * note_parse;
    double loop = read_us + parse + write_us; /* what the native loop does for it */
    double server = wait_us + sweep_us + loop + application;
    /* The leanest client: it waits, reads and writes. wrk parses on top of that. */
    double client = wait_us + read_us + write_us;
    double is[PROPORTIONS] = {
        [SLOW_WAKE_CPU] = constants->wake_cpu / 1000 / server,
        [SLOW_WAKE_LATENCY] = constants->wake_latency / 1000 / server,
        [SLOW_WAIT_SWEEP] = (wait_us + sweep_us) / server,
        [SLOW_LOOP] = loop / application,
        [SLOW_CLIENT] = client / server,
    };
    struct slow_motion slow = {
        .k = k, .application_us = application, .parse_us = parse, .server_us = server};
    for (int i = 0; i < PROPORTIONS; i++) {
        slow.proportions[i].is = is[i];
        slow.proportions[i].low = wanted[i].low;
        slow.proportions[i].high = wanted[i].high;
        slow.proportions[i].holds = is[i] >= wanted[i].low && is[i] <= wanted[i].high;
    }
    return slow;
}

/* How many hold; the wake's CPU, for whose sake we do all this, outdoes all others. */
static int score(const struct slow_motion *slow) {
    int held = slow->proportions[SLOW_WAKE_CPU].holds ? PROPORTIONS : 0;
    for (int i = 0; i < PROPORTIONS; i++)
        held += slow->proportions[i].holds;
    return held;
}

struct slow_motion slow_motion_of(const struct slow_constants *constants) {
    int best = -1, first = 0, last = 0; /* in tenths */
    for (int tenths = 10; tenths <= TENTHS_MOST; tenths++) {
        struct slow_motion slow = slow_motion_at(constants, tenths / 10.0);
        int held = score(&slow);
        if (held > best) {
            best = held;
            first = last = tenths;
        } else if (held == best && tenths == last + 1) {
            last = tenths;
        }
    }
    int middle = (first + last) / 2;
    return slow_motion_at(constants, middle / 10.0);
}
