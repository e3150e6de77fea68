/* Percentiles against samples of which one knows them, and what is made of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "07-measure/load_report.h"
#include "07-measure/load_samples.h"

/* `count` samples: 1 to `count`, the largest first. */
static struct samples made(size_t count) {
    struct samples samples = {0};
    for (size_t i = count; i > 0; i--)
        samples_add(&samples, i);
    return samples;
}

Test(load_samples, a_percentile_is_the_sample_that_so_many_do_not_exceed) {
    static const struct {
        size_t count;
        unsigned permille;
        uint64_t value;
    } cases[] = {
        {1, 500, 1},      {1, 1000, 1},     {2, 500, 1},       {3, 500, 2},
        {4, 500, 2},      {10, 900, 9},     {10, 990, 10},     {100, 990, 99},
        {101, 990, 100},  {1000, 999, 999}, {1001, 999, 1000}, {1000, 1000, 1000},
        {100000, 1, 100},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct samples samples = made(cases[i].count);
        samples_sort(&samples);
        cr_assert_eq(samples_percentile(&samples, cases[i].permille), cases[i].value,
                     "%u of %zu", cases[i].permille, cases[i].count);
        samples_free(&samples);
    }
}

Test(load_samples, the_mean_is_not_the_median) {
    struct samples samples = made(3);
    samples_add(&samples, 94);
    samples_sort(&samples);
    cr_assert_eq(samples_mean(&samples), 25);
    cr_assert_eq(samples_percentile(&samples, 500), 2);
    samples_free(&samples);
}

Test(load_samples, all_are_kept_in_their_order) {
    enum { MANY = 200000 }; /* more than the array's first room */
    struct samples samples = made(MANY);
    cr_assert_eq(samples.count, MANY);
    for (size_t i = 0; i < MANY; i++)
        cr_assert_eq(samples.ns[i], MANY - i);
    samples_free(&samples);
    samples = made(3);
    char text[16] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    samples_write(&samples, out);
    fclose(out);
    cr_assert_str_eq(text, "3\n2\n1\n");
    samples_free(&samples);
}

static void too_many(void) {
    struct samples samples = {0};
    for (int i = 0; i <= SAMPLES_MOST; i++)
        samples_add(&samples, 1);
}

Test(load_samples, one_more_than_the_bound_is_the_end, .exit_code = 1) {
    too_many();
}

Test(load_samples, ninety_percent_of_a_core_is_the_client_bound) {
    struct load_result result = {.client_cpu = 1, .client_busy = 0.89};
    cr_assert(!load_client_bound(&result)); /* it may spin */
    result.client_busy = 0.91;
    cr_assert(load_client_bound(&result));
}
