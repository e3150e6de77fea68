#include "00-ground/options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/error.h"

static void print_help(const char *purpose, const struct option_row *rows,
                       size_t count) {
    static const char *const value[] = {"", "N", "TEXT", "TEXT"};
    printf("%s\n\n", purpose);
    for (size_t i = 0; i < count; i++) {
        char left[40];
        snprintf(left, sizeof left, "%s %s", rows[i].name, value[rows[i].kind]);
        printf("  %-26s %s", left, rows[i].help);
        if (rows[i].kind == OPTION_NUMBER)
            printf(" (%llu)", (unsigned long long)*(uint64_t *)rows[i].into);
        else if (rows[i].kind == OPTION_TEXT && *(const char **)rows[i].into)
            printf(" (%s)", *(const char **)rows[i].into);
        putchar('\n');
    }
    printf("  %-26s this text\n", "--help");
    output_flushed();
    exit(EXIT_SUCCESS);
}

static uint64_t read_number(const struct option_row *row, const char *text) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9'; /* strtoull would take "-1" */
    if (!digits || *end || errno || number < row->low || number > row->high)
        die_of_usage("%s wants a number from %llu to %llu, not '%s'", row->name,
                     (unsigned long long)row->low, (unsigned long long)row->high, text);
    return number;
}

static void add_to_list(const struct option_row *row, const char *text) {
    struct option_list *list = row->into;
    size_t most = sizeof list->texts / sizeof *list->texts;
    if (list->count == most)
        die_of_usage("%s can be given %zu times at most", row->name, most);
    list->texts[list->count++] = text;
}

/* The row that `argument` names, and in `*value` what follows its '=', or NULL. */
static const struct option_row *find_row(const char *argument,
                                         const struct option_row *rows, size_t count,
                                         const char **value) {
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    *value = equals ? equals + 1 : NULL;
    for (size_t i = 0; i < count; i++)
        if (strlen(rows[i].name) == length && !strncmp(rows[i].name, argument, length))
            return &rows[i];
    die_of_usage("there is no option '%s'; --help lists them", argument);
}

void options_read(int argc, char **argv, const char *purpose,
                  const struct option_row *rows, size_t count) {
    program_named(argv[0]);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help"))
            print_help(purpose, rows, count);
        const char *value;
        const struct option_row *row = find_row(argv[i], rows, count, &value);
        if (row->kind == OPTION_FLAG) {
            if (value)
                die_of_usage("%s takes no value", row->name);
            *(bool *)row->into = true;
            continue;
        }
        if (!value && i + 1 < argc)
            value = argv[++i];
        if (!value)
            die_of_usage("%s wants a value; --help says which", row->name);
        if (row->kind == OPTION_NUMBER)
            *(uint64_t *)row->into = read_number(row, value);
        else if (row->kind == OPTION_LIST)
            add_to_list(row, value);
        else
            *(const char **)row->into = value;
    }
}
