/* What parse-bench measures: heads, and ways to parse them. */
#ifndef LEVERS_BENCH_H
#define LEVERS_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "03-request/request.h"

enum {
    BENCH_INPUTS = 3,
    BENCH_WAYS = 11,
    BENCH_ROUNDS = 101,  /* at most */
    BENCH_LARGE = 10240, /* bytes of the largest input */
};

struct bench_input {
    const char *name, *is;
    const char *bytes; /* one whole head, which lasts */
    size_t length;
};

/* The heads: wrk's, a browser's with 20 fields, one of 10 KB. */
void bench_inputs(struct bench_input inputs[BENCH_INPUTS]);

struct bench_way {
    const char *name, *is;
    parse_function *parse; /* NULL: it can't be had here, and `missing` says why */
    const char *missing;
    bool same;  /* takes what parse_plain() takes, and says of it what that one says */
    bool tried; /* nobody uses it: it shows what something is worth */
};

/* All ways, always in the same order. */
void bench_ways(struct bench_way ways[BENCH_WAYS]);

/* http-parser of Node.js, or NULL if it wasn't there when this was built. It reads a
 * head from its first byte, whatever `seen` says, and by rules of its own. Its method
 * is a text that lasts. After a head that didn't end, or a bad one, it begins anew. */
parse_function *bench_library(void);

/* CPU nanoseconds for one head, by one way: the mean over so many turns that about
 * `bytes` bytes are parsed. Dies if the way doesn't take the head. */
double bench_time(const struct bench_way *way, const struct bench_input *input,
                  size_t bytes);

#endif
