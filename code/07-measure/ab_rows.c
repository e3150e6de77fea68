#include "07-measure/ab_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "00-ground/error.h"
#include "07-measure/ab_json.h"
#include "07-measure/ab_plan.h"

static int rows = -1;
static const char *name;

/* A line is written whole or, if the disk is full, is the last one. */
static void append(json_t *json) {
    char *line = json_dumps(json, AB_ROW);
    json_decref(json);
    size_t length = line ? strlen(line) : 0;
    if (!line)
        die("out of memory");
    line[length] = '\n'; /* where its NUL was */
    if (rows >= 0 && write(rows, line, length + 1) != (ssize_t)length + 1)
        die("can't write %s: %s", name, strerror(errno));
    free(line);
}

/* The key by which the file's settings differ from ours, or NULL. */
static const char *other_setting(json_t *theirs, json_t *ours) {
    const char *key;
    json_t *value;
    json_object_foreach(ours, key, value) {
        if (!json_equal(value, json_object_get(theirs, key)))
            return key;
    }
    return NULL;
}

static void check_settings(json_t *line, const struct ab_settings *settings) {
    json_t *theirs = json_object_get(line, "settings");
    if (!json_is_object(theirs))
        die_of_usage("%s doesn't hold the rows of ab; name another --record", name);
    json_t *ours = ab_json_settings(settings);
    const char *key = other_setting(theirs, ours);
    if (key && !strcmp(key, "programs"))
        die_of_usage("%s was begun with programs that have been built anew since; "
                     "remove it, or name another --record",
                     name);
    if (key)
        die_of_usage("%s was begun with another '%s'; remove it, or name another "
                     "--record",
                     name, key);
    json_decref(ours);
}

static struct ab_block *last(struct ab_blocks *blocks) {
    return &blocks->list[blocks->count - 1];
}

static bool is_number(json_t *line, const char *key, int number) {
    json_t *value = json_object_get(line, key);
    return json_is_integer(value) && json_integer_value(value) == number;
}

/* One line after the first, which has to be the next of this plan. `open`: the last block
 * hasn't ended yet. */
static bool take(json_t *line, const struct ab_settings *settings,
                 struct ab_blocks *blocks, bool *open) {
    struct ab_run run;
    bool is_run = ab_read_run(settings, line, &run);
    if (!*open) {
        if (blocks->count == AB_BLOCKS)
            return false;
        blocks->list[blocks->count++] = (struct ab_block){.run_count = 0};
    }
    *open = is_run;
    struct ab_block *block = last(blocks);
    int arms = settings->arm_count, turn = block->run_count;
    if (!is_number(line, "block", blocks->count))
        return false;
    if (!is_run)
        return ab_read_block(line, block) && (!block->kept || turn == ab_turns(arms));
    if (turn == ab_turns(arms) || run.arm != ab_turn(arms, turn) ||
        !is_number(line, "turn", turn))
        return false;
    block->runs[block->run_count++] = run;
    return true;
}

/* Reads what is there, and cuts off a last line that was never finished. Whether a block
 * was cut short, too. */
static bool read_rows(FILE *file, const struct ab_settings *settings,
                      struct ab_blocks *blocks) {
    char *text = NULL;
    size_t room = 0, number = 0;
    bool open = false;
    off_t end = 0;
    ssize_t n;
    while ((n = getline(&text, &room, file)) > 0 && text[n - 1] == '\n') {
        json_t *line = json_loads(text, 0, NULL);
        if (number++ == 0)
            check_settings(line, settings);
        else if (!line || !take(line, settings, blocks, &open))
            die_of_usage("%s:%zu is no row of ab; name another --record", name, number);
        json_decref(line);
        end += n;
    }
    free(text);
    if (number == 0 && n > 0)
        check_settings(NULL, settings); /* it isn't ours, so nothing is cut off */
    if (ftruncate(rows, end) != 0)
        die("can't cut %s: %s", name, strerror(errno));
    if (number == 0)
        append(json_pack("{s:o}", "settings", ab_json_settings(settings)));
    return open;
}

void rows_open(const char *path, const struct ab_settings *settings,
               struct ab_blocks *blocks) {
    name = path;
    if (!path)
        return;
    rows = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    FILE *file = rows >= 0 ? fopen(path, "re") : NULL;
    if (!file)
        die_of_usage("can't open %s: %s", path, strerror(errno));
    if (flock(rows, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        die_of_usage("%s is another ab's that still runs; name another --record", path);
    if (read_rows(file, settings, blocks)) {
        snprintf(last(blocks)->why, AB_WHY, "ab was stopped meanwhile");
        rows_end_block(blocks);
    }
    fclose(file);
}

void rows_add_run(const struct ab_settings *settings, const struct ab_blocks *blocks) {
    const struct ab_block *block = &blocks->list[blocks->count - 1];
    int turn = block->run_count - 1;
    if (rows >= 0)
        append(ab_json_run(settings, blocks->count, turn, &block->runs[turn]));
}

void rows_end_block(const struct ab_blocks *blocks) {
    if (rows >= 0)
        append(ab_json_block(blocks->count, &blocks->list[blocks->count - 1]));
}
