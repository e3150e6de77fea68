/* Text that is made piece by piece and lives until the book is done, and files. */
#ifndef WEAVE_TEXT_H
#define WEAVE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Zeroed memory that keep_nothing() frees. Dies when there is none left. */
void *keep(size_t size);
void keep_nothing(void);

char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2))); /* kept */

/* The string with &, <, > and " written as entities. Kept. */
char *escaped(const char *string);

/* A string that grows by being printed into. `text` stays where it is until closed. */
struct text {
    FILE *out;
    char *bytes;
    size_t length;
};

FILE *text_open(struct text *text);
char *text_close(struct text *text); /* what was printed; kept */

/* A file's bytes, with a 0 behind them, and their number. Kept. NULL with errno. */
char *file_read(const char *path, size_t *length);

/* Writes a file, and makes the folders it needs. Dies if it can't. */
void file_write(const char *path, const char *bytes, size_t length);

#endif
