/* The one kind of answer that the demo gives: a head, and a body of Content-Length
 * bytes. */
#ifndef STEPPED_STRESS_ANSWER_H
#define STEPPED_STRESS_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "11-stepped/stress_conn.h"

struct stress_answer {
    int status;
    bool closes; /* it says Connection: close */
    const char *body;
    size_t length;
};

/* Reads the answer at the start of `bytes`, which has a NUL behind its end. Returns the
 * answer's length, 0 while it isn't whole, -1 if it isn't one. */
long stress_answer_read(char *bytes, size_t length, struct stress_answer *answer);

/* Writes the body of an /echo: its word again and again, `asked->number` bytes. */
void stress_words(char *into, const struct stress_asked *asked);

/* Is it what this request has to get? */
bool stress_is_answer(const struct stress_answer *answer,
                      const struct stress_asked *asked);

#endif
