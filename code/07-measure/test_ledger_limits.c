/* Numbers, ids and words that are larger or odder than anybody would write. */
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

TestSuite(ledger_limits, .init = make_folder, .fini = tear_down);

/* A number that didn't fit would be another number. */
Test(ledger_limits, refuses_blocks_and_floors_that_can_not_be) {
    static const char *const wrong[] = {
        "\"blocks\":99999999999", "\"blocks\":-1",   "\"blocks\":1.5",
        "\"dropped\":4294967297", "\"dropped\":-2",  "\"dropped\":null",
        "\"floor\":-3",           "\"floor\":\"3\"",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char record[1024];
        snprintf(record, sizeof record,
                 RECORD("06-pump", "\"paid\":{\"value\":1.95,\"unit\":\"wakes\",%s}"),
                 wrong[i]);
        put("here/06-pump.json", record);
        open_ledger();
        cr_expect_null(ledger, "it took %s", wrong[i]);
        cr_expect(strstr(error, "measure paid: \"blocks\" and"), "%s", error);
        ledger_close(ledger);
        ledger = NULL;
    }
}

Test(ledger_limits, refuses_measures_that_are_no_object) {
    char record[1024];
    snprintf(record, sizeof record, RECORD("06-pump", "%s"), "");
    memcpy(strstr(record, "{}}"), "[]}", 3);
    put("here/06-pump.json", record);
    open_ledger();
    cr_expect_null(ledger);
    cr_expect(strstr(error, "\"measures\" isn't an object"), "%s", error);
}

/* An id that nobody could ask for, or that tears the table. */
Test(ledger_limits, refuses_an_id_that_is_none) {
    static const char *const wrong[] = {ROW("", RULE), ROW("06", RULE), ROW("-x", RULE),
                                        ROW("W\\n2", RULE), ROW("W 2", RULE)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char claims[512];
        snprintf(claims, sizeof claims, "[%s]", wrong[i]);
        put("experiments/06-pump/claims.json", claims);
        open_ledger();
        cr_expect_null(ledger, "it took %s", claims);
        cr_expect(strstr(error, "an id is like W2 or K1c.2"), "%s", error);
        ledger_close(ledger);
        ledger = NULL;
    }
}

/* What is cut to its room is cut between two characters, wherever that falls. */
Test(ledger_limits, cuts_a_long_machine_between_characters) {
    for (int odd = 0; odd < 2; odd++) {
        char record[4096], name[1300] = "";
        memset(name, 'x', (size_t)odd);
        for (int i = 0; i < 600; i++)
            strcat(name, "\xc3\xa9");
        snprintf(record, sizeof record, RECORD("06-pump", PAID("1.95")));
        char *cpu = strstr(record, "A CPU"), rest[2048];
        strcpy(rest, cpu + strlen("A CPU"));
        snprintf(cpu, sizeof record - (size_t)(cpu - record), "%s%s", name, rest);
        put("here/06-pump.json", record);
        open_ledger();
        cr_assert(ledger, "%s", error);
        const char *machine = ledger_machine(ledger, "");
        cr_expect_eq(strncmp(machine, name, strlen(machine)), 0);
        cr_expect_eq((unsigned char)machine[strlen(machine) - 1], 0xa9);
        ledger_close(ledger);
        ledger = NULL;
    }
}

static void expect_number(double value, const char *want) {
    char text[32];
    ledger_number(value, "n", text, sizeof text);
    cr_expect_str_eq(text, want);
}

Test(ledger_limits, writes_a_huge_number_as_what_it_is) {
    expect_number(999999999999999, "999,999,999,999,999");
    expect_number(1e15, "1e+15");
    expect_number(-2.5e16, "-2.5e+16");
    expect_number(1e308, "1e+308");
}
