/* One row by itself, and the words by which a design review cites it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "07-measure/ledger_show.h"

enum { WIDTH = 100, LABEL = 14 };

void ledger_amount(double value, const char *unit, char *text, size_t room) {
    static const char *const shown[] = {"s", "ms", "µs", "%", "fact"};
    char number[32];
    ledger_number(value, unit, number, sizeof number);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (!strcmp(unit, shown[i]))
            unit = "";
    snprintf(text, room, "%s%s%s", number, *unit ? " " : "", unit);
}

/* Adds to `text`, which is cut if its room is used up. */
static void add(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(char *text, size_t room, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, room - length, format, arguments);
    va_end(arguments);
}

/* " (95 % 1.04 to 1.12, 8 blocks, 1 dropped, A/A ±1.2 %)" of what the record gives. An
 * interval without a stated coverage is called no more than an interval. */
static void add_noise(char *text, size_t room, const struct ledger_row *row,
                      const struct ledger_value *value) {
    char parts[256] = "", low[32], high[32];
    if (value->has_interval) {
        ledger_number(value->low, row->unit, low, sizeof low);
        ledger_number(value->high, row->unit, high, sizeof high);
        if (value->coverage > 0)
            add(parts, sizeof parts, ", %.3g %% %s to %s", value->coverage * 100, low,
                high);
        else
            add(parts, sizeof parts, ", interval %s to %s", low, high);
    }
    if (value->blocks >= 0)
        add(parts, sizeof parts, ", %d blocks", value->blocks);
    if (value->dropped >= 0)
        add(parts, sizeof parts, ", %d dropped", value->dropped);
    if (value->floor >= 0) {
        ledger_number(value->floor, "%", low, sizeof low);
        add(parts, sizeof parts, ", A/A ±%s", low);
    }
    if (*parts)
        add(text, room, " (%s)", parts + strlen(", "));
}

void ledger_citation(const struct ledger_row *row, const struct ledger_value *value,
                     char *text, size_t room) {
    *text = '\0';
    if (!value->present)
        return;
    char amount[80];
    ledger_amount(value->value, row->unit, amount, sizeof amount);
    add(text, room, "%s: %s", row->says, amount);
    add_noise(text, room, row, value);
    add(text, room, ". The Loop Inversion, row %s, record ", row->id);
    if (*value->record)
        add(text, room, "%s", value->record);
    else
        add(text, room, "of this machine, %.10s", value->date);
    add(text, room, ", commit %s; rule fixed beforehand; %s ROW=%s.", value->commit,
        value->command, row->id);
}

/* A label, and its text beside it in lines of whole words. */
static void print_labelled(const char *label, const char *text) {
    do {
        size_t bytes = ledger_line(text, WIDTH - LABEL);
        printf("%-*s%.*s\n", LABEL, label, (int)bytes, text);
        text += bytes;
        text += strspn(text, " ");
        label = "";
    } while (*text);
}

static void print_value(const char *label, const struct ledger_row *row,
                        const struct ledger_value *value, const char *machine) {
    char text[1024] = "", amount[80];
    if (value->present) {
        ledger_amount(value->value, row->unit, amount, sizeof amount);
        add(text, sizeof text, "%s", amount);
        add_noise(text, sizeof text, row, value);
        add(text, sizeof text, ", %s; %s", verdict_name(value->verdict), machine);
    } else if (*value->why) {
        add(text, sizeof text, "not measured: %s", value->why);
    } else {
        add(text, sizeof text, "not measured: `make exp-%.2s ROW=%s` does%s%s",
            row->room, row->id, *row->needs ? "; it needs " : "", row->needs);
    }
    print_labelled(label, text);
}

void ledger_print_row(const struct ledger *ledger, const struct ledger_row *row) {
    char text[2048] = "–";
    print_labelled(row->id, row->says);
    if (row->has_note)
        ledger_amount(row->note, row->unit, text, sizeof text);
    print_labelled("the note",
                   row->ours ? "says nothing of it; the row is ours" : text);
    print_value("reference", row, &row->reference,
                ledger_machine(ledger, row->reference.record));
    print_value("this machine", row, &row->here, ledger_machine(ledger, ""));
    print_labelled("rule", row->rule);
    print_labelled("how", row->how);
    ledger_citation(row, &row->reference, text, sizeof text);
    if (*text)
        printf("\nTo cite the reference:\n%s\n", text);
    ledger_citation(row, &row->here, text, sizeof text);
    if (*text)
        printf("\nTo cite this machine:\n%s\n", text);
}
