/* What build/ledger prints: the program is run over files that each test writes. */
#include <jansson.h>

#include "00-ground/test_support.h"
#include "07-measure/test_claims.h"

#define NOISY                                                                          \
    "\"paid\":{\"value\":1.95,\"low\":1.92,\"high\":1.99,\"coverage\":0.969,"          \
    "\"blocks\":6,\"dropped\":2,\"floor\":1.5,\"unit\":\"wakes\"}"
#define REFERENCE "experiments/results/reference/2026-02-01-b/06-pump.json"

static struct program ran;

/* Runs the ledger over the test's folder; `word` and `option` may be NULL. */
static void run_ledger(const char *option, const char *word) {
    char experiments[512], here[512];
    snprintf(experiments, sizeof experiments, "--experiments=%s/experiments", top);
    snprintf(here, sizeof here, "--here=%s/here", top);
    const char *first = option ? option : word, *second = option ? word : NULL;
    program_run(&ran, "ledger", experiments, here, first, second, NULL);
}

static void expect_printed(const char *text) {
    cr_expect(strstr(ran.output, text), "no \"%s\" in:\n%s", text, ran.output);
}

static void expect_silent_of(const char *text) {
    cr_expect_not(strstr(ran.output, text), "\"%s\" in:\n%s", text, ran.output);
}

TestSuite(ledger_show, .init = make_folder, .fini = remove_folder);

Test(ledger_show, begins_with_what_tells_most) {
    put("experiments/06-pump/claims.json", "[" ROW("A", RULE) "," ROW("W2", RULE) "]");
    put("here/06-pump.json", RECORD("06-pump", NOISY));
    run_ledger(NULL, NULL);
    cr_assert_eq(ran.status, 0);
    const char *first = strstr(ran.output, "W2    wakes of the pump");
    const char *table = strstr(ran.output, "the note says, or we do");
    cr_assert(first && table && first < table, "%s", ran.output);
    expect_printed("1.95 wakes  reproduced\n");
    expect_printed("W2    A/A floor ±1.50 %\n");
    expect_printed("W2    blocks dropped: 2\n");
}

Test(ledger_show, says_before_the_table_how_many_rows_were_not_reproduced) {
    put("experiments/06-pump/claims.json", "[" ROW("A", RULE) "," ROW("W2", RULE) "]");
    put("here/06-pump.json", RECORD("06-pump", PAID("1")));
    run_ledger(NULL, NULL);
    const char *count =
        strstr(ran.output, "2 rows: 0 reproduced, 2 not reproduced, 0 not measured");
    const char *table = strstr(ran.output, "the note says, or we do");
    cr_assert(count && table && count < table, "%s", ran.output);
}

Test(ledger_show, leaves_out_a_telling_row_that_doesn_t_exist) {
    run_ledger(NULL, NULL);
    expect_printed("W2    wakes of the pump");
    expect_silent_of("W3");
    expect_silent_of("one-CPU");
    expect_silent_of("A/A");
}

Test(ledger_show, shows_no_telling_rows_where_there_are_none) {
    put("experiments/06-pump/claims.json", "[" ROW("A", RULE) "]");
    run_ledger(NULL, NULL);
    expect_silent_of("what tells most");
    expect_printed("1 row: 0 reproduced");
}

Test(ledger_show, says_that_the_floor_is_the_reference_s_where_nothing_was_measured) {
    put(REFERENCE, RECORD("06-pump", NOISY));
    run_ledger(NULL, NULL);
    expect_printed("W2    A/A floor ±1.50 % (reference)\n");
    expect_printed("W2    blocks dropped: 2 (reference)\n");
}

Test(ledger_show, prints_a_room_s_rows_alone) {
    put("experiments/08-inversion/claims.json", "[" ROW("W3", RULE) "]");
    run_ledger(NULL, "06");
    cr_assert_eq(ran.status, 0);
    expect_printed("W2    it pays two");
    expect_silent_of("W3");
    expect_silent_of("what tells most");
    expect_printed("1 row: 0 reproduced");
}

Test(ledger_show, cites_a_row_with_all_that_its_record_says) {
    put(REFERENCE, RECORD("06-pump", NOISY));
    run_ledger(NULL, "W2");
    cr_assert_eq(ran.status, 0);
    expect_printed("To cite the reference:\n"
                   "it pays two: 1.95 wakes (96.9 % 1.92 to 1.99, 6 blocks, 2 dropped, "
                   "A/A ±1.50 %). The Loop Inversion, row W2, record 2026-02-01-b, "
                   "commit abc; rule fixed beforehand; make exp-06 ROW=W2.\n");
    expect_silent_of("To cite this machine");
}

Test(ledger_show, cites_without_the_fields_that_a_row_hasn_t) {
    put("here/06-pump.json", RECORD("06-pump", PAID("2")));
    run_ledger(NULL, "W2");
    expect_printed("To cite this machine:\n"
                   "it pays two: 2 wakes. The Loop Inversion, row W2, record of this "
                   "machine, 2026-01-01, commit abc; rule fixed beforehand; make "
                   "exp-06 ROW=W2.\n");
    expect_silent_of("To cite the reference");
}

Test(ledger_show, calls_an_interval_of_no_stated_coverage_an_interval) {
    put(REFERENCE, RECORD("06-pump", "\"paid\":{\"value\":2,\"low\":1,\"high\":3,"
                                     "\"unit\":\"wakes\"}"));
    run_ledger(NULL, "W2");
    expect_printed("it pays two: 2 wakes (interval 1 to 3). The");
}

Test(ledger_show, shows_one_row_with_its_rule_and_nothing_to_cite_if_not_measured) {
    run_ledger(NULL, "W2");
    expect_printed("rule          reproduced from 1.9 up to 2 wakes");
    expect_printed("this machine  not measured: `make exp-06 ROW=W2` does");
    expect_silent_of("To cite");
}

Test(ledger_show, refuses_an_unknown_id_or_room_in_one_line) {
    run_ledger(NULL, "W9");
    cr_expect_eq(ran.status, 2);
    cr_expect_str_eq(ran.errors, "ledger: there is no row W9; without a last word all "
                                 "are listed\n");
    cr_expect_str_empty(ran.output);
    run_ledger("--json", "07");
    cr_expect_eq(ran.status, 2);
    cr_expect_str_eq(ran.errors, "ledger: no room 07 has claims; without a number all "
                                 "are listed\n");
}

static json_t *printed_json(size_t rows) {
    json_error_t error;
    json_t *all = json_loads(ran.output, JSON_REJECT_DUPLICATES, &error);
    cr_assert(all, "%s in:\n%s", error.text, ran.output);
    cr_assert_eq(json_array_size(json_object_get(all, "rows")), rows);
    return all;
}

Test(ledger_show, prints_rows_as_json_with_intervals_verdicts_and_commits) {
    put(REFERENCE, RECORD("06-pump", NOISY));
    run_ledger("--json", NULL);
    cr_assert_eq(ran.status, 0);
    json_t *all = printed_json(1);
    const char *id, *rule, *verdict, *record, *command, *commit, *not_here;
    double value, low, high;
    int blocks, dropped;
    cr_assert_eq(
        json_unpack(json_array_get(json_object_get(all, "rows"), 0),
                    "{s:s, s:s, s:{s:F, s:F, s:F, s:i, s:i, s:s, s:s, s:s, s:s}, "
                    "s:{s:n, s:s}}",
                    "id", &id, "rule", &rule, "reference", "value", &value, "low", &low,
                    "high", &high, "blocks", &blocks, "dropped", &dropped, "verdict",
                    &verdict, "record", &record, "command", &command, "commit", &commit,
                    "here", "value", "verdict", &not_here),
        0, "%s", ran.output);
    cr_expect_str_eq(id, "W2");
    cr_expect_str_eq(
        rule, "reproduced from 1.9 up to 2 wakes; same direction above 0.5 wakes");
    cr_expect(value == 1.95 && low == 1.92 && high == 1.99);
    cr_expect(blocks == 6 && dropped == 2);
    cr_expect_str_eq(verdict, "reproduced");
    cr_expect_str_eq(record, "2026-02-01-b");
    cr_expect_str_eq(command, "make exp-06");
    cr_expect_str_eq(commit, "abc");
    cr_expect_str_eq(not_here, "not measured here");
    json_decref(all);
}

Test(ledger_show, prints_json_of_one_room_or_one_row) {
    put("experiments/08-inversion/claims.json",
        "[" ROW("W3", RULE) "," ROW("W4", RULE) "]");
    run_ledger("--json", NULL);
    json_decref(printed_json(3));
    run_ledger("--json", "08");
    json_decref(printed_json(2));
    run_ledger("--json", "W4");
    json_decref(printed_json(1));
}
