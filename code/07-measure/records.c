/* Reads the records: what was measured, where, by which command. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "07-measure/inside.h"

enum { BLOCKS_MOST = 1000000 };

struct record {
    const char *path, *name, *room, *date, *command, *commit;
    json_t *measures;
};

static bool read_machine(struct ledger *ledger, const struct record *record,
                         json_t *object) {
    const char *cpu, *kernel, *hypervisor, *clocksource, *compiler, *flags;
    int cores;
    json_error_t error;
    if (json_unpack_ex(
            object, &error, JSON_STRICT, "{s:s, s:i, s:s, s:s, s:s, s:s, s:s}", "cpu",
            &cpu, "cores", &cores, "kernel", &kernel, "hypervisor", &hypervisor,
            "clocksource", &clocksource, "compiler", &compiler, "flags", &flags) != 0)
        return ledger_fail(ledger, "%s: machine: %s", record->path, error.text);
    if (*ledger_machine(ledger, record->name))
        return true;
    char text[512];
    snprintf(text, sizeof text, "%s, %d %s (%s), %s, %s", cpu, cores,
             cores == 1 ? "core" : "cores", hypervisor, kernel, compiler);
    size_t bytes = (ledger->machine_count + 1) * sizeof *ledger->machines;
    ledger->machines = ledger_need(realloc(ledger->machines, bytes));
    ledger->machines[ledger->machine_count++] =
        (struct machine){record->name, ledger_keep(ledger, text)};
    return true;
}

/* What isn't given stays as it is. */
static bool take_count(json_t *json, int *count) {
    json_int_t value = json_integer_value(json);
    if (!json)
        return true;
    *count = (int)value;
    return json_is_integer(json) && value >= 0 && value <= BLOCKS_MOST;
}

static bool take_floor(json_t *json, double *floor) {
    if (!json)
        return true;
    *floor = json_number_value(json);
    return json_is_number(json) && *floor >= 0;
}

static bool fill_numbers(struct ledger *ledger, const struct record *record,
                         const struct ledger_row *row, json_t *measure,
                         struct ledger_value *value) {
    const char *unit;
    json_t *number, *raw = NULL, *low = NULL, *high = NULL, *blocks = NULL;
    json_t *dropped = NULL, *floor = NULL;
    json_error_t error;
    if (json_unpack_ex(measure, &error, JSON_STRICT,
                       "{s:o, s:s, s?o, s?o, s?o, s?s, s?F, s?o, s?o, s?o}", "value",
                       &number, "unit", &unit, "raw", &raw, "low", &low, "high", &high,
                       "why", &value->why, "coverage", &value->coverage, "blocks",
                       &blocks, "dropped", &dropped, "floor", &floor) != 0)
        return ledger_fail(ledger, "%s: measure %s: %s", record->path, row->measure,
                           error.text);
    if (strcmp(unit, row->unit) != 0)
        return ledger_fail(ledger, "%s: measure %s is in \"%s\", row %s in \"%s\"",
                           record->path, row->measure, unit, row->id, row->unit);
    if (!take_count(blocks, &value->blocks) || !take_count(dropped, &value->dropped) ||
        !take_floor(floor, &value->floor))
        return ledger_fail(ledger,
                           "%s: measure %s: \"blocks\" and \"dropped\" are whole "
                           "numbers from 0 to %d, \"floor\" is a number from 0",
                           record->path, row->measure, BLOCKS_MOST);
    if (json_is_null(number) && *value->why)
        return true; /* it couldn't be measured there */
    if (!json_is_number(number) || !isfinite(json_number_value(number)))
        return ledger_fail(ledger,
                           "%s: measure %s: \"value\" is a number, or null with a "
                           "\"why\"",
                           record->path, row->measure);
    value->present = true;
    value->value = value->low = value->high = json_number_value(number);
    if (low || high) {
        value->has_interval = true;
        value->low = json_number_value(low);
        value->high = json_number_value(high);
        if (!json_is_number(low) || !json_is_number(high) ||
            value->low > value->value || value->high < value->value)
            return ledger_fail(ledger,
                               "%s: measure %s: the interval \"low\" to \"high\" "
                               "doesn't hold the value",
                               record->path, row->measure);
    }
    if (value->coverage < 0 || value->coverage > 1)
        return ledger_fail(ledger, "%s: measure %s: \"coverage\" is from 0 to 1",
                           record->path, row->measure);
    if (!strcmp(row->kind, "fact") && value->value != 0 && value->value != 1)
        return ledger_fail(ledger, "%s: measure %s: a fact is 1 or 0", record->path,
                           row->measure);
    return true;
}

/* Was this made on this machine before the row had its measure or its unit? Nobody has to
 * throw away what was measured last week. A record that others cite has to fit. */
static bool is_outdated(const struct record *record, const struct ledger_row *row,
                        json_t *measure) {
    const char *unit = json_string_value(json_object_get(measure, "unit"));
    return !*record->name && (!measure || (unit && strcmp(unit, row->unit) != 0));
}

static bool fill_value(struct ledger *ledger, const struct record *record,
                       struct ledger_row *row) {
    struct ledger_value *value = *record->name ? &row->reference : &row->here;
    *value = (struct ledger_value){.record = record->name,
                                   .date = record->date,
                                   .command = record->command,
                                   .commit = record->commit,
                                   .why = "",
                                   .blocks = -1,
                                   .dropped = -1,
                                   .floor = -1};
    json_t *measure = json_object_get(record->measures, row->measure);
    if (is_outdated(record, row, measure)) {
        char why[96];
        snprintf(why, sizeof why, "its record is older than the row; make exp-%.2s",
                 record->room);
        value->why = ledger_keep(ledger, why);
        return true;
    }
    if (!measure)
        return ledger_fail(ledger,
                           "%s: has no measure %s, which row %s wants; measure anew "
                           "(make exp-%.2s)",
                           record->path, row->measure, row->id, record->room);
    if (!fill_numbers(ledger, record, row, measure, value))
        return false;
    if (value->present)
        value->verdict = rule_verdict(&row->judged_by, value->low, value->high);
    return true;
}

bool ledger_read_record(struct ledger *ledger, const char *path, const char *room,
                        const char *name) {
    struct record record = {.path = path, .name = name};
    json_t *machine, *versions, *runs;
    json_error_t error;
    json_t *root = ledger_load(ledger, path);
    if (!root)
        return false;
    if (json_unpack_ex(root, &error, JSON_STRICT,
                       "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "room", &record.room,
                       "date", &record.date, "command", &record.command, "commit",
                       &record.commit, "machine", &machine, "versions", &versions,
                       "measures", &record.measures, "runs", &runs) != 0)
        return ledger_fail(ledger, "%s: %s", path, error.text);
    if (!json_is_object(record.measures))
        return ledger_fail(ledger, "%s: \"measures\" isn't an object", path);
    if (strcmp(record.room, room) != 0)
        return ledger_fail(ledger, "%s: is of room %s, not of %s", path, record.room,
                           room);
    if (!read_machine(ledger, &record, machine))
        return false;
    for (size_t i = 0; i < ledger->count; i++)
        if (!strcmp(ledger->rows[i].room, room) &&
            !fill_value(ledger, &record, &ledger->rows[i]))
            return false;
    return true;
}
