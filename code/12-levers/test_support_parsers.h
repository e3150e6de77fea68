/* A parser beside the plain one, on the same bytes; and bytes to try it on. Nothing
 * here needs a test's library: the fuzzer links it, too. */
#ifndef LEVERS_TEST_SUPPORT_PARSERS_H
#define LEVERS_TEST_SUPPORT_PARSERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "03-request/request.h"

enum { HEADS_MOST = 16384 }; /* bytes of what can be compared */

/* Parses the bytes whole, and then in two pieces, the first of which has `cut` bytes,
 * by parse_plain() and by `parse`. Returns NULL if the two agree on each verdict and on
 * all that they deliver, else what differs, in words that last until the next call. The
 * bytes lie at an edge of memory that can't be touched. `*verdict` is the plain
 * parser's of the whole. */
const char *parsers_differ(parse_function *parse, const char *bytes, size_t length,
                           size_t cut, int *verdict);

/* What differs between two requests parsed from the same bytes, or NULL. */
const char *requests_differ(const struct request *one, const struct request *other);

/* A number below `below`, which isn't 0. The state isn't 0 either. */
size_t number_below(uint64_t *random, size_t below);

struct mutant {
    char bytes[HEADS_MOST];
    size_t length, cut;
};

/* Makes one of one of the seeds, by none to a few changes; a large seed is taken more
 * seldom. */
void make_mutant(uint64_t *random, const struct text *seeds, size_t count,
                 struct mutant *mutant);

#endif
