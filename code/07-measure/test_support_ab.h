/* For the tests of build/ab: servers that only say where they listen, and a client whose
 * numbers are a script, so that no test depends on the speed of the machine. */
#ifndef MEASURE_TEST_SUPPORT_AB_H
#define MEASURE_TEST_SUPPORT_AB_H

#include <stddef.h>

#include "00-ground/test_support.h"

/* Options for ab. The servers' ports are 1001, 1002 and, of the control, 1003. */
struct ab_arms {
    char quick[280], slow[280]; /* NAME=COMMAND */
    char control[280];          /* --control=COMMAND */
    char client[280];           /* --client=COMMAND */
    char record[280];           /* --record=FILE, in the test's folder */
};

extern struct ab_arms arms;
extern struct program ab; /* the last run of it */

/* Makes a folder for the test with the programs "server" and "client" in it. A run of the
 * server on port 1001 gets its requests per second, and its requests, from the next line
 * of the file "numbers.1001", or 1000 when there is none: "fail" is a client that says
 * nothing and fails, "none" has 16
 * timeouts and no answer, "bad1000" two errors, "bound1000" was the client's own limit.
 * With a file "pause" a run takes 100 ms. The server adds its process to "pids",
 * the client its words to "calls". */
void ab_set_up(void);
void ab_tear_down(void);

/* The path of `name` in the test's folder, in one of a few buffers. */
const char *ab_at(const char *name);

/* Writes a file there that can be run, or reads one. */
void ab_put(const char *name, const char *text);
void ab_get(const char *name, char *text, size_t size);

/* Runs ab over two arms, without a warm-up, with three more words, or NULL. */
void ab_run_arms(const char *one, const char *other, const char *w1, const char *w2,
                 const char *w3);

#endif
