/* Claims and records read from files that each test writes, good ones and bad ones. */
#include "07-measure/ledger.h"
#include "07-measure/test_claims.h"

static char error[1024];
static struct ledger *ledger;

static void open_ledger(void) {
    char here[512];
    snprintf(path, sizeof path, "%s/experiments", top);
    snprintf(here, sizeof here, "%s/here", top);
    ledger = ledger_open(path, here, error, sizeof error);
}

static void tear_down(void) {
    ledger_close(ledger);
    remove_folder();
}

TestSuite(ledger, .init = make_folder, .fini = tear_down);

Test(ledger, reads_a_row_without_any_record) {
    open_ledger();
    cr_assert(ledger, "%s", error);
    cr_assert_eq(ledger_count(ledger), 1);
    const struct ledger_row *row = ledger_find(ledger, "W2");
    cr_assert_eq(row, ledger_row(ledger, 0));
    cr_expect_str_eq(row->room, "06-pump");
    cr_expect_str_eq(row->says, "it pays two");
    cr_expect(row->has_note && row->note == 2 && !row->ours);
    cr_expect_str_eq(row->needs, "");
    cr_expect_str_eq(
        row->rule, "reproduced from 1.9 up to 2 wakes; same direction above 0.5 wakes");
    cr_expect_not(row->here.present || row->reference.present);
    cr_expect_eq(row->here.verdict, NOT_MEASURED);
    cr_expect_str_eq(row->reference.record, "");
    cr_expect_null(ledger_find(ledger, "W3"));
    cr_expect_str_eq(ledger_machine(ledger, ""), "");
}

Test(ledger, judges_what_this_machine_measured) {
    put("here/06-pump.json", RECORD("06-pump", PAID("1.95")));
    open_ledger();
    cr_assert(ledger, "%s", error);
    const struct ledger_value *here = &ledger_find(ledger, "W2")->here;
    cr_expect(here->present && here->value == 1.95 && !here->has_interval);
    cr_expect_eq(here->verdict, REPRODUCED);
    cr_expect_str_eq(here->command, "make exp-06");
    cr_expect_str_eq(here->commit, "abc");
    cr_expect_str_eq(ledger_machine(ledger, ""),
                     "A CPU, 2 cores (none), Linux 6, gcc 12");
}

Test(ledger, calls_an_interval_over_an_edge_inconclusive) {
    put("here/06-pump.json",
        RECORD("06-pump", "\"paid\":{\"value\":1.95,\"low\":1.8,\"high\":1.99,"
                          "\"unit\":\"wakes\",\"raw\":[1]}"));
    open_ledger();
    cr_assert(ledger, "%s", error);
    cr_expect_eq(ledger_find(ledger, "W2")->here.verdict, INCONCLUSIVE);
    cr_expect_eq(ledger_find(ledger, "W2")->here.low, 1.8);
}

Test(ledger, reads_what_a_measure_says_of_its_noise) {
    put("here/06-pump.json",
        RECORD("06-pump", "\"paid\":{\"value\":1.95,\"low\":1.92,\"high\":1.99,"
                          "\"coverage\":0.969,\"blocks\":6,\"dropped\":2,"
                          "\"floor\":1.5,\"unit\":\"wakes\"}"));
    open_ledger();
    cr_assert(ledger, "%s", error);
    const struct ledger_value *here = &ledger_find(ledger, "W2")->here;
    cr_expect(here->coverage == 0.969 && here->floor == 1.5);
    cr_expect(here->blocks == 6 && here->dropped == 2);
    cr_expect_str_eq(here->date, "2026-01-01T00:00:00Z");
}

Test(ledger, knows_when_a_measure_says_nothing_of_its_noise) {
    put("here/06-pump.json", RECORD("06-pump", PAID("1.95")));
    open_ledger();
    cr_assert(ledger, "%s", error);
    const struct ledger_value *here = &ledger_find(ledger, "W2")->here;
    cr_expect(here->coverage == 0 && here->floor == -1);
    cr_expect(here->blocks == -1 && here->dropped == -1);
}

Test(ledger, says_why_a_record_has_no_value) {
    put("here/06-pump.json",
        RECORD("06-pump", "\"paid\":{\"value\":null,\"why\":\"wrk is missing\","
                          "\"unit\":\"wakes\"}"));
    open_ledger();
    cr_assert(ledger, "%s", error);
    cr_expect_eq(ledger_find(ledger, "W2")->here.verdict, NOT_MEASURED);
    cr_expect_str_eq(ledger_find(ledger, "W2")->here.why, "wrk is missing");
}

Test(ledger, takes_the_newest_reference_record_that_has_the_room) {
    put("experiments/results/reference/2026-01-01-a/06-pump.json",
        RECORD("06-pump", PAID("1")));
    put("experiments/results/reference/2026-02-01-b/06-pump.json",
        RECORD("06-pump", PAID("2")));
    put("experiments/results/reference/2026-03-01-c/08-inversion.json", "{}");
    open_ledger();
    cr_assert(ledger, "%s", error);
    const struct ledger_value *value = &ledger_find(ledger, "W2")->reference;
    cr_expect_eq(value->value, 2);
    cr_expect_str_eq(value->record, "2026-02-01-b");
    cr_expect_eq(value->verdict, REPRODUCED);
    cr_expect_str_eq(ledger_machine(ledger, "2026-02-01-b"),
                     "A CPU, 2 cores (none), Linux 6, gcc 12");
}

Test(ledger, orders_rows_by_room_and_file) {
    put("experiments/01-blocking/claims.json",
        "[" ROW("Z", RULE) "," ROW("A", RULE) "]");
    open_ledger();
    cr_assert(ledger, "%s", error);
    cr_assert_eq(ledger_count(ledger), 3);
    cr_expect_str_eq(ledger_row(ledger, 0)->id, "Z");
    cr_expect_str_eq(ledger_row(ledger, 1)->id, "A");
    cr_expect_str_eq(ledger_row(ledger, 2)->id, "W2");
}

/* A file of the test's folder with this text in it must be refused with these words. */
static void expect_refused(const char *name, const char *text, const char *words) {
    char want[1024];
    put(name, text);
    snprintf(want, sizeof want, "%s/%s%s", top, name, words);
    open_ledger();
    cr_expect_null(ledger, "accepted: %s", text);
    ledger_close(ledger);
    ledger = NULL;
    cr_expect_str_eq(error, want);
}

#define CLAIMS "experiments/06-pump/claims.json"

Test(ledger, refuses_claims_that_are_no_json_with_their_line) {
    expect_refused(CLAIMS, "[\n\n{,}]", ":3: string or '}' expected near ','");
    expect_refused(CLAIMS, "[{\"id\":\"A\",\n\"id\":\"B\"}]",
                   ":2: duplicate object key near '\"id\"'");
    expect_refused(CLAIMS, "{}", ": is not an array of rows");
}

Test(ledger, refuses_a_row_with_an_unknown_or_a_missing_key) {
    expect_refused(CLAIMS, "[" ROW("W2", RULE ",\"color\":1") "]",
                   ": row W2: 1 object item(s) left unpacked: color");
    expect_refused(CLAIMS, "[{\"id\":\"W2\"}]",
                   ": row W2: Object item not found: says");
    expect_refused(CLAIMS, "[{}]", ": row without an id: Object item not found: id");
}

Test(ledger, refuses_a_wrong_rule) {
    static const char shape[] = ": row W2: \"reproduced\" is not like {\"from\": 1.9, "
                                "\"to\": 2} or {\"above\": 0.5}";
    static const char *const wrong[] = {"{}",
                                        "3",
                                        "{\"from\":2,\"to\":1}",
                                        "{\"from\":1,\"above\":1}",
                                        "{\"to\":1,\"below\":1}",
                                        "{\"above\":1,\"below\":1}",
                                        "{\"over\":1}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024];
        snprintf(text, sizeof text, "[" ROW("W2", "\"reproduced\":%s") "]", wrong[i]);
        expect_refused(CLAIMS, text, shape);
    }
    expect_refused(CLAIMS,
                   "[" ROW("W2", "\"reproduced\":{\"to\":2},"
                                 "\"same_direction\":{\"below\":2}") "]",
                   ": row W2: \"same_direction\" doesn't hold all of \"reproduced\"");
    expect_refused(CLAIMS, "[" ROW("W2", "\"ours\":true") "]",
                   ": row W2: has no rule: write \"reproduced\"");
}

Test(ledger, refuses_an_unknown_kind_and_a_rule_for_context) {
    char text[1024];
    snprintf(text, sizeof text, "%s", GOOD);
    memcpy(strstr(text, "count"), "thing", 5);
    expect_refused(CLAIMS, text,
                   ": row W2: \"kind\" is fact, count, duration, ratio or context, not "
                   "\"thing\"");
    expect_refused(CLAIMS,
                   "[{\"id\":\"U6\",\"says\":\"\",\"note\":null,\"unit\":\"\","
                   "\"kind\":\"context\",\"how\":\"\",\"needs\":null,\"measure\":\"\","
                   "\"reproduced\":{\"to\":2}}]",
                   ": row U6: context has no rule");
}

Test(ledger, refuses_an_id_that_is_taken) {
    expect_refused(CLAIMS, "[" ROW("W2", RULE) "," ROW("W2", RULE) "]",
                   ": row W2: the id is taken by 06-pump; ids are never used again");
}

#define REFERENCE "experiments/results/reference/2026-02-01-b/06-pump.json"
#define SLEEPS    "\"paid\":{\"value\":2,\"unit\":\"sleeps\"}"

Test(ledger, refuses_a_reference_record_that_does_not_fit_its_rows) {
    expect_refused(REFERENCE, RECORD("06-pump", "\"other\":{}"),
                   ": has no measure paid, which row W2 wants; measure anew (make "
                   "exp-06)");
    expect_refused(REFERENCE, RECORD("06-pump", SLEEPS),
                   ": measure paid is in \"sleeps\", row W2 in \"wakes\"");
}

Test(ledger, says_that_a_record_of_this_machine_is_older_than_its_rows) {
    static const char *const older[] = {"\"other\":{}", SLEEPS};
    for (size_t i = 0; i < sizeof older / sizeof *older; i++) {
        char record[1024];
        snprintf(record, sizeof record, RECORD("06-pump", "%s"), older[i]);
        put("here/06-pump.json", record);
        open_ledger();
        cr_assert_not_null(ledger, "%s", error);
        const struct ledger_value *here = &ledger_row(ledger, 0)->here;
        cr_expect_not(here->present);
        cr_expect_str_eq(here->why, "its record is older than the row; make exp-06");
        ledger_close(ledger);
        ledger = NULL;
    }
}

Test(ledger, refuses_a_record_of_another_room_or_shape) {
    expect_refused("here/06-pump.json", RECORD("08-inversion", PAID("2")),
                   ": is of room 08-inversion, not of 06-pump");
    expect_refused("here/06-pump.json", "{\"room\":\"06-pump\"}",
                   ": Object item not found: date");
    expect_refused("here/06-pump.json", "{\n\"room\"",
                   ":2: ':' expected near end of file");
}

Test(ledger, refuses_a_measure_that_is_no_number) {
    expect_refused("here/06-pump.json", RECORD("06-pump", PAID("null")),
                   ": measure paid: \"value\" is a number, or null with a \"why\"");
    expect_refused("here/06-pump.json", RECORD("06-pump", PAID("\"2\"")),
                   ": measure paid: \"value\" is a number, or null with a \"why\"");
    expect_refused("here/06-pump.json",
                   RECORD("06-pump", "\"paid\":{\"value\":2,\"low\":1,\"high\":1.5,"
                                     "\"unit\":\"wakes\"}"),
                   ": measure paid: the interval \"low\" to \"high\" doesn't hold the "
                   "value");
    expect_refused("here/06-pump.json",
                   RECORD("06-pump", "\"paid\":{\"value\":2,\"unit\":\"wakes\","
                                     "\"coverage\":95}"),
                   ": measure paid: \"coverage\" is from 0 to 1");
}

Test(ledger, refuses_a_wrong_reference_record_too) {
    expect_refused(REFERENCE, "[", ":1: ']' expected near end of file");
}

static void expect_number(double value, const char *unit, const char *want) {
    char text[32];
    ledger_number(value, unit, text, sizeof text);
    cr_expect_str_eq(text, want);
}

Test(number, is_written_with_three_digits_or_so_and_its_unit) {
    expect_number(0, "wakes/request", "0");
    expect_number(2, "wakes/request", "2");
    expect_number(1.98765, "wakes/request", "1.99");
    expect_number(0.5432, "of c1", "0.543");
    expect_number(0.012345, "of c1", "0.0123");
    expect_number(42.25, "µs", "42.2 µs");
    expect_number(999.5, "requests", "1,000");
    expect_number(100000, "requests", "100,000");
    expect_number(1234567, "requests", "1,234,567");
    expect_number(-1234, "requests", "-1,234");
    expect_number(1.5, "s", "1.50 s");
    expect_number(0.00067, "s", "0.670 ms");
    expect_number(1, "fact", "yes");
    expect_number(0, "fact", "no");
}
