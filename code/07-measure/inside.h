/* What the ledger's own files share; nobody else includes this. */
#ifndef MEASURE_INSIDE_H
#define MEASURE_INSIDE_H

#include <jansson.h>

#include "07-measure/ledger.h"

struct machine {
    const char *record, *text;
};

struct ledger {
    struct ledger_row *rows;
    size_t count;
    struct machine *machines;
    size_t machine_count;
    json_t *kept; /* an array: every file that was read and every text that was made */
    char *error;  /* the caller's, while ledger_open() runs */
    size_t error_room;
};

/* Writes the error; always false. */
bool ledger_fail(struct ledger *ledger, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* `memory`, or the end of the program if it is NULL. */
void *ledger_need(void *memory);

/* A copy that lives as long as the ledger. */
const char *ledger_keep(struct ledger *ledger, const char *text);

/* A file's JSON, which lives as long as the ledger. NULL after ledger_fail(). */
json_t *ledger_load(struct ledger *ledger, const char *path);

/* Adds the rows of `room`'s claims. False after ledger_fail(). */
bool ledger_read_claims(struct ledger *ledger, const char *path, const char *room);

/* Fills in what the record at `path` says of the rows of `room`; `record` is "" for
 * this machine. False after ledger_fail(). */
bool ledger_read_record(struct ledger *ledger, const char *path, const char *room,
                        const char *record);

#endif
