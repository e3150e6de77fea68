/* Prints the ledger: every claim beside the reference record and this machine.
 *   build/ledger           what tells most, and all rows
 *   build/ledger 06        the rows of one room
 *   build/ledger W2        one row, and how it is cited
 *   build/ledger --json    the same for programs */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "00-ground/error.h"
#include "00-ground/options.h"
#include "07-measure/ledger_show.h"

static const char *experiments = "experiments", *here = "build/results";
static bool json;

static const struct option_row options[] = {
    {"--experiments", OPTION_TEXT, &experiments, 0, 0,
     "the folder of the claims and of the reference record"},
    {"--here", OPTION_TEXT, &here, 0, 0, "the folder of this machine's records"},
    {"--json", OPTION_FLAG, &json, 0, 0, "print JSON, with intervals and commits"},
};

/* The last word, unless it is an option or an option's value. */
static const char *last_word(int argc, char **argv) {
    const char *last = argv[argc - 1], *before = argc > 2 ? argv[argc - 2] : "";
    if (argc < 2 || *last == '-' || !strcmp(before, "--experiments") ||
        !strcmp(before, "--here"))
        return NULL;
    return last;
}

static bool has_room(const struct ledger *ledger, const char *room) {
    for (size_t i = 0; i < ledger_count(ledger); i++)
        if (ledger_is_of(ledger_row(ledger, i), room))
            return true;
    return false;
}

static void print(const struct ledger *ledger, const char *asked) {
    const struct ledger_row *row = NULL;
    const char *room = NULL;
    if (asked && isdigit((unsigned char)*asked))
        room = asked;
    else if (asked && !(row = ledger_find(ledger, asked)))
        die_of_usage("there is no row %s; without a last word all are listed", asked);
    if (!row && !has_room(ledger, room))
        die_of_usage("no room %s has claims; without a number all are listed",
                     room ? room : "at all");
    if (json) {
        ledger_print_json(ledger, room, row);
    } else if (row) {
        ledger_print_row(ledger, row);
    } else {
        if (!room)
            ledger_print_telling(ledger);
        ledger_print_table(ledger, room);
    }
}

int main(int argc, char **argv) {
    const char *asked = last_word(argc, argv);
    options_read(asked ? argc - 1 : argc, argv,
                 "Prints the claims beside what was measured. The last word may be a "
                 "room's number or a row's id: only that.",
                 options, sizeof options / sizeof *options);
    char error[1024];
    struct ledger *ledger = ledger_open(experiments, here, error, sizeof error);
    if (!ledger)
        die("%s", error);
    print(ledger, asked);
    ledger_close(ledger);
    output_flushed();
    return 0;
}
