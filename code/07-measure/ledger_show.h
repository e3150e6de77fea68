/* The ledger for people and for programs: what build/ledger prints on standard output. */
#ifndef MEASURE_LEDGER_SHOW_H
#define MEASURE_LEDGER_SHOW_H

#include "07-measure/ledger.h"

/* Does `row` belong to what was asked for? `room` begins with two digits; NULL: all. */
bool ledger_is_of(const struct ledger_row *row, const char *room);

/* The few rows that tell most, the A/A floor, the blocks dropped, and how many rows
 * were not reproduced. A row that doesn't exist is left out. */
void ledger_print_telling(const struct ledger *ledger);

/* "27 rows: 20 reproduced, 4 not reproduced, ..." on this machine. */
void ledger_print_summary(const struct ledger *ledger, const char *room);

/* The table of the room's rows, why values are missing, and the machines. */
void ledger_print_table(const struct ledger *ledger, const char *room);

/* One row with its rule, and how it is cited. */
void ledger_print_row(const struct ledger *ledger, const struct ledger_row *row);

/* {"rows": [...]}: those of `room`, or only `row` if it isn't NULL. */
void ledger_print_json(const struct ledger *ledger, const char *room,
                       const struct ledger_row *row);

/* The value with its unit, as in a sentence: "1.99 wakes/request", "1.50 s". */
void ledger_amount(double value, const char *unit, char *text, size_t room);

/* The words by which the value is cited; "" if there is none. */
void ledger_citation(const struct ledger_row *row, const struct ledger_value *value,
                     char *text, size_t room);

/* The bytes of `text` that go on a line of `width` columns: whole words, but at least
 * one. */
size_t ledger_line(const char *text, int width);

/* How many columns the first `bytes` of UTF-8 take, none of our texts being wide. */
int ledger_columns(const char *text, size_t bytes);

#endif
