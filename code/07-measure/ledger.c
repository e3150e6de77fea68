#include "07-measure/ledger.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/error.h"
#include "07-measure/inside.h"

enum { PATH_ROOM = 4096 };

bool ledger_fail(struct ledger *ledger, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ledger->error, ledger->error_room, format, arguments);
    va_end(arguments);
    return false;
}

/* Our files are small; a machine that can't hold them can't measure either. */
void *ledger_need(void *memory) {
    if (!memory)
        die("there is no memory left");
    return memory;
}

/* A text that was cut for want of room may end in half a character, which is left out. */
const char *ledger_keep(struct ledger *ledger, const char *text) {
    size_t length = strlen(text);
    json_t *copy;
    while (!(copy = json_stringn(text, length)) && length > 0)
        length--;
    json_array_append_new(ledger->kept, ledger_need(copy));
    return json_string_value(copy);
}

json_t *ledger_load(struct ledger *ledger, const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (root)
        json_array_append_new(ledger->kept, root);
    else if (error.line > 0)
        ledger_fail(ledger, "%s:%d: %s", path, error.line, error.text);
    else
        ledger_fail(ledger, "%s: %s", path, error.text);
    return root;
}

static int is_room(const struct dirent *entry) {
    const unsigned char *name = (const unsigned char *)entry->d_name;
    return isdigit(name[0]) && isdigit(name[1]) && name[2] == '-';
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void free_names(struct dirent **names, int count) {
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* The newest record that has a file of `room`, if any has. */
static bool read_reference(struct ledger *ledger, const char *experiments,
                           const char *room) {
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/results/reference", experiments);
    struct dirent **names;
    int count = scandir(path, &names, is_visible, alphasort);
    if (count < 0)
        return true;
    bool good = true, found = false;
    for (int i = count - 1; i >= 0 && !found; i--) {
        snprintf(path, sizeof path, "%s/results/reference/%s/%s.json", experiments,
                 names[i]->d_name, room);
        if (access(path, F_OK) != 0)
            continue;
        found = true;
        good = ledger_read_record(ledger, path, room,
                                  ledger_keep(ledger, names[i]->d_name));
    }
    free_names(names, count);
    return good;
}

static bool read_room(struct ledger *ledger, const char *experiments, const char *here,
                      const char *room) {
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s/claims.json", experiments, room);
    if (access(path, F_OK) != 0)
        return true;
    if (!ledger_read_claims(ledger, path, room) ||
        !read_reference(ledger, experiments, room))
        return false;
    if (!here)
        return true;
    snprintf(path, sizeof path, "%s/%s.json", here, room);
    return access(path, F_OK) != 0 || ledger_read_record(ledger, path, room, "");
}

struct ledger *ledger_open(const char *experiments, const char *here, char *error,
                           size_t room) {
    struct ledger *ledger = ledger_need(calloc(1, sizeof *ledger));
    ledger->kept = ledger_need(json_array());
    ledger->error = error;
    ledger->error_room = room;
    struct dirent **names;
    int count = scandir(experiments, &names, is_room, alphasort);
    bool good = count >= 0;
    if (!good)
        ledger_fail(ledger, "%s: there is no such folder", experiments);
    for (int i = 0; i < count && good; i++)
        good =
            read_room(ledger, experiments, here, ledger_keep(ledger, names[i]->d_name));
    if (count >= 0)
        free_names(names, count);
    if (good)
        return ledger;
    ledger_close(ledger);
    return NULL;
}

void ledger_close(struct ledger *ledger) {
    if (!ledger)
        return;
    json_decref(ledger->kept);
    free(ledger->machines);
    free(ledger->rows);
    free(ledger);
}

size_t ledger_count(const struct ledger *ledger) {
    return ledger->count;
}

const struct ledger_row *ledger_row(const struct ledger *ledger, size_t index) {
    return &ledger->rows[index];
}

const struct ledger_row *ledger_find(const struct ledger *ledger, const char *id) {
    for (size_t i = 0; i < ledger->count; i++)
        if (!strcmp(ledger->rows[i].id, id))
            return &ledger->rows[i];
    return NULL;
}

const char *ledger_machine(const struct ledger *ledger, const char *record) {
    for (size_t i = 0; i < ledger->machine_count; i++)
        if (!strcmp(ledger->machines[i].record, record))
            return ledger->machines[i].text;
    return "";
}

static void group_thousands(const char *digits, char *text, size_t room) {
    size_t length = strlen(digits), at = 0;
    for (size_t i = 0; i < length && at + 2 < room; i++) {
        if (i && digits[i - 1] != '-' && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

void ledger_number(double value, const char *unit, char *text, size_t room) {
    static const char *const beside[] = {"s", "ms", "µs", "%"};
    char digits[64], grouped[88];
    if (!strcmp(unit, "s") && value != 0 && fabs(value) < 0.1) {
        ledger_number(value * 1000, "ms", text, room);
        return;
    }
    double size = fabs(value);
    if (!strcmp(unit, "fact")) {
        snprintf(text, room, "%s", value == 0 ? "no" : "yes");
        return;
    }
    bool huge = size >= 1e15;
    bool whole = !huge && value == (double)(long long)value;
    if (huge)
        snprintf(digits, sizeof digits, "%.4g", value);
    else
        snprintf(digits, sizeof digits, "%.*f",
                 whole || size >= 100 ? 0
                 : size >= 10         ? 1
                 : size >= 1          ? 2
                 : size >= 0.1        ? 3
                                      : 4,
                 value);
    if (huge || strchr(digits, '.'))
        snprintf(grouped, sizeof grouped, "%s", digits);
    else
        group_thousands(digits, grouped, sizeof grouped);
    const char *shown = "";
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        if (!strcmp(unit, beside[i]))
            shown = beside[i];
    snprintf(text, room, "%s%s%s", grouped, *shown ? " " : "", shown);
}
