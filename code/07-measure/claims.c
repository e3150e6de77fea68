/* Reads the rows: a claims.json is an array of objects, and every key is known. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "07-measure/inside.h"

/* "from" and "to" belong to the range, "above" and "below" don't. */
static bool read_range(json_t *object, struct range *range) {
    double from = NAN, to = NAN, above = NAN, below = NAN;
    if (json_unpack_ex(object, NULL, JSON_STRICT, "{s?F, s?F, s?F, s?F}", "from", &from,
                       "to", &to, "above", &above, "below", &below) != 0)
        return false;
    if ((!isnan(from) && !isnan(above)) || (!isnan(to) && !isnan(below)))
        return false;
    range->low_itself = !isnan(from);
    range->high_itself = !isnan(to);
    range->low = !isnan(from) ? from : !isnan(above) ? above : -INFINITY;
    range->high = !isnan(to) ? to : !isnan(below) ? below : INFINITY;
    bool bounded = isfinite(range->low) || isfinite(range->high);
    bool one = range->low == range->high && range->low_itself && range->high_itself;
    return bounded && (one || range->low < range->high);
}

static bool read_rule(struct ledger *ledger, const char *path, struct ledger_row *row,
                      json_t *reproduced, json_t *same) {
    static const char *const shape =
        "is not like {\"from\": 1.9, \"to\": 2} or {\"above\": 0.5}";
    struct rule *rule = &row->judged_by;
    rule->judges = reproduced || same;
    rule->never_more = same && !reproduced; /* as a stand-in for what the note ran */
    rule->has_same_direction = same != NULL;
    bool context = !strcmp(row->kind, "context");
    if (context && (reproduced || same))
        return ledger_fail(ledger, "%s: row %s: context has no rule", path, row->id);
    if (!context && !rule->judges)
        return ledger_fail(ledger, "%s: row %s: has no rule: write \"reproduced\"",
                           path, row->id);
    if (reproduced && !read_range(reproduced, &rule->reproduced))
        return ledger_fail(ledger, "%s: row %s: \"reproduced\" %s", path, row->id,
                           shape);
    if (same && !read_range(same, &rule->same_direction))
        return ledger_fail(ledger, "%s: row %s: \"same_direction\" %s", path, row->id,
                           shape);
    if (same && reproduced && !range_within(&rule->reproduced, &rule->same_direction))
        return ledger_fail(ledger,
                           "%s: row %s: \"same_direction\" doesn't hold all of "
                           "\"reproduced\"",
                           path, row->id);
    char words[512];
    rule_words(rule, row->unit, words, sizeof words);
    row->rule = ledger_keep(ledger, words);
    return true;
}

static bool is_kind(const char *kind) {
    static const char *const kinds[] = {"fact", "count", "duration", "ratio",
                                        "context"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kind, kinds[i]))
            return true;
    return false;
}

/* "W2", "K1c.2": what begins with a digit would be a room's number. */
static bool is_id(const char *id) {
    if (!isalpha((unsigned char)*id))
        return false;
    while (isalnum((unsigned char)*id) || *id == '.')
        id++;
    return *id == '\0';
}

static bool read_row(struct ledger *ledger, const char *path, const char *room,
                     json_t *object) {
    struct ledger_row row = {.room = room, .needs = ""};
    row.reference = row.here = (struct ledger_value){.record = "",
                                                     .date = "",
                                                     .command = "",
                                                     .commit = "",
                                                     .why = "",
                                                     .blocks = -1,
                                                     .dropped = -1,
                                                     .floor = -1};
    json_t *note, *needs, *reproduced = NULL, *same = NULL;
    int ours = 0;
    json_error_t error;
    json_unpack(object, "{s:s}", "id", &row.id);
    if (json_unpack_ex(object, &error, JSON_STRICT,
                       "{s:s, s:s, s?b, s:o, s:s, s:s, s:s, s:o, s:s, s?o, s?o}", "id",
                       &row.id, "says", &row.says, "ours", &ours, "note", &note, "unit",
                       &row.unit, "kind", &row.kind, "how", &row.how, "needs", &needs,
                       "measure", &row.measure, "reproduced", &reproduced,
                       "same_direction", &same) != 0)
        return ledger_fail(ledger, "%s: row %s: %s", path,
                           row.id ? row.id : "without an id", error.text);
    if (!is_id(row.id))
        return ledger_fail(ledger, "%s: row '%s': an id is like W2 or K1c.2", path,
                           row.id);
    row.ours = ours != 0;
    row.has_note = json_is_number(note);
    row.note = json_number_value(note);
    if (!row.has_note && !json_is_null(note))
        return ledger_fail(ledger, "%s: row %s: \"note\" is a number or null", path,
                           row.id);
    if (!json_is_string(needs) && !json_is_null(needs))
        return ledger_fail(ledger, "%s: row %s: \"needs\" is words or null", path,
                           row.id);
    if (json_is_string(needs))
        row.needs = json_string_value(needs);
    if (!is_kind(row.kind))
        return ledger_fail(
            ledger,
            "%s: row %s: \"kind\" is fact, count, duration, ratio or context, "
            "not \"%s\"",
            path, row.id, row.kind);
    if (ledger_find(ledger, row.id))
        return ledger_fail(
            ledger, "%s: row %s: the id is taken by %s; ids are never used again", path,
            row.id, ledger_find(ledger, row.id)->room);
    if (!read_rule(ledger, path, &row, reproduced, same))
        return false;
    ledger->rows =
        ledger_need(realloc(ledger->rows, (ledger->count + 1) * sizeof *ledger->rows));
    ledger->rows[ledger->count++] = row;
    return true;
}

bool ledger_read_claims(struct ledger *ledger, const char *path, const char *room) {
    json_t *rows = ledger_load(ledger, path), *row;
    if (!rows)
        return false;
    if (!json_is_array(rows))
        return ledger_fail(ledger, "%s: is not an array of rows", path);
    size_t i;
    json_array_foreach(rows, i, row) {
        if (!read_row(ledger, path, room, row))
            return false;
    }
    return true;
}
