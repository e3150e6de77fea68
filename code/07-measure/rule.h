/* A rule says by which numbers a claim counts as reproduced. It is written before the
 * measurement, as numbers, and its words are made from them, so that the two agree. */
#ifndef MEASURE_RULE_H
#define MEASURE_RULE_H

#include <stdbool.h>
#include <stddef.h>

enum verdict {
    NOT_MEASURED,
    REPRODUCED,
    SAME_DIRECTION, /* every overshoot too */
    OTHER_DIRECTION,
    INCONCLUSIVE, /* the interval spans an edge of the rule */
    NOT_JUDGED,   /* context: shown, but no rule says what it should be */
};

/* "reproduced", "same direction", "other direction", "inconclusive", "not measured
 * here", "not judged". */
const char *verdict_name(enum verdict verdict);

/* A stretch of the number line. Without bounds it holds every number. */
struct range {
    double low, high;             /* -INFINITY and INFINITY: unbounded */
    bool low_itself, high_itself; /* the bound belongs to it */
};

struct rule {
    bool judges;     /* false for context */
    bool never_more; /* "same direction" at best: there is no `reproduced` */
    struct range reproduced;
    bool has_same_direction;
    struct range same_direction; /* holds all of `reproduced` */
};

/* Is every number of `inner` in `outer`? */
bool range_within(const struct range *inner, const struct range *outer);

/* The verdict on a value that lies from `low` to `high`; the same number twice when
 * it is exact. */
enum verdict rule_verdict(const struct rule *rule, double low, double high);

/* The rule as words: "reproduced from 1.9 to 2, same direction above 0.5". */
void rule_words(const struct rule *rule, const char *unit, char *text, size_t room);

#endif
