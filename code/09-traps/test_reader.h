/* A client that reads streamed answers: their chunks (RFC 9112, section 7.1), one by
 * one. */
#ifndef TRAPS_TEST_READER_H
#define TRAPS_TEST_READER_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "03-request/test_support_checks.h"

/* Reads the head of a streamed answer, and nothing after it. */
static inline void read_stream_head(int fd) {
    char head[1024];
    read_until(fd, "\r\n\r\n", head, sizeof head);
    cr_assert_eq(strncmp(head, "HTTP/1.1 200 ", 13), 0, "%s", head);
    cr_assert_not_null(strstr(head, "\r\nTransfer-Encoding: chunked\r\n"), "%s", head);
}

/* Reads one chunk into `bytes` (at least `room`), and returns how many it had. 0: it was
 * the last. */
static inline size_t read_chunk(int fd, char *bytes, size_t room) {
    char line[32], end[2];
    read_until(fd, "\r\n", line, sizeof line);
    size_t n = strtoul(line, NULL, 16);
    cr_assert_leq(n, room, "a chunk of %zu bytes", n);
    read_bytes(fd, bytes, n);
    read_bytes(fd, end, sizeof end);
    cr_assert_eq(memcmp(end, "\r\n", 2), 0);
    return n;
}

/* Do `n` bytes, from byte `at` of a stream of chunks of `bytes` bytes, say `word` in
 * lines? */
static inline void check_words(const char *text, size_t n, size_t at, size_t bytes,
                               const char *word) {
    size_t line = strlen(word) + 1;
    for (size_t i = 0; i < n; i++) {
        size_t in_line = (at + i) % bytes % line;
        char wanted = in_line == line - 1 ? '\n' : word[in_line];
        cr_assert_eq(text[i], wanted, "byte %zu is '%c', not '%c'", at + i, text[i],
                     wanted);
    }
}

/* Reads a whole stream of `bytes` bytes a chunk; it has to have `total` of them. */
static inline void read_stream(int fd, size_t bytes, size_t total, const char *word) {
    static char piece[1 << 16];
    size_t at = 0, n;
    read_stream_head(fd);
    while ((n = read_chunk(fd, piece, sizeof piece)) > 0) {
        check_words(piece, n, at, bytes, word);
        at += n;
    }
    cr_assert_eq(at, total, "%zu bytes, not %zu", at, total);
}

#endif
