#include "12-levers/test_support_seeds.h"

#include <stdio.h>
#include <string.h>

#include "03-request/test_support_cases.h"

enum { SEEDS_MOST = 200, LONGEST = 36 };

static struct text seeds[SEEDS_MOST];
static size_t seeds_count;

static void add(const char *bytes, size_t length) {
    if (seeds_count < SEEDS_MOST)
        seeds[seeds_count++] = (struct text){bytes, length};
}

static void add_rows(void) {
    size_t count;
    const struct http_case *rows = cases_read(&count);
    for (size_t i = 0; i < count; i++)
        add(rows[i].bytes, rows[i].length);
}

/* Every length from one byte to more than two blocks of sixteen. */
static void add_lengths(void) {
    static char heads[LONGEST][200];
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (int n = 1; n <= LONGEST; n++) {
        char *head = heads[n - 1];
        int length =
            snprintf(head, sizeof heads[0],
                     "GET /%.*s HTTP/1.1\r\nHost: a\r\n%.*s: %.*s\t%.*s \r\n\r\n", n,
                     letters, n, letters, n, letters, LONGEST - n, letters);
        add(head, (size_t)length);
    }
}

/* The plain parser's most: 100 fields, and one more. */
static void add_fields(void) {
    static char heads[2][1000];
    for (int i = 0; i < 2; i++) {
        strcpy(heads[i], "GET / HTTP/1.1\r\n");
        for (int field = 0; field < 100 + i; field++)
            strcat(heads[i], "A: b\r\n");
        strcat(heads[i], "\r\n");
        add(heads[i], strlen(heads[i]));
    }
}

/* A head as large as a browser's, and one with every byte that may stand in a value. */
static void add_large(void) {
    static char large[6000] = "POST http://www.example.com/?q HTTP/1.0\r\nHost: a\r\n";
    static char bytes[400] = "!#$%&'*+-.^_`|~09azAZ / HTTP/1.1\r\nX:";
    size_t at = strlen(large);
    for (int field = 0; field < 50; field++)
        at += (size_t)snprintf(large + at, sizeof large - at,
                               "X-Field-%d: %0*d, \"quoted\"; a=b\t\r\n", field,
                               10 + field, field);
    strcpy(large + at, "\r\n");
    add(large, at + 2);
    at = strlen(bytes);
    for (int byte = 0; byte < 256; byte++)
        if (byte == '\t' || (byte >= ' ' && byte != 0x7f))
            bytes[at++] = (char)byte;
    memcpy(bytes + at, "\r\n\r\n", 4);
    add(bytes, at + 4);
}

const struct text *seeds_read(size_t *count) {
    if (seeds_count == 0) {
        add_rows();
        add_lengths();
        add_fields();
        add_large();
    }
    *count = seeds_count;
    return seeds;
}
