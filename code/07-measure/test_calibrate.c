/* The statistic on given values; and the program, whose figures can only be looked at for
 * what every machine has in common. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "00-ground/test_support.h"
#include "07-measure/calibrate.h"

Test(calibrate, an_estimate_is_the_median_and_the_fourth_from_either_end) {
    double values[CALIBRATE_REPEATS] = {9, 1,  15, 3, 12, 7, 2, 14,
                                        5, 11, 8,  4, 13, 6, 10};
    struct constant_estimate estimate = estimate_constant(values);
    cr_expect_eq(estimate.ns, 8);
    cr_expect_eq(estimate.low, 4);
    cr_expect_eq(estimate.high, 12);
}

Test(calibrate, the_interval_s_coverage_is_the_coin_s) {
    double ways = 1, missed = 0, all = pow(2, CALIBRATE_REPEATS);
    for (int heads = 0; heads < CALIBRATE_RANK; heads++) {
        missed += ways;
        ways = ways * (CALIBRATE_REPEATS - heads) / (heads + 1);
    }
    cr_expect_eq(CALIBRATE_COVERAGE, 1 - 2 * missed / all);
    cr_expect_geq(CALIBRATE_COVERAGE, 0.95);
}

Test(calibrate, what_cannot_be_had_has_no_estimate) {
    double values[CALIBRATE_REPEATS] = {1};
    values[CALIBRATE_REPEATS - 1] = NAN;
    struct constant_estimate estimate = estimate_constant(values);
    cr_expect(isnan(estimate.ns) && isnan(estimate.low) && isnan(estimate.high));
}

/* May this machine lack it? An eventfd elsewhere than on Linux; a second CPU; a way to
 * put two threads on one. */
static bool may_lack(const char *name) {
#ifdef __linux__
    return !strncmp(name, "wake_", 5) && !strstr(name, "_one_") &&
           !strstr(name, "awake");
#else
    return strstr(name, "eventfd") || !strncmp(name, "wake_", 5);
#endif
}

static struct program ran;

static double number(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    cr_assert(json_is_number(value), "%s isn't a number in:\n%s", key, ran.output);
    return json_number_value(value);
}

static void check_constants(json_t *constants) {
    cr_assert_eq(json_object_size(constants), CONSTANTS);
    for (int c = 0; c < CONSTANTS; c++) {
        const char *name = constant_name((enum constant)c);
        json_t *constant = json_object_get(constants, name);
        cr_assert(constant, "no %s", name);
        if (json_is_null(constant)) {
            cr_expect(may_lack(name), "%s is null", name);
            continue;
        }
        double ns = number(constant, "ns");
        cr_expect(isfinite(ns) && ns > 0, "%s is %g", name, ns);
        cr_expect(number(constant, "low") <= ns && ns <= number(constant, "high"),
                  "the interval of %s doesn't hold it", name);
        cr_expect(number(constant, "low") > 0, "%s was less than nothing", name);
    }
}

static void check_slow_motion(json_t *slow) {
    double k = number(slow, "k");
    cr_expect(k >= 1 && k <= 100, "k is %g", k);
    cr_expect(number(slow, "application_us") > 0 && number(slow, "parse_us") > 0);
    json_t *proportions = json_object_get(slow, "proportions"), *one;
    cr_assert_gt(json_array_size(proportions), 0);
    size_t i;
    json_array_foreach(proportions, i, one) {
        double is = number(one, "is");
        bool holds = is >= number(one, "low") && is <= number(one, "high");
        cr_expect(json_is_string(json_object_get(one, "name")));
        cr_expect_eq(json_is_true(json_object_get(one, "holds")), holds);
    }
}

Test(calibrate, every_constant_is_positive_and_finite_in_well_formed_json) {
    program_run(&ran, "calibrate", "--json", NULL);
    cr_assert_eq(ran.status, 0, "%s", ran.errors);
    json_error_t error;
    json_t *all = json_loads(ran.output, JSON_REJECT_DUPLICATES, &error);
    cr_assert(all, "%s in:\n%s", error.text, ran.output);
    cr_expect_eq(number(all, "repeats"), CALIBRATE_REPEATS);
    cr_expect(number(all, "spins_per_us") >= 1);
    check_constants(json_object_get(all, "constants"));
    json_t *slow = json_object_get(all, "slow_motion"), *place;
    const char *name;
    size_t places = 0;
    json_object_foreach(slow, name, place) {
        if (json_is_null(place))
            continue;
        places++;
        check_slow_motion(place);
    }
    cr_expect_geq(places, 1, "no slow motion for any place");
    json_decref(all);
}

Test(calibrate, the_table_has_a_line_for_each_constant_and_says_k) {
    program_run(&ran, "calibrate", NULL);
    cr_assert_eq(ran.status, 0, "%s", ran.errors);
    for (int c = 0; c < CONSTANTS; c++) {
        char start[64];
        snprintf(start, sizeof start, "\n%s ", constant_name((enum constant)c));
        cr_expect(strstr(ran.output, start), "no line of %s in:\n%s", start,
                  ran.output);
    }
    cr_expect(strstr(ran.output, "k = "));
    cr_expect(strstr(ran.output, "--spins-per-us "));
    cr_expect(strstr(ran.output, "/work?us="));
    cr_expect(strstr(ran.output, "holds\n"));
}

static void expect_refused(const char *argument, const char *line) {
    program_run(&ran, "calibrate", argument, NULL);
    cr_expect_eq(ran.status, 2);
    cr_expect_str_eq(ran.errors, line);
    cr_expect_str_empty(ran.output);
}

Test(calibrate, wrong_options_are_refused_in_one_line) {
    expect_refused("--jsn",
                   "calibrate: there is no option '--jsn'; --help lists them\n");
    expect_refused("06", "calibrate: there is no option '06'; --help lists them\n");
    expect_refused("--json=yes", "calibrate: --json takes no value\n");
}
