/* Measures what this machine charges, and how much slow motion it takes to show the
 * note's proportions.
 *   build/calibrate            a table
 *   build/calibrate --json     the same for a record
 * How each is measured: calibrate_wake.c, calibrate_calls.c, calibrate_work.c. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "00-ground/error.h"
#include "00-ground/options.h"
#include "07-measure/calibrate.h"
#include "07-measure/slow_motion.h"

static struct constant_estimate estimates[CONSTANTS];

/* Slow motion twice: for threads on two CPUs, and for threads that share one. */
enum { PLACES = 2 };
static const struct {
    const char *name, *key;
    enum constant wake_cpu, wake_latency;
} places[PLACES] = {
    {"two CPUs", "two_cpus", WAKE_CPU, WAKE_LATENCY},
    {"one CPU", "one_cpu", WAKE_CPU_ONE, WAKE_LATENCY_ONE},
};

static struct slow_motion slow_motion_on(int place) {
    struct slow_constants constants = {
        .wake_cpu = estimates[places[place].wake_cpu + WAKE_DEFAULT].ns,
        .wake_latency = estimates[places[place].wake_latency + WAKE_DEFAULT].ns,
        .wait = estimates[WAIT].ns + estimates[WAIT_READY].ns,
        .sweep = estimates[SWEEP].ns,
        .read = estimates[TCP_READ].ns,
        .write = estimates[TCP_WRITE].ns,
    };
    return slow_motion_of(&constants);
}

static bool is_measured(int place) {
    return !isnan(estimates[places[place].wake_cpu + WAKE_DEFAULT].ns);
}

static int spins_per_us(void) {
    return (int)lround(1000 / estimates[SPIN].ns);
}

static void print_constants(void) {
    printf("%-25s  %10s  %10s  %10s  %s\n", "constant", "ns", "from", "to",
           "what it is");
    for (int c = 0; c < CONSTANTS; c++) {
        const struct constant_estimate *estimate = &estimates[c];
        const char *name = constant_name((enum constant)c);
        const char *is = constant_is((enum constant)c);
        int digits = estimate->ns < 100 ? 2 : 0;
        if (isnan(estimate->ns))
            printf("%-25s  %10s  %10s  %10s  can't be had here\n", name, "-", "-", "-");
        else
            printf("%-25s  %10.*f  %10.*f  %10.*f  %s\n", name, digits, estimate->ns,
                   digits, estimate->low, digits, estimate->high, is);
    }
    printf("Medians of %d repetitions; each interval covers the median with %.1f %%.\n",
           CALIBRATE_REPEATS, 100 * CALIBRATE_COVERAGE);
}

static void print_slow_motion(const char *place, const struct slow_motion *slow) {
    printf("\nSlow motion on %s: k = %.1f. Ask for /work?us=%.0f of a server with "
           "--spins-per-us %d.\nParsing should take %.1f µs, and takes %.2f here. A "
           "request would cost the server %.1f µs.\n",
           place, slow->k, slow->application_us, spins_per_us(), slow->parse_us,
           estimates[PARSE].ns / 1000, slow->server_us);
    printf("%-28s  %6s  %12s\n", "proportion", "is", "wanted");
    for (int i = 0; i < PROPORTIONS; i++)
        printf("%-28s  %6.3f  %4.2f to %4.2f  %s\n",
               proportion_name((enum proportion)i), slow->proportions[i].is,
               slow->proportions[i].low, slow->proportions[i].high,
               slow->proportions[i].holds ? "holds" : "doesn't hold");
}

static void set(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0)
        die("there is no memory left");
}

static json_t *json_of_constants(void) {
    json_t *all = json_object();
    for (int c = 0; c < CONSTANTS; c++) {
        json_t *one = json_null(); /* it can't be had here */
        if (!isnan(estimates[c].ns))
            one = json_pack("{s:f, s:f, s:f, s:s}", "ns", estimates[c].ns, "low",
                            estimates[c].low, "high", estimates[c].high, "is",
                            constant_is((enum constant)c));
        set(all, constant_name((enum constant)c), one);
    }
    return all;
}

static json_t *json_of_slow_motion(const struct slow_motion *slow) {
    json_t *proportions = json_array();
    for (int i = 0; i < PROPORTIONS; i++)
        json_array_append_new(proportions,
                              json_pack("{s:s, s:f, s:f, s:f, s:b}", "name",
                                        proportion_name((enum proportion)i), "is",
                                        slow->proportions[i].is, "low",
                                        slow->proportions[i].low, "high",
                                        slow->proportions[i].high, "holds",
                                        (int)slow->proportions[i].holds));
    return json_pack("{s:f, s:f, s:f, s:f, s:o}", "k", slow->k, "application_us",
                     slow->application_us, "parse_us", slow->parse_us, "server_us",
                     slow->server_us, "proportions", proportions);
}

static void print_json(void) {
    json_t *slow = json_object();
    for (int place = 0; place < PLACES; place++) {
        struct slow_motion there = slow_motion_on(place);
        set(slow, places[place].key,
            is_measured(place) ? json_of_slow_motion(&there) : json_null());
    }
    json_t *all =
        json_pack("{s:i, s:f, s:i, s:o, s:o}", "repeats", CALIBRATE_REPEATS, "coverage",
                  CALIBRATE_COVERAGE, "spins_per_us", spins_per_us(), "constants",
                  json_of_constants(), "slow_motion", slow);
    if (!all)
        die("there is no memory left");
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(all);
}

static void print_tables(void) {
    print_constants();
    for (int place = 0; place < PLACES; place++) {
        struct slow_motion there = slow_motion_on(place);
        if (is_measured(place))
            print_slow_motion(places[place].name, &there);
    }
}

int main(int argc, char **argv) {
    bool json = false;
    const struct option_row options[] = {
        {"--json", OPTION_FLAG, &json, 0, 0, "print JSON, for a record"},
    };
    options_read(argc, argv,
                 "Measures what this machine charges for wakes, waits and the rest.",
                 options, sizeof options / sizeof *options);
    calibrate(estimates);
    if (json)
        print_json();
    else
        print_tables();
    output_flushed();
    return 0;
}
