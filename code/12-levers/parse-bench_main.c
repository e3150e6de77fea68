/* ANCHOR: top */
/* Times the parsers on the same bytes, turn by turn.
 *   build/parse-bench               the parsers that are in use, beside http-parser
 *   build/parse-bench --tried       and what was tried
 *   build/parse-bench --json        the same, with every round, for a record
 * The bytes are parsed again and again, so that the processor knows the way: it is the
 * best case of each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "00-ground/error.h"
#include "00-ground/options.h"
#include "07-measure/ab_estimate.h"
#include "12-levers/bench.h"

enum { A_TURN = 500000 }; /* bytes parsed for one time */

static struct bench_way ways[BENCH_WAYS];
static double times[BENCH_WAYS][BENCH_ROUNDS]; /* of one input, in ns */
static bool json, tried;
static uint64_t rounds = 31;

static bool is_shown(const struct bench_way *way) {
    return tried || json || !way->tried;
}
/* ANCHOR_END: top */

/* ANCHOR: rounds */
/* Every round has a turn of each way, every other one backwards. */
static void measure(const struct bench_input *input) {
    for (size_t round = 0; round < rounds; round++)
        for (size_t turn = 0; turn < BENCH_WAYS; turn++) {
            size_t i = round % 2 == 0 ? turn : BENCH_WAYS - 1 - turn;
            if (ways[i].parse && is_shown(&ways[i]))
                times[i][round] = bench_time(&ways[i], input, A_TURN);
        }
}

static double median_time(size_t way) {
    double sorted[BENCH_ROUNDS];
    memcpy(sorted, times[way], sizeof sorted);
    return median_of(sorted, rounds);
}

/* The rounds' ratios of one way to another. */
static struct estimate ratio_of(size_t way, size_t base) {
    double logs[BENCH_ROUNDS];
    for (size_t round = 0; round < rounds; round++)
        logs[round] = log(times[way][round] / times[base][round]);
    return estimate_ratio(logs, rounds);
}

static size_t way_of(const char *name) {
    size_t i = 0;
    while (strcmp(ways[i].name, name) != 0)
        i++;
    return i;
}
/* ANCHOR_END: rounds */

/* ANCHOR: table */
static void print_table(const struct bench_input *input) {
    size_t base = way_of("http-parser");
    printf("\n%s: %zu bytes\n", input->is, input->length);
    printf("%-12s  %10s  %8s  %-21s  %s\n", "parser", "ns/request", "bytes/ns",
           "of http-parser", "what it is");
    for (size_t i = 0; i < BENCH_WAYS; i++) {
        if (!is_shown(&ways[i]))
            continue;
        char of[64] = "-";
        if (!ways[i].parse) {
            printf("%-12s  %10s  %8s  %-21s  %s\n", ways[i].name, "-", "-", of,
                   ways[i].is);
            continue;
        }
        struct estimate ratio = ratio_of(i, base);
        if (ways[base].parse && ratio.has_interval)
            snprintf(of, sizeof of, "%.3f (%.3f to %.3f)", ratio.median, ratio.low,
                     ratio.high);
        double ns = median_time(i);
        printf("%-12s  %10.1f  %8.2f  %-21s  %s\n", ways[i].name, ns,
               (double)input->length / ns, of, ways[i].is);
    }
}

static void print_missing(void) {
    for (size_t i = 0; i < BENCH_WAYS; i++)
        if (!ways[i].parse && is_shown(&ways[i]))
            printf("\n%s: %s\n", ways[i].name, ways[i].missing);
}
/* ANCHOR_END: table */

/* ANCHOR: json */
/* A line of JSON for each way: its median, its rounds, and its ratios to three
 * others. */
static void print_json(const struct bench_input *input) {
    static const char *const bases[] = {"plain", "fast", "http-parser"};
    for (size_t i = 0; i < BENCH_WAYS; i++) {
        printf("{\"input\": \"%s\", \"bytes\": %zu, \"way\": \"%s\"", input->name,
               input->length, ways[i].name);
        if (!ways[i].parse) {
            printf(", \"why\": \"%s\"}\n", ways[i].missing);
            continue;
        }
        printf(", \"ns\": %.3f, \"raw\": [", median_time(i));
        for (size_t round = 0; round < rounds; round++)
            printf("%s%.2f", round > 0 ? ", " : "", times[i][round]);
        printf("]");
        for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) {
            size_t base = way_of(bases[b]);
            struct estimate ratio = ratio_of(i, base);
            if (ways[base].parse && ratio.has_interval)
                printf(", \"of_%s\": {\"value\": %.5f, \"low\": %.5f, \"high\": %.5f, "
                       "\"coverage\": %.4f}",
                       bases[b], ratio.median, ratio.low, ratio.high, ratio.coverage);
        }
        printf("}\n");
    }
}
/* ANCHOR_END: json */

/* ANCHOR: main */
/* Asks for `path` as wrk does. */
static struct bench_input input_of(const char *path) {
    static char bytes[BENCH_LARGE];
    int length = snprintf(bytes, sizeof bytes,
                          "GET %s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", path);
    struct request request;
    if (*path != '/' || length >= (int)sizeof bytes ||
        parse_plain(bytes, (size_t)length, 0, &request) != length)
        die_of_usage("nobody could ask for '%.40s'", path);
    return (struct bench_input){"path", "the path", bytes, (size_t)length};
}

int main(int argc, char **argv) {
    struct bench_input inputs[BENCH_INPUTS];
    const char *path = NULL;
    const struct option_row options[] = {
        {"--path", OPTION_TEXT, &path, 0, 0, "a request for this path instead"},
        {"--rounds", OPTION_NUMBER, &rounds, 6, BENCH_ROUNDS, "turns of each parser"},
        {"--tried", OPTION_FLAG, &tried, 0, 0, "show what was tried, too"},
        {"--json", OPTION_FLAG, &json, 0, 0, "print JSON, for a record"},
    };
    options_read(argc, argv, "Times the parsers on the same bytes.", options,
                 sizeof options / sizeof *options);
    bench_ways(ways);
    bench_inputs(inputs);
    if (path)
        inputs[0] = input_of(path);
    for (size_t i = 0; i < (path ? 1 : BENCH_INPUTS); i++) {
        measure(&inputs[i]);
        (json ? print_json : print_table)(&inputs[i]);
    }
    if (!json)
        print_missing();
    output_flushed();
    return 0;
}
/* ANCHOR_END: main */
