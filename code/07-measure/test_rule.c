/* The verdict at every edge of a rule, and the rule's words. */
#include <criterion/criterion.h>
#include <math.h>

#include "07-measure/rule.h"

/* From 1.9 to 2, both ends included; the same direction above 0.5, which is not. */
static const struct rule wakes = {.judges = true,
                                  .reproduced = {1.9, 2, true, true},
                                  .has_same_direction = true,
                                  .same_direction = {0.5, INFINITY, false, false}};

static void expect(const struct rule *rule, double low, double high,
                   enum verdict want) {
    enum verdict got = rule_verdict(rule, low, high);
    cr_expect_eq(got, want, "%g to %g: %s, not %s", low, high, verdict_name(got),
                 verdict_name(want));
}

Test(rule, judges_an_exact_value_at_every_edge) {
    expect(&wakes, 1.9, 1.9, REPRODUCED);
    expect(&wakes, 2, 2, REPRODUCED);
    expect(&wakes, 1.8999, 1.8999, SAME_DIRECTION);
    expect(&wakes, 0.5001, 0.5001, SAME_DIRECTION);
    expect(&wakes, 0.5, 0.5, OTHER_DIRECTION);
    expect(&wakes, 0, 0, OTHER_DIRECTION);
}

Test(rule, calls_an_overshoot_the_same_direction) {
    expect(&wakes, 2.0001, 2.0001, SAME_DIRECTION);
    expect(&wakes, 1000, 1000, SAME_DIRECTION);
}

Test(rule, judges_an_interval_that_lies_on_one_side_of_every_edge) {
    expect(&wakes, 1.9, 2, REPRODUCED);
    expect(&wakes, 0.6, 1.8, SAME_DIRECTION);
    expect(&wakes, 2.1, 9, SAME_DIRECTION);
    expect(&wakes, 0.1, 0.5, OTHER_DIRECTION);
}

Test(rule, calls_an_interval_that_spans_an_edge_inconclusive) {
    expect(&wakes, 1.89, 1.95, INCONCLUSIVE);
    expect(&wakes, 1.95, 2.01, INCONCLUSIVE);
    expect(&wakes, 1.8, 2.1, INCONCLUSIVE);
    expect(&wakes, 0.5, 0.6, INCONCLUSIVE);
    expect(&wakes, 0.4, 0.6, INCONCLUSIVE);
    expect(&wakes, 0.1, 3, INCONCLUSIVE);
}

Test(rule, knows_the_other_direction_only_when_there_is_no_same_direction) {
    static const struct rule none = {.judges = true, .reproduced = {0, 0, true, true}};
    expect(&none, 0, 0, REPRODUCED);
    expect(&none, 0.0001, 0.0001, OTHER_DIRECTION);
    expect(&none, -1, 1, INCONCLUSIVE);
}

Test(rule, without_a_first_range_is_the_same_direction_at_best) {
    static const struct rule above = {.judges = true,
                                      .never_more = true,
                                      .has_same_direction = true,
                                      .same_direction = {1, INFINITY, false, false}};
    expect(&above, 1.1, 1.2, SAME_DIRECTION);
    expect(&above, 0, 0, OTHER_DIRECTION);
    expect(&above, 0.9, 1.1, INCONCLUSIVE);
}

Test(rule, does_not_judge_context) {
    static const struct rule context = {.judges = false};
    expect(&context, 1, 2, NOT_JUDGED);
}

Test(rule, keeps_an_excluded_bound_out_of_a_range_within_another) {
    struct range open = {0, 1, false, false}, closed = {0, 1, true, true};
    cr_expect(range_within(&open, &closed));
    cr_expect_not(range_within(&closed, &open));
    cr_expect(range_within(&open, &open));
    cr_expect(range_within(&closed, &closed));
}

static void expect_words(const struct rule *rule, const char *unit, const char *want) {
    char words[256];
    rule_words(rule, unit, words, sizeof words);
    cr_expect_str_eq(words, want);
}

Test(rule, makes_its_words_from_its_numbers) {
    expect_words(&wakes, "wakes/request",
                 "reproduced from 1.9 up to 2 wakes/request; same direction above 0.5 "
                 "wakes/request");
    struct rule below = {.judges = true, .reproduced = {-INFINITY, 0.1, false, false}};
    expect_words(&below, "s", "reproduced below 0.1 s");
    struct rule zero = {.judges = true, .reproduced = {0, 0, true, true}};
    expect_words(&zero, "writes", "reproduced at exactly 0 writes");
    struct rule fact = {.judges = true, .reproduced = {1, 1, true, true}};
    expect_words(&fact, "fact", "reproduced if yes");
    struct rule above = {.judges = true,
                         .never_more = true,
                         .has_same_direction = true,
                         .same_direction = {1, INFINITY, false, false}};
    expect_words(&above, "of the pump", "at best same direction: above 1 of the pump");
    struct rule context = {.judges = false};
    expect_words(&context, "s", "shown as context, not judged");
}

Test(rule, has_a_name_for_every_verdict) {
    cr_expect_str_eq(verdict_name(NOT_MEASURED), "not measured here");
    cr_expect_str_eq(verdict_name(REPRODUCED), "reproduced");
    cr_expect_str_eq(verdict_name(SAME_DIRECTION), "same direction");
    cr_expect_str_eq(verdict_name(OTHER_DIRECTION), "other direction");
    cr_expect_str_eq(verdict_name(INCONCLUSIVE), "inconclusive");
    cr_expect_str_eq(verdict_name(NOT_JUDGED), "not judged");
}
