/* Compares server programs in interleaved runs.
 *   build/ab --arm pump=build/06-pump --arm inversion=build/08-inversion
 *   build/ab --arm one=build/06-pump --arm same=build/06-pump      the noise floor */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/options.h"
#include "07-measure/ab_child.h"
#include "07-measure/ab_json.h"
#include "07-measure/ab_parity.h"
#include "07-measure/ab_plan.h"
#include "07-measure/ab_program.h"
#include "07-measure/ab_record.h"
#include "07-measure/ab_rows.h"
#include "07-measure/ab_run.h"

static struct ab_settings settings = {.client = "build/load",
                                      .path = "/",
                                      .place = "free",
                                      .connections = 16,
                                      .warmup_ms = 200,
                                      .ms = 1000,
                                      .blocks = 6,
                                      .tries = 16,
                                      .control_percent = 10,
                                      .steal_percent = 5};
static struct ab_blocks blocks;
static const char *arms_file, *record_file;
static const char *control = "build/04-pass --no-date-header";
static bool as_json;
static struct option_list arm_list;

/* --- The command line ---------------------------------------------------------------- */

static void add_arm(const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        die_of_usage("an arm is NAME=COMMAND, not '%s'", text);
    if (settings.arm_count == AB_ARMS)
        die_of_usage("there can be %d arms at most", AB_ARMS);
    const char *name = strndup(text, (size_t)(equals - text));
    const char *command = strdup(equals + 1);
    if (!name || !command)
        die("out of memory");
    for (int i = 0; i < settings.arm_count; i++)
        if (!strcmp(settings.arms[i].name, name))
            die_of_usage("there are two arms '%s'; the same command may have two names",
                         name);
    if (!strcmp(name, "control"))
        die_of_usage("no arm can be called 'control'; give --control its command");
    settings.arms[settings.arm_count++] = (struct ab_arm){name, command, 0};
}

/* A line each; empty ones and those that begin with # are passed over. */
static void read_arms(const char *path) {
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    if (!file)
        die_of_usage("can't read %s: %s", path, strerror(errno));
    while (getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line && *line != '#')
            add_arm(line);
    }
    free(line);
    fclose(file);
}

static void must_be_command(const char *text, const char *whose) {
    if (!text[strspn(text, " ")])
        die_of_usage("there is no command for %s", whose);
}

static void must_be_utf8(const char *text) {
    json_t *json = json_string(text);
    if (!json)
        die_of_usage("'%s' isn't UTF-8, and a record of it has to be", text);
    json_decref(json);
}

static void read_command_line(int argc, char **argv) {
    const struct option_row rows[] = {
        {"--arm", OPTION_LIST, &arm_list, 0, 0, "NAME=COMMAND, twice or more"},
        {"--arms", OPTION_TEXT, &arms_file, 0, 0, "a file with such lines"},
        {"--control", OPTION_TEXT, &control, 0, 0, "the program beside every block"},
        {"--client", OPTION_TEXT, &settings.client, 0, 0, "the load generator"},
        {"--path", OPTION_TEXT, &settings.path, 0, 0, "what is asked for"},
        {"--place", OPTION_TEXT, &settings.place, 0, 0,
         "free, one-cpu, spare-core, quota=CPUS"},
        {"--connections", OPTION_NUMBER, &settings.connections, 1, 60000,
         "of a client"},
        {"--warmup-ms", OPTION_NUMBER, &settings.warmup_ms, 0, 600000,
         "before each run"},
        {"--ms", OPTION_NUMBER, &settings.ms, 1, 600000, "measured in each run"},
        {"--blocks", OPTION_NUMBER, &settings.blocks, 1, AB_BLOCKS, "to keep"},
        {"--tries", OPTION_NUMBER, &settings.tries, 1, AB_BLOCKS, "to try at most"},
        {"--control-percent", OPTION_NUMBER, &settings.control_percent, 0, 1000,
         "a control that moves more drops its block"},
        {"--steal-percent", OPTION_NUMBER, &settings.steal_percent, 0, 100,
         "so does a hypervisor that takes more"},
        {"--allow-different-answers", OPTION_FLAG, &settings.different_answers, 0, 0,
         "compare what doesn't answer the same"},
        {"--record", OPTION_TEXT, &record_file, 0, 0,
         "write FILE, and FILE.rows meanwhile; go on from there"},
        {"--json", OPTION_FLAG, &as_json, 0, 0, "print the record, not the table"},
    };
    options_read(argc, argv, "Compares server programs in interleaved runs.", rows,
                 sizeof rows / sizeof *rows);
    for (size_t i = 0; i < arm_list.count; i++)
        add_arm(arm_list.texts[i]);
    if (arms_file)
        read_arms(arms_file);
    if (settings.arm_count < 2)
        die_of_usage("it takes two arms; --arm NAME=COMMAND names one");
    if (settings.tries < settings.blocks)
        die_of_usage("--tries is less than --blocks, so they could never be kept");
    if (settings.path[0] != '/')
        die_of_usage("--path begins with a /, unlike '%s'", settings.path);
    if (strlen(settings.path) > AB_PATH)
        die_of_usage("--path has at most %d characters", AB_PATH);
    settings.arms[settings.arm_count] = (struct ab_arm){"control", control, 0};
    must_be_command(settings.client, "the client");
    must_be_utf8(settings.client);
    must_be_utf8(settings.path);
    for (int i = 0; i <= settings.arm_count; i++) {
        must_be_utf8(settings.arms[i].name);
        must_be_utf8(settings.arms[i].command);
        must_be_command(settings.arms[i].command, settings.arms[i].name);
        settings.arms[i].sum = program_sum(settings.arms[i].command);
    }
    settings.client_sum = program_sum(settings.client);
}

/* --- The blocks ---------------------------------------------------------------------- */

static uint64_t spent;   /* on blocks since this process began, ns */
static unsigned counted; /* of these blocks */

static void tell_left(void) {
    uint64_t left = settings.blocks - (uint64_t)ab_kept(&blocks);
    uint64_t runs = (uint64_t)ab_turns(settings.arm_count);
    uint64_t each = runs * (settings.warmup_ms + settings.ms + 100) * NS_PER_MS;
    if (counted > 0)
        each = spent / counted;
    fprintf(stderr, "ab: %d of %llu blocks kept, %d dropped; about %llu s left\n",
            ab_kept(&blocks), (unsigned long long)settings.blocks,
            blocks.count - ab_kept(&blocks),
            (unsigned long long)((left * each + NS_PER_S - 1) / NS_PER_S));
}

/* Runs the turns of a new block, as long as none fails. */
static void run_block(void) {
    uint64_t began = clock_now();
    struct ab_block *block = &blocks.list[blocks.count++];
    *block = (struct ab_block){.run_count = 0};
    for (int turn = 0; turn < ab_turns(settings.arm_count) && !block->failed; turn++) {
        int arm = ab_turn(settings.arm_count, turn);
        if (ab_run(&settings, arm, &block->runs[turn], block->why)) {
            block->run_count++;
            rows_add_run(&settings, &blocks);
        } else {
            block->failed = true;
        }
    }
    if (!block->failed)
        ab_judge(&settings, &blocks);
    rows_end_block(&blocks);
    spent += clock_now() - began;
    counted++;
    if (!block->kept)
        fprintf(stderr, "ab: block %d dropped: %s\n", blocks.count, block->why);
}

/* A block that failed is tried once more, as a block of its own. */
static void run_blocks(void) {
    while ((uint64_t)ab_kept(&blocks) < settings.blocks &&
           (uint64_t)blocks.count < settings.tries) {
        tell_left();
        bool failed_before = blocks.count > 0 && blocks.list[blocks.count - 1].failed;
        run_block();
        if (failed_before && blocks.list[blocks.count - 1].failed)
            die("two blocks failed one after the other; the last: %s",
                blocks.list[blocks.count - 1].why);
    }
}

int main(int argc, char **argv) {
    char why[AB_WHY], rows_file[AB_PATH + 8];
    read_command_line(argc, argv);
    if (record_file && strlen(record_file) > AB_PATH)
        die_of_usage("the name after --record is too long");
    if (record_file) {
        snprintf(rows_file, sizeof rows_file, "%s.rows", record_file);
        record_check(record_file);
    }
    place_settle(settings.place, "/sys/fs/cgroup");
    children_guard(); /* after the place, for at exit its children go first */
    if (!settings.different_answers && !ab_parity(&settings, why))
        die("%s", why);
    rows_open(record_file ? rows_file : NULL, &settings, &blocks);
    run_blocks();
    json_t *record = ab_record(&settings, &blocks);
    if (record_file)
        record_write(record, record_file);
    if (as_json && json_dumpf(record, stdout, AB_RECORD) == 0)
        putchar('\n');
    if (!as_json)
        ab_table(&settings, &blocks);
    json_decref(record);
    output_flushed();
    if ((uint64_t)ab_kept(&blocks) < settings.blocks)
        die("only %d blocks of %d could be kept; a quieter machine, or longer runs "
            "(--ms), may help",
            ab_kept(&blocks), blocks.count);
    return 0;
}
