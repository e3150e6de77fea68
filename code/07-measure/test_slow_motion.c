/* The arithmetic of slow motion, on constants that are given. */
#include <criterion/criterion.h>
#include <math.h>

#include "07-measure/slow_motion.h"

static void expect_near(double is, double want, const char *what) {
    cr_expect(fabs(is - want) < 1e-9, "%s is %.12g and not %.12g", what, is, want);
}

Test(slow_motion, scales_application_and_parser_and_nothing_else) {
    const struct slow_constants constants = {.wake_cpu = 2530,
                                             .wake_latency = 5060,
                                             .wait = 1000,
                                             .sweep = 2000,
                                             .read = 1000,
                                             .write = 4000};
    struct slow_motion slow = slow_motion_at(&constants, 2);
    expect_near(slow.k, 2, "k");
    expect_near(slow.application_us, 13.2, "the application");
    expect_near(slow.parse_us, 4.1, "parsing");
    expect_near(slow.server_us, 1 + 2 + 1 + 4.1 + 4 + 13.2, "the server's CPU");
    expect_near(slow.proportions[SLOW_WAKE_CPU].is, 0.1, "wake CPU");
    expect_near(slow.proportions[SLOW_WAKE_LATENCY].is, 0.2, "wake latency");
    expect_near(slow.proportions[SLOW_WAIT_SWEEP].is, 3 / 25.3, "wait and sweep");
    expect_near(slow.proportions[SLOW_LOOP].is, 9.1 / 13.2, "loop work");
    expect_near(slow.proportions[SLOW_CLIENT].is, 6 / 25.3, "the client");
    cr_expect_not(slow.proportions[SLOW_WAKE_CPU].holds);
    cr_expect(slow.proportions[SLOW_WAKE_LATENCY].holds);
    cr_expect_not(slow.proportions[SLOW_WAIT_SWEEP].holds);
    cr_expect(slow.proportions[SLOW_LOOP].holds);
    cr_expect(slow.proportions[SLOW_CLIENT].holds);
}

/* Much as the note's server is. */
static const struct slow_constants fast = {.wake_cpu = 900,
                                           .wake_latency = 3000,
                                           .wait = 1500,
                                           .sweep = 2000,
                                           .read = 2000,
                                           .write = 2200};

Test(slow_motion, leaves_a_machine_like_the_note_s_as_it_is) {
    struct slow_motion slow = slow_motion_of(&fast);
    expect_near(slow.k, 1, "k");
    for (int i = 0; i < PROPORTIONS; i++)
        cr_expect(slow.proportions[i].holds, "%s is %g",
                  proportion_name((enum proportion)i), slow.proportions[i].is);
}

/* A request costs 8.65 k µs here. The wake's CPU wants it from 125 to 250 µs, its latency
 * from 160 to 267: k from 18.5 to 28.9. */
Test(slow_motion, takes_the_middle_of_where_most_hold) {
    const struct slow_constants dear = {.wake_cpu = 10000, .wake_latency = 40000};
    struct slow_motion slow = slow_motion_of(&dear);
    expect_near(slow.k, 23.7, "k");
    cr_expect(slow.proportions[SLOW_WAKE_CPU].holds);
    cr_expect(slow.proportions[SLOW_WAKE_LATENCY].holds);
    cr_expect_not(slow.proportions[SLOW_WAIT_SWEEP].holds);
}

Test(slow_motion, follows_the_wake_s_cpu_against_all_others) {
    struct slow_constants constants = fast;
    constants.wake_cpu = 20000;
    struct slow_motion as_it_is = slow_motion_at(&constants, 1);
    for (int i = SLOW_WAKE_CPU + 1; i < PROPORTIONS; i++)
        cr_assert(as_it_is.proportions[i].holds);
    struct slow_motion slow = slow_motion_of(&constants);
    cr_expect(slow.proportions[SLOW_WAKE_CPU].holds);
    cr_expect_not(slow.proportions[SLOW_WAKE_LATENCY].holds);
}

Test(slow_motion, keeps_the_others_where_no_factor_helps_the_wake_s_cpu) {
    struct slow_constants constants = fast;
    constants.wake_cpu = 1e7;
    struct slow_motion slow = slow_motion_of(&constants);
    cr_expect_not(slow.proportions[SLOW_WAKE_CPU].holds);
    for (int i = SLOW_WAKE_CPU + 1; i < PROPORTIONS; i++)
        cr_expect(slow.proportions[i].holds);
}

Test(slow_motion, never_makes_the_work_cheaper) {
    struct slow_constants constants = fast;
    constants.wake_cpu = constants.wake_latency = 10;
    cr_expect_geq(slow_motion_of(&constants).k, 1);
}
