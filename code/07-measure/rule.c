#include "07-measure/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *verdict_name(enum verdict verdict) {
    switch (verdict) {
    case NOT_MEASURED:
        return "not measured here";
    case REPRODUCED:
        return "reproduced";
    case SAME_DIRECTION:
        return "same direction";
    case OTHER_DIRECTION:
        return "other direction";
    case INCONCLUSIVE:
        return "inconclusive";
    case NOT_JUDGED:
        return "not judged";
    }
    return "";
}

static bool above_low(const struct range *range, double value) {
    return range->low_itself ? value >= range->low : value > range->low;
}

static bool below_high(const struct range *range, double value) {
    return range->high_itself ? value <= range->high : value < range->high;
}

/* All of low..high, some of it, or none? */
enum overlap { NONE, SOME, ALL };

static enum overlap overlap_of(const struct range *range, double low, double high) {
    if (!above_low(range, high) || !below_high(range, low))
        return NONE;
    return above_low(range, low) && below_high(range, high) ? ALL : SOME;
}

bool range_within(const struct range *inner, const struct range *outer) {
    bool low = inner->low > outer->low ||
               (inner->low == outer->low && (outer->low_itself || !inner->low_itself));
    bool high =
        inner->high < outer->high ||
        (inner->high == outer->high && (outer->high_itself || !inner->high_itself));
    return low && high;
}

enum verdict rule_verdict(const struct rule *rule, double low, double high) {
    if (!rule->judges)
        return NOT_JUDGED;
    enum overlap reproduced =
        rule->never_more ? NONE : overlap_of(&rule->reproduced, low, high);
    if (reproduced != NONE)
        return reproduced == ALL ? REPRODUCED : INCONCLUSIVE;
    if (!rule->has_same_direction)
        return OTHER_DIRECTION;
    enum overlap same = overlap_of(&rule->same_direction, low, high);
    if (same == SOME)
        return INCONCLUSIVE;
    return same == ALL ? SAME_DIRECTION : OTHER_DIRECTION;
}

static void range_words(const struct range *range, const char *unit, char *text,
                        size_t room) {
    char low[48] = "", high[48] = "";
    if (range->low == range->high) {
        if (!strcmp(unit, "fact"))
            snprintf(text, room, "if %s", range->low == 0 ? "no" : "yes");
        else
            snprintf(text, room, "at exactly %.10g %s", range->low, unit);
        return;
    }
    bool both = isfinite(range->low) && isfinite(range->high);
    if (isfinite(range->low))
        snprintf(low, sizeof low, "%s %.10g", range->low_itself ? "from" : "above",
                 range->low);
    if (isfinite(range->high))
        snprintf(high, sizeof high, "%s %.10g", range->high_itself ? "up to" : "below",
                 range->high);
    snprintf(text, room, "%s%s%s %s", low, both ? " " : "", high, unit);
}

void rule_words(const struct rule *rule, const char *unit, char *text, size_t room) {
    char reproduced[160], same[160];
    if (!rule->judges) {
        snprintf(text, room, "shown as context, not judged");
        return;
    }
    if (rule->never_more) {
        range_words(&rule->same_direction, unit, same, sizeof same);
        snprintf(text, room, "at best same direction: %s", same);
        return;
    }
    range_words(&rule->reproduced, unit, reproduced, sizeof reproduced);
    if (!rule->has_same_direction) {
        snprintf(text, room, "reproduced %s", reproduced);
        return;
    }
    range_words(&rule->same_direction, unit, same, sizeof same);
    snprintf(text, room, "reproduced %s; same direction %s", reproduced, same);
}
