/* Heads to begin with, for tests that change them. */
#ifndef LEVERS_TEST_SUPPORT_SEEDS_H
#define LEVERS_TEST_SUPPORT_SEEDS_H

#include "03-request/text.h"

/* The rows of http.tsv, large heads, and some whose names, targets and values have
 * every length around that of a word or a block. They stay. */
const struct text *seeds_read(size_t *count);

#endif
