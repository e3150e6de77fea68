/* What a reader wants to know first: a few rows of all, and how noisy it was. */
#include <stdio.h>

#include "07-measure/ledger_show.h"

/* In this order. Those whose chapter isn't there yet aren't shown. */
static const struct {
    const char *id, *name;
} telling[] = {
    {"W2", "wakes of the pump"},  {"W3", "wakes of the inversion"},
    {"K1c", "the one-CPU ratio"}, {"D1", "the blocking stop"},
    {"D3", "the stepped stop"},   {"N1", "a program beside itself"},
};

enum { TELLING = sizeof telling / sizeof *telling };

static void amount(const struct ledger_row *row, const struct ledger_value *value,
                   char *text, size_t room) {
    snprintf(text, room, "-");
    if (value->present)
        ledger_amount(value->value, row->unit, text, room);
}

static void print_row(const struct ledger_row *row, const char *name) {
    char reference[80], here[80];
    amount(row, &row->reference, reference, sizeof reference);
    amount(row, &row->here, here, sizeof here);
    printf("%-4s  %-23s  %19s  %19s  %s\n", row->id, name, reference, here,
           verdict_name(row->here.verdict));
}

/* Of this machine, or of the reference where it has none. */
static const struct ledger_value *newest(const struct ledger_row *row) {
    return row->here.present ? &row->here : &row->reference;
}

static void print_noise(const struct ledger_row *row) {
    const struct ledger_value *value = newest(row);
    char floor[32];
    if (value->floor >= 0) {
        ledger_number(value->floor, "%", floor, sizeof floor);
        printf("%-4s  A/A floor ±%s%s\n", row->id, floor,
               value == &row->here ? "" : " (reference)");
    }
    if (value->dropped >= 0)
        printf("%-4s  blocks dropped: %d%s\n", row->id, value->dropped,
               value == &row->here ? "" : " (reference)");
}

void ledger_print_telling(const struct ledger *ledger) {
    const struct ledger_row *rows[TELLING];
    int found = 0;
    for (size_t i = 0; i < TELLING; i++) {
        rows[i] = ledger_find(ledger, telling[i].id);
        if (!rows[i])
            continue;
        if (found++ == 0)
            printf("%-4s  %-23s  %19s  %19s  %s\n", "row", "what tells most",
                   "reference", "this machine", "verdict");
        print_row(rows[i], telling[i].name);
    }
    for (size_t i = 0; i < TELLING; i++)
        if (rows[i])
            print_noise(rows[i]);
    if (found)
        putchar('\n');
    ledger_print_summary(ledger, NULL);
    putchar('\n');
}
