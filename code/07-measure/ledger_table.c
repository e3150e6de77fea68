/* The table: columns of fixed width, the claims broken at words. */
#include <stdio.h>
#include <string.h>

#include "07-measure/ledger_show.h"

enum { COLUMNS = 6, SAYS = 1 };
static const int widths[COLUMNS] = {4, 41, 8,
                                    9, 12, 17}; /* 100 with the gaps between */

int ledger_columns(const char *text, size_t bytes) {
    int columns = 0;
    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

size_t ledger_line(const char *text, int width) {
    size_t best = strcspn(text, " ");
    for (size_t end = best; ledger_columns(text, end) <= width;) {
        best = end;
        if (!text[end])
            break;
        end += 1 + strcspn(text + end + 1, " ");
    }
    return best;
}

static void print_cells(const char *const cells[COLUMNS]) {
    const char *says = cells[SAYS];
    size_t bytes = ledger_line(says, widths[SAYS]);
    for (int i = 0; i < COLUMNS - 1; i++) {
        const char *cell = cells[i];
        size_t size = i == SAYS ? bytes : strlen(cell);
        int space = widths[i] - ledger_columns(cell, size);
        if (i > SAYS) /* numbers stand right */
            printf("%*s%s  ", space, "", cell);
        else
            printf("%.*s%*s  ", (int)size, cell, space, "");
    }
    puts(cells[COLUMNS - 1]);
    while (*(says += bytes)) { /* what of it is left, under it */
        says += strspn(says, " ");
        bytes = ledger_line(says, widths[SAYS]);
        printf("%*s%.*s\n", widths[0] + 2, "", (int)bytes, says);
    }
}

static void print_rule(void) {
    for (int i = 0; i < COLUMNS; i++) {
        for (int k = 0; k < widths[i]; k++)
            fputs("─", stdout);
        fputs(i < COLUMNS - 1 ? "  " : "\n", stdout);
    }
}

static void print_row(const struct ledger_row *row) {
    char note[32] = "–", reference[32] = "–", here[32] = "–";
    if (row->has_note)
        ledger_number(row->note, row->unit, note, sizeof note);
    if (row->reference.present)
        ledger_number(row->reference.value, row->unit, reference, sizeof reference);
    if (row->here.present)
        ledger_number(row->here.value, row->unit, here, sizeof here);
    const char *cells[COLUMNS] = {
        row->id, row->says, note, reference, here, verdict_name(row->here.verdict)};
    print_cells(cells);
}

bool ledger_is_of(const struct ledger_row *row, const char *room) {
    return !room || !strncmp(row->room, room, strlen(room));
}

static void print_rows(const struct ledger *ledger, const char *room) {
    static const char *const head[COLUMNS] = {"row",          "the note says, or we do",
                                              "note",         "reference",
                                              "this machine", "verdict"};
    print_cells(head);
    print_rule();
    for (size_t i = 0; i < ledger_count(ledger); i++)
        if (ledger_is_of(ledger_row(ledger, i), room))
            print_row(ledger_row(ledger, i));
}

void ledger_print_summary(const struct ledger *ledger, const char *room) {
    int verdicts[NOT_JUDGED + 1] = {0}, rows = 0;
    for (size_t i = 0; i < ledger_count(ledger); i++) {
        const struct ledger_row *row = ledger_row(ledger, i);
        if (!ledger_is_of(row, room))
            continue;
        rows++;
        verdicts[row->here.verdict]++;
    }
    int reproduced = verdicts[REPRODUCED], unknown = verdicts[NOT_MEASURED];
    int shown = verdicts[NOT_JUDGED];
    printf("%d %s: %d reproduced, %d not reproduced, %d not measured here", rows,
           rows == 1 ? "row" : "rows", reproduced, rows - reproduced - unknown - shown,
           unknown);
    if (shown)
        printf(", %d not judged", shown);
    putchar('\n');
    if (rows > reproduced + unknown + shown)
        puts("A row that isn't reproduced is a finding about the claim, not a fault "
             "here; "
             "its chapter says why.");
}

static void print_reasons(const struct ledger *ledger, const char *room) {
    for (size_t i = 0; i < ledger_count(ledger); i++) {
        const struct ledger_row *row = ledger_row(ledger, i);
        if (!ledger_is_of(row, room) || row->here.present)
            continue;
        if (*row->here.why)
            printf("%s wasn't measured here: %s\n", row->id, row->here.why);
        else
            printf("%s wasn't measured here: `make exp-%.2s` does%s%s\n", row->id,
                   row->room, *row->needs ? "; it needs " : "", row->needs);
    }
}

static void print_machines(const struct ledger *ledger, const char *room) {
    const char *last = "";
    for (size_t i = 0; i < ledger_count(ledger); i++) {
        const struct ledger_row *row = ledger_row(ledger, i);
        const char *record = row->reference.record;
        if (!ledger_is_of(row, room) || !*record || !strcmp(record, last))
            continue;
        printf("reference: %s: %s\n", record, ledger_machine(ledger, record));
        last = record;
    }
    if (*ledger_machine(ledger, ""))
        printf("this machine: %s\n", ledger_machine(ledger, ""));
}

void ledger_print_table(const struct ledger *ledger, const char *room) {
    print_rows(ledger, room);
    putchar('\n');
    if (room)
        ledger_print_summary(ledger, room);
    print_reasons(ledger, room);
    print_machines(ledger, room);
}
