/* The rows as JSON, for whoever wants to compute with them. */
#include <jansson.h>
#include <stdio.h>

#include "00-ground/error.h"
#include "07-measure/ledger_show.h"

static void set(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0)
        die("there is no memory left");
}

/* What the record doesn't give is left out; a value that wasn't measured is null. */
static json_t *json_of_value(const struct ledger *ledger,
                             const struct ledger_value *value) {
    json_t *object = json_object();
    set(object, "value", value->present ? json_real(value->value) : json_null());
    if (value->has_interval) {
        set(object, "low", json_real(value->low));
        set(object, "high", json_real(value->high));
    }
    if (value->coverage > 0)
        set(object, "coverage", json_real(value->coverage));
    if (value->blocks >= 0)
        set(object, "blocks", json_integer(value->blocks));
    if (value->dropped >= 0)
        set(object, "dropped", json_integer(value->dropped));
    if (value->floor >= 0)
        set(object, "floor_percent", json_real(value->floor));
    set(object, "verdict", json_string(verdict_name(value->verdict)));
    if (*value->why)
        set(object, "why", json_string(value->why));
    if (!*value->date) /* there is no record */
        return object;
    if (*value->record)
        set(object, "record", json_string(value->record));
    set(object, "date", json_string(value->date));
    set(object, "machine", json_string(ledger_machine(ledger, value->record)));
    set(object, "command", json_string(value->command));
    set(object, "commit", json_string(value->commit));
    return object;
}

static json_t *json_of_row(const struct ledger *ledger, const struct ledger_row *row) {
    json_t *object = json_object();
    set(object, "id", json_string(row->id));
    set(object, "room", json_string(row->room));
    set(object, "says", json_string(row->says));
    set(object, "ours", json_boolean(row->ours));
    set(object, "note", row->has_note ? json_real(row->note) : json_null());
    set(object, "unit", json_string(row->unit));
    set(object, "kind", json_string(row->kind));
    set(object, "how", json_string(row->how));
    set(object, "needs", *row->needs ? json_string(row->needs) : json_null());
    set(object, "rule", json_string(row->rule));
    set(object, "reference", json_of_value(ledger, &row->reference));
    set(object, "here", json_of_value(ledger, &row->here));
    return object;
}

void ledger_print_json(const struct ledger *ledger, const char *room,
                       const struct ledger_row *row) {
    json_t *rows = json_array();
    for (size_t i = 0; i < ledger_count(ledger); i++) {
        const struct ledger_row *one = ledger_row(ledger, i);
        if (row ? one != row : !ledger_is_of(one, room))
            continue;
        if (json_array_append_new(rows, json_of_row(ledger, one)) != 0)
            die("there is no memory left");
    }
    json_t *all = json_object();
    set(all, "rows", rows);
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
    putchar('\n');
    json_decref(all);
}
