/* Command lines: a table of rows, read by one function. */
#ifndef GROUND_OPTIONS_H
#define GROUND_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* --name         sets the bool behind `into` */
    OPTION_NUMBER, /* --name 42      sets the uint64_t behind `into` */
    OPTION_TEXT,   /* --name words   sets the const char * behind `into` */
    OPTION_LIST,   /* --name words   adds to the struct option_list behind `into` */
};

/* What was given to an option that can be given more than once. */
struct option_list {
    const char *texts[8];
    size_t count;
};

struct option_row {
    const char *name; /* with its two dashes */
    enum option_kind kind;
    void *into;         /* holds the default before, the user's choice after */
    uint64_t low, high; /* a number's range, both ends included */
    const char *help;   /* a line for --help */
};

/* Reads argv by the table; `--name=value` and `--name value` are the same. `--help`
 * prints `purpose` and the table, and exits 0. Anything the table doesn't know, a
 * missing value or a number out of range: one line and exit 2. */
void options_read(int argc, char **argv, const char *purpose,
                  const struct option_row *rows, size_t count);

#endif
