/* The table of claims: what the note says, the reference record, this machine, and what
 * the rule that was written beforehand makes of it. */
#ifndef MEASURE_LEDGER_H
#define MEASURE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "07-measure/rule.h"

struct ledger_value {
    bool present;      /* false: not measured; all numbers below are 0 then */
    double value;      /* in the row's unit; a fact is 1 or 0 */
    bool has_interval; /* the record gives an interval, from low to high */
    double low, high;  /* */
    double coverage;   /* how sure the interval is, 0.95 say; 0: the record says not */
    int blocks, dropped;  /* kept and dropped; -1: it says not */
    double floor;         /* what A/A differed by, in %; -1: it says not */
    enum verdict verdict; /* of the row's rule */
    const char
        *record;      /* its folder's name; "" for this machine, or if there is none */
    const char *date; /* of the measurement, in ISO 8601, or "" */
    const char *command; /* what was typed to measure it, or "" */
    const char *commit;  /* of the tree that was measured, or "" */
    const char *why;     /* why the record has no value, or "" */
};

struct ledger_row {
    const char *id, *room; /* "W2", "06-pump" */
    const char *says;      /* the claim in our words, one line */
    bool ours;             /* a row of our own: the note says nothing of it */
    const char *unit;      /* "wakes/request", "s", "fact" ... */
    const char *kind;      /* fact, count, duration, ratio or context */
    const char *how;       /* how it is measured here */
    const char *needs;     /* what a machine must have for it, or "" */
    const char *measure;   /* the value's name in a record */
    bool has_note;         /* the note gives a figure */
    double note;           /* */
    struct rule judged_by; /* the rule as numbers */
    const char *rule;      /* and as words, made from the numbers */
    struct ledger_value reference, here;
};

struct ledger;

/* Reads the rows of every `experiments`/NN-name/claims.json, in the order of the rooms
 * and then of the file. A row's reference is the newest record, by name, among
 * `experiments`/results/reference/RECORD/ that has the room's NN-name.json; its value
 * here is that of `here`/NN-name.json. `here` may be NULL, and any of these files but
 * the claims may be missing. What is there must be right: a wrong file returns NULL
 * with "file:line: what" or "file: what" in `error`, which has `room` bytes. Only `here`
 * may be older than the rows: one without its measure or in another unit has a `why`. */
struct ledger *ledger_open(const char *experiments, const char *here, char *error,
                           size_t room);

/* Frees it and everything it handed out. NULL is fine. */
void ledger_close(struct ledger *ledger);

size_t ledger_count(const struct ledger *ledger);

/* Row `index`, which is below ledger_count(). Valid until ledger_close(). */
const struct ledger_row *ledger_row(const struct ledger *ledger, size_t index);

/* The row called `id`, or NULL. */
const struct ledger_row *ledger_find(const struct ledger *ledger, const char *id);

/* The machine of a record ("" for this one): "CPU, cores, kernel, compiler", or "" if
 * there is no such record. Valid until ledger_close(). */
const char *ledger_machine(const struct ledger *ledger, const char *record);

/* How a value is written everywhere: "1.99", "100,000", "1.50 s"; "yes" and "no" for a
 * fact. 32 bytes hold any. */
void ledger_number(double value, const char *unit, char *text, size_t room);

#endif
