/* The statistics of ab against values worked out by hand, the order of turns, and the
 * rule that drops a block. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "07-measure/ab_estimate.h"
#include "07-measure/ab_plan.h"
#include "07-measure/ab_result.h"

static void expect_near(double value, double want) {
    cr_expect(fabs(value - want) < 1e-12, "%.15g, not %.15g", value, want);
}

/* Statistics. */

Test(estimate, takes_the_middle_or_the_mean_of_the_middle_two) {
    double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2}, one[] = {7};
    cr_expect_eq(median_of(odd, 3), 5);
    cr_expect_eq(median_of(even, 4), 2.5);
    cr_expect_eq(median_of(one, 1), 7);
    cr_expect(isnan(median_of(one, 0)));
}

/* Of 2^n ways in which n coins fall, so many have fewer than `rank` heads: 1, n + 1,
 * n (n - 1) / 2 + n + 1 ... */
Test(estimate, knows_the_exact_coverage) {
    expect_near(order_coverage(6, 1), 1 - 2 * 1 / 64.);
    expect_near(order_coverage(7, 1), 1 - 2 * 1 / 128.);
    expect_near(order_coverage(8, 1), 1 - 2 * 1 / 256.);
    expect_near(order_coverage(8, 2), 1 - 2 * 9 / 256.);
    expect_near(order_coverage(10, 2), 1 - 2 * 11 / 1024.);
    expect_near(order_coverage(16, 4), 1 - 2 * (1 + 16 + 120 + 560) / 65536.);
    expect_near(order_coverage(16, 5), 1 - 2 * (1 + 16 + 120 + 560 + 1820) / 65536.);
}

Test(estimate, takes_the_narrowest_interval_that_covers_95_per_cent) {
    static const size_t ranks[][2] = {{0, 0},  {1, 0},  {2, 0},  {5, 0},  {6, 1},
                                      {7, 1},  {8, 1},  {9, 2},  {10, 2}, {11, 2},
                                      {12, 3}, {15, 4}, {16, 4}, {17, 5}, {64, 24}};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        cr_expect_eq(order_rank(ranks[i][0]), ranks[i][1],
                     "of %zu values: %zu, not %zu", ranks[i][0],
                     order_rank(ranks[i][0]), ranks[i][1]);
}

static struct estimate of_ratios(const double *ratios, size_t count) {
    double logs[16];
    for (size_t i = 0; i < count; i++)
        logs[i] = log(ratios[i]);
    return estimate_ratio(logs, count);
}

Test(estimate, of_six_blocks_goes_from_the_smallest_to_the_largest) {
    static const double ratios[] = {1.1, 0.9, 1.05, 1, 1.2, 0.95};
    struct estimate estimate = of_ratios(ratios, 6);
    expect_near(estimate.median, sqrt(1 * 1.05));
    cr_assert(estimate.has_interval);
    expect_near(estimate.low, 0.9);
    expect_near(estimate.high, 1.2);
    expect_near(estimate.coverage, 0.96875);
}

Test(estimate, of_ten_blocks_leaves_out_the_outermost_two) {
    static const double ratios[] = {1, 10, 3, 4, 5, 6, 7, 8, 2, 9};
    struct estimate estimate = of_ratios(ratios, 10);
    expect_near(estimate.median, sqrt(5 * 6));
    expect_near(estimate.low, 2);
    expect_near(estimate.high, 9);
    expect_near(estimate.coverage, 1 - 22 / 1024.);
}

Test(estimate, of_five_blocks_has_no_interval) {
    static const double ratios[] = {1, 2, 3, 4, 5};
    struct estimate estimate = of_ratios(ratios, 5);
    expect_near(estimate.median, 3);
    cr_expect_not(estimate.has_interval);
}

/* Turns. */

static void expect_turns(int arms, const int *want, int count) {
    cr_assert_eq(ab_turns(arms), count);
    for (int turn = 0; turn < count; turn++)
        cr_expect_eq(ab_turn(arms, turn), want[turn], "turn %d of %d arms", turn, arms);
}

Test(plan, puts_the_control_around_a_b_b_a) {
    static const int two[] = {2, 0, 1, 1, 0, 2}, three[] = {3, 0, 1, 2, 2, 1, 0, 3};
    expect_turns(2, two, 6);
    expect_turns(3, three, 8);
}

/* Blocks of two arms. */

enum { CONTROL = 2 };
static const struct ab_settings settings = {
    .arm_count = 2, .control_percent = 10, .steal_percent = 5};
static struct ab_blocks blocks;

/* Adds a block whose six runs are so many requests in a second, of 10 µs of CPU each,
 * and judges it. */
static struct ab_block *add_block(double c1, double a1, double b1, double b2, double a2,
                                  double c2) {
    const double per_second[] = {c1, a1, b1, b2, a2, c2};
    struct ab_block *block = &blocks.list[blocks.count++];
    block->run_count = 6;
    for (int turn = 0; turn < 6; turn++)
        block->runs[turn] = (struct ab_run){.arm = ab_turn(2, turn),
                                            .requests = per_second[turn],
                                            .seconds = 1,
                                            .per_second = per_second[turn],
                                            .cpu_us = 10 * per_second[turn],
                                            .p50 = 100,
                                            .p90 = 200,
                                            .p99 = 300,
                                            .steal = NAN};
    ab_judge(&settings, &blocks);
    return block;
}

static void add_even_blocks(int count) {
    for (int i = 0; i < count; i++)
        add_block(1000, 100, 100, 100, 100, 1000);
}

Test(judge, keeps_a_block_whose_control_stood_still) {
    cr_expect(add_block(1000, 1, 2, 3, 4, 1000)->kept);
    cr_expect(add_block(1099, 1, 2, 3, 4, 901)->kept);
    cr_expect_eq(ab_kept(&blocks), 2);
}

Test(judge, drops_a_block_whose_control_moved_either_way) {
    add_even_blocks(2);
    struct ab_block *slow = add_block(1000, 100, 100, 100, 100, 880);
    cr_expect_not(slow->kept);
    cr_expect_str_eq(slow->why, "the control moved by -12.0 % (limit 10 %)");
    struct ab_block *quick = add_block(1111, 100, 100, 100, 100, 1000);
    cr_expect_not(quick->kept);
    cr_expect_str_eq(quick->why, "the control moved by +11.1 % (limit 10 %)");
    cr_expect_eq(ab_kept(&blocks), 2);
}

Test(judge, holds_the_first_block_against_itself) {
    cr_expect_not(add_block(1000, 100, 100, 100, 100, 800)->kept);
}

Test(judge, follows_a_machine_that_has_changed_for_good) {
    add_even_blocks(1);
    cr_expect_not(add_block(700, 70, 70, 70, 70, 700)->kept);
    add_block(700, 70, 70, 70, 70, 700);
    cr_expect(add_block(700, 70, 70, 70, 70, 700)->kept);
}

Test(judge, drops_a_block_of_which_the_hypervisor_took_its_share) {
    struct ab_block *block = add_block(1000, 100, 100, 100, 100, 1000);
    block->runs[3].steal = 5;
    ab_judge(&settings, &blocks);
    cr_expect(block->kept);
    block->runs[3].steal = 5.25;
    ab_judge(&settings, &blocks);
    cr_expect_not(block->kept);
    cr_expect_str_eq(block->why, "the hypervisor took 5.2 % of the CPUs (limit 5 %)");
}

/* Results. */

Test(result, sees_no_difference_in_a_machine_that_slows_down_steadily) {
    for (int i = 0; i < 6; i++)
        add_block(1000, 128, 64, 32, 16, 1000);
    struct ab_result result = ab_result(&blocks, 1, AB_PER_SECOND);
    cr_assert(result.present);
    expect_near(result.ratio.median, 1);
    expect_near(result.ratio.low, 1);
    expect_near(result.ratio.high, 1);
}

Test(result, takes_kept_blocks_alone) {
    for (int i = 0; i < 6; i++)
        add_block(1000, 100, 80, 80, 100, 1000);
    add_block(1000, 100, 10, 10, 100, 1);
    struct ab_result result = ab_result(&blocks, 1, AB_PER_SECOND);
    cr_assert(result.present && result.ratio.count == 6);
    expect_near(result.ratio.low, 0.8);
    expect_near(ab_median(&blocks, 1, AB_PER_SECOND), 80);
    expect_near(ab_median(&blocks, CONTROL, AB_PER_SECOND), 1000);
}

Test(result, does_not_judge_throughput_of_a_client_that_was_bound) {
    add_even_blocks(6);
    blocks.list[4].runs[2].client_bound = true;
    struct ab_result result = ab_result(&blocks, 1, AB_PER_SECOND);
    cr_expect_not(result.present);
    cr_expect_str_eq(result.why, "client-bound in 1 of 24 runs");
    cr_expect_not(ab_result(&blocks, 1, AB_CORES).present);
    result = ab_result(&blocks, 1, AB_CPU);
    cr_expect(result.present && result.ratio.has_interval);
}

Test(result, judges_throughput_when_the_control_alone_was_bound) {
    add_even_blocks(6);
    blocks.list[4].runs[0].client_bound = true;
    cr_expect(ab_result(&blocks, 1, AB_PER_SECOND).present);
}

Test(result, without_a_cpu_clock_has_the_other_measures) {
    add_even_blocks(6);
    blocks.list[0].runs[1].cpu_us = NAN;
    struct ab_result result = ab_result(&blocks, 1, AB_CPU);
    cr_expect_not(result.present);
    cr_expect_str_eq(result.why, "it couldn't be read here");
    cr_expect(ab_result(&blocks, 1, AB_PER_SECOND).present);
}

Test(result, of_few_blocks_has_no_interval_and_of_none_no_value) {
    struct ab_result result = ab_result(&blocks, 1, AB_CPU);
    cr_expect_not(result.present);
    cr_expect_str_eq(result.why, "no block was kept");
    add_even_blocks(5);
    result = ab_result(&blocks, 1, AB_CPU);
    cr_expect(result.present && !result.ratio.has_interval);
    cr_expect_str_eq(result.why, "5 kept blocks are too few for an interval of 95 %");
}

Test(result, has_cpu_of_a_request_and_of_a_second) {
    add_even_blocks(1);
    const struct ab_run *run = &blocks.list[0].runs[1];
    expect_near(ab_value(run, AB_CPU), 10);
    expect_near(ab_value(run, AB_CORES), 0.001);
    expect_near(ab_value(run, AB_P90), 200);
}

Test(result, has_a_floor_if_an_arm_is_the_first_one_again) {
    struct ab_settings two = settings;
    for (int i = 0; i < 5; i++)
        add_block(1000, 100, 100, 100, 100, 1000);
    add_block(1000, 100, 80, 80, 100, 1000);
    two.arms[0].command = two.arms[1].command = "build/06-pump";
    expect_near(ab_floor(&two, &blocks, AB_PER_SECOND), 25); /* 1 / 0.8 */
    two.arms[1].command = "build/06-pump --lock gil";
    cr_expect(isnan(ab_floor(&two, &blocks, AB_PER_SECOND)));
}

Test(result, tells_how_far_the_control_moved_in_kept_blocks_and_in_all) {
    cr_expect(isnan(ab_control_moved(&settings, &blocks, false)));
    add_block(1000, 100, 100, 100, 100, 1050);
    add_block(1020, 100, 100, 100, 100, 500);
    expect_near(ab_control_moved(&settings, &blocks, true), 5);
    expect_near(ab_control_moved(&settings, &blocks, false), 110);
}
