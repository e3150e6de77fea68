/* http.tsv: requests that servers got wrong, for tests that play them to a connection
 * and to whole programs. */
#ifndef REQUEST_TEST_SUPPORT_CASES_H
#define REQUEST_TEST_SUPPORT_CASES_H

#include <stdbool.h>
#include <stddef.h>

enum { CASE_ANSWERS = 4 };

struct http_case {
    char name[48];
    int statuses[CASE_ANSWERS]; /* of the answers, in order */
    int count;                  /* how many there are: one at least */
    bool closes;                /* the server ends the connection after the last */
    char bytes[512];            /* what the client sends; a NUL may be among them */
    size_t length;
};

/* All rows of code/03-request/http.tsv, in order; `*count` says how many. They stay. A
 * row that can't be read fails the test. */
const struct http_case *cases_read(size_t *count);

/* It asks for /slow, which the applications from chapter 05 on have. */
bool case_is_slow(const struct http_case *row);

/* Reads the answers from `fd` and not a byte further: each has to have its status, a
 * body of its Content-Length that is what was asked for, and the word that the
 * connection closes just where it does. */
void case_read_answers(const struct http_case *row, int fd);

#endif
