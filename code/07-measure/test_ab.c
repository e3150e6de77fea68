/* What build/ab measures, and what it makes of it. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "07-measure/test_support_ab.h"

TestSuite(ab, .init = ab_set_up, .fini = ab_tear_down);

/* The record of two arms' six blocks; the caller's to json_decref(). */
static json_t *record_of(const char *one, const char *other) {
    json_error_t error;
    ab_run_arms(one, other, arms.record, NULL, NULL);
    cr_assert_eq(ab.status, 0, "%s", ab.errors);
    json_t *json = json_load_file(ab_at("record"), 0, &error);
    cr_assert(json, "%s", error.text);
    return json;
}

static double ratio(json_t *json, const char *arm, const char *field) {
    json_t *measure = json_object_get(
        json_object_get(json_object_get(json, "ratios"), arm), "per_second");
    cr_assert(measure, "no ratio of %s", arm);
    return json_number_value(json_object_get(measure, field));
}

/* Twelve runs of an arm in a machine that jumps about from block to block. */
#define JUMPS "1000\n1010\n1400\n1390\n900\n910\n1100\n1080\n1250\n1260\n1000\n990\n"
#define FIVE_PER_CENT_LESS                                                             \
    "955\n955\n1325\n1325\n862\n862\n1035\n1035\n1192\n1192\n945\n945\n"

Test(ab, sees_a_handicap_of_five_per_cent) {
    ab_put("numbers.1001", JUMPS);
    ab_put("numbers.1002", FIVE_PER_CENT_LESS);
    json_t *json = record_of(arms.quick, arms.slow);
    cr_expect_float_eq(ratio(json, "slow", "value"), 0.95, 0.003);
    cr_expect(ratio(json, "slow", "low") > 0.94);
    cr_expect(ratio(json, "slow", "high") < 0.96);
    json_decref(json);
}

Test(ab, sees_none_between_a_program_and_itself) {
    char same[290];
    snprintf(same, sizeof same, "same=%.256s", arms.quick + strlen("quick="));
    ab_put("numbers.1001", "1000\n1010\n1020\n1000\n" /* A B B A: the numbers in turn */
                           "1400\n1390\n1380\n1410\n900\n910\n890\n900\n"
                           "1100\n1080\n1090\n1100\n1250\n1260\n1250\n1240\n"
                           "1000\n990\n1000\n1020\n");
    json_t *json = record_of(arms.quick, same);
    cr_expect(ratio(json, "same", "low") < 1 && ratio(json, "same", "high") > 1);
    json_decref(json);
}

Test(ab, lists_a_block_that_its_control_dropped_and_runs_another) {
    ab_put("numbers.1003", "1000\n1000\n1000\n500\n1000\n1000\n");
    ab_run_arms(arms.quick, arms.slow, "--blocks=6", NULL, NULL);
    cr_expect_eq(ab.status, 0);
    cr_expect(strstr(ab.output, "6 of 7 blocks kept\n"
                                "block 2 dropped: the control moved by -50.0 % (limit "
                                "10 %)\n"),
              "%s", ab.output);
    cr_expect(strstr(ab.output, "slow / quick\nrequests per second     1.000 (96.9 %: "
                                "1.000 to 1.000)\n"),
              "%s", ab.output);
}

Test(ab, tells_how_much_of_it_is_noise) {
    char same[290];
    snprintf(same, sizeof same, "same=%.256s", arms.quick + strlen("quick="));
    ab_put("numbers.1003", "1000\n1080\n");
    ab_run_arms(arms.quick, same, NULL, NULL, NULL);
    cr_expect(strstr(ab.output, "A/A floor of requests per second     ±0.0 %\n"), "%s",
              ab.output);
    cr_expect(strstr(ab.output, "the control's quickest run beside its slowest: +8.0 % "
                                "in the blocks kept, +8.0 % in all tried\n"),
              "%s", ab.output);
    ab_run_arms(arms.quick, arms.slow, NULL, NULL, NULL);
    cr_expect_not(strstr(ab.output, "A/A"), "%s", ab.output);
}

Test(ab, warms_each_server_up_with_a_client_of_its_own) {
    char calls[4096];
    ab_run_arms(arms.quick, arms.slow, "--warmup-ms=50", "--path=/a", "--blocks=1");
    cr_assert_eq(ab.status, 0, "%s", ab.errors);
    ab_get("calls", calls, sizeof calls);
    static const char want[] =
        "--connections 16 --ms 50 --warmup-ms 0 --json http://127.0.0.1:1003/a\n"
        "--connections 16 --ms 10 --warmup-ms 0 --json http://127.0.0.1:1003/a\n"
        "--connections 16 --ms 50 --warmup-ms 0 --json http://127.0.0.1:1001/a\n"
        "--connections 16 --ms 10 --warmup-ms 0 --json http://127.0.0.1:1001/a\n"
        "--connections 16 --ms 50 --warmup-ms 0 --json http://127.0.0.1:1002/a\n";
    calls[sizeof want - 1] = '\0';
    cr_expect_str_eq(calls, want);
}

Test(ab, asks_for_the_whole_of_a_long_path) {
    static char path[2010], calls[32768];
    snprintf(path, sizeof path, "--path=/?pad=%01980d", 0);
    ab_run_arms(arms.quick, arms.slow, path, "--blocks=1", NULL);
    cr_assert_eq(ab.status, 0, "%s", ab.errors);
    ab_get("calls", calls, sizeof calls);
    cr_expect(strstr(calls, path + strlen("--path=")), "not in: %.200s", calls);
}

Test(ab, starts_a_process_for_each_run_and_says_how_long_it_will_take) {
    char pids[1024];
    int lines = 0;
    ab_run_arms(arms.quick, arms.slow, "--blocks=2", NULL, NULL);
    cr_expect(strstr(ab.errors, "ab: 0 of 2 blocks kept, 0 dropped; about "), "%s",
              ab.errors);
    cr_expect(strstr(ab.errors, "ab: 1 of 2 blocks kept, 0 dropped; about "), "%s",
              ab.errors);
    ab_get("pids", pids, sizeof pids);
    for (const char *c = pids; *c; c++)
        lines += *c == '\n';
    cr_expect_eq(lines, 12);
}

Test(ab, says_that_a_bound_client_was_the_limit) {
    ab_put("numbers.1002", "bound1000\n");
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", NULL, NULL);
    cr_expect(strstr(ab.output, "requests per second     not judged: client-bound in 1 "
                                "of 4 runs\n"),
              "%s", ab.output);
}

/* Of one block the JSON is short enough to be caught. */
Test(ab, reads_the_cpu_clock_of_the_server) {
    ab_put("server", "#!/bin/sh\necho \"listening on http://127.0.0.1:$1\"\n"
                     "while :; do :; done\n");
    ab_put("pause", ""); /* the clock of a process that runs is some ms behind */
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", "--json", NULL);
    cr_assert_eq(ab.status, 0, "%s", ab.errors);
    json_t *json = json_loads(ab.output, 0, NULL),
           *runs = json_object_get(json, "runs"), *run;
    size_t i;
    cr_assert_eq(json_array_size(runs), 6);
    json_array_foreach(runs, i, run) {
#ifndef __APPLE__
        cr_expect(json_number_value(json_object_get(run, "cpu_us")) > 0);
#endif
    }
    json_decref(json);
}

Test(ab, writes_a_record_that_holds_everything) {
    json_t *json = record_of(arms.quick, arms.slow);
    const char *name, *command, *base, *unit, *arm;
    double low, high, coverage, p99, per_second, reconnects;
    int tried, kept, ms, block, turn;
    json_t *raw, *runs;
    json_error_t error;
    cr_expect_eq(json_unpack_ex(json, &error, 0,
                                "{s:{s:[{s:s,s:s},{}],s:i},s:i,s:i,s:s,s:{s:{s:F}},s:{"
                                "s:{s:{s:s,s:F,s:F,s:F,"
                                "s:o}}},s:[{s:{s:{}}},{},{},{},{},{}],s:o}",
                                "settings", "arms", "name", &name, "command", &command,
                                "ms", &ms, "tried", &tried, "kept", &kept, "base",
                                &base, "medians", "control", "p99_us", &p99, "ratios",
                                "slow", "per_second", "unit", &unit, "low", &low,
                                "high", &high, "coverage", &coverage, "raw", &raw,
                                "blocks", "ratios", "slow", "runs", &runs),
                 0, "%s", error.text);
    cr_expect_str_eq(name, "quick");
    cr_expect_str_eq(command, arms.quick + strlen("quick="));
    cr_expect_str_eq(base, "quick");
    cr_expect_str_eq(unit, "ratio");
    cr_expect(ms == 10 && tried == 6 && kept == 6 && p99 == 3);
    cr_expect(low == 1 && high == 1 && coverage == 0.96875);
    cr_expect_eq(json_array_size(raw), 6);
    cr_assert_eq(json_array_size(runs), 36);
    cr_expect_eq(json_unpack(json_array_get(runs, 9), "{s:i,s:i,s:s,s:F,s:F}", "block",
                             &block, "turn", &turn, "arm", &arm, "per_second",
                             &per_second, "reconnects", &reconnects),
                 0);
    cr_expect(block == 2 && turn == 3 && per_second == 1000 && reconnects == 3);
    cr_expect_str_eq(arm, "slow");
    json_decref(json);
}

Test(ab, reads_arms_from_a_file) {
    char text[700], file[280];
    snprintf(text, sizeof text, "# two\n%s\n\n%s\n", arms.quick, arms.slow);
    ab_put("arms", text);
    snprintf(file, sizeof file, "--arms=%s", ab_at("arms"));
    program_run(&ab, "ab", file, arms.client, arms.control, "--warmup-ms=0",
                "--blocks=1", "--allow-different-answers", "--steal-percent=100", NULL);
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
    cr_expect(strstr(ab.output, "slow / quick\n"), "%s", ab.output);
}

static void expect_usage(const char *words) {
    cr_expect_eq(ab.status, 2);
    cr_expect(strstr(ab.errors, words), "no '%s' in: %s", words, ab.errors);
}

Test(ab, refuses_a_wrong_command_line) {
    program_run(&ab, "ab", "--arm", arms.quick, NULL);
    expect_usage("ab: it takes two arms;");
    ab_run_arms("quick", arms.slow, NULL, NULL, NULL);
    expect_usage("ab: an arm is NAME=COMMAND, not 'quick'");
    ab_run_arms(arms.quick, arms.quick, NULL, NULL, NULL);
    expect_usage("ab: there are two arms 'quick';");
    ab_run_arms(arms.quick, "control=x", NULL, NULL, NULL);
    expect_usage("ab: no arm can be called 'control'");
    ab_run_arms(arms.quick, arms.slow, "--tries=1", "--blocks=2", NULL);
    expect_usage("ab: --tries is less than --blocks");
    ab_run_arms(arms.quick, arms.slow, "--path=hello", NULL, NULL);
    expect_usage("ab: --path begins with a /");
    static char long_path[5000] = "--path=/";
    memset(long_path + 8, 'a', sizeof long_path - 9);
    ab_run_arms(arms.quick, arms.slow, long_path, NULL, NULL);
    expect_usage("ab: --path has at most 4000 characters");
    ab_run_arms(arms.quick, arms.slow, "--place=elsewhere", NULL, NULL);
    expect_usage(
        "ab: --place is free, one-cpu, spare-core or quota=N, not 'elsewhere'");
    ab_run_arms(arms.quick, arms.slow, "--place=quota=none", NULL, NULL);
    expect_usage("ab: quota= wants a number of CPUs from 0.01 to 1024, not 'none'");
}
