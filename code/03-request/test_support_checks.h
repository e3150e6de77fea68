/* How check_http() and check_demo() are made: tables of named checks of one server. */
#ifndef REQUEST_TEST_SUPPORT_CHECKS_H
#define REQUEST_TEST_SUPPORT_CHECKS_H

#include <stddef.h>
#include <stdint.h>

#include "00-ground/test_support.h"

/* The server that is being checked, and what its counters will have to say. */
struct served {
    struct program program;
    uint64_t answered; /* requests that were certainly answered */
    uint64_t perhaps;  /* requests more, which a client may have left too early for */
};

struct check {
    const char *name;
    void (*run)(struct served *served);
};

/* Starts the server with `option` (or NULL), runs the checks, stops it: it has to exit
 * with 0 and to have counted what was asked. */
void run_checks(const char *program, const char *backend, const char *option,
                const struct check *checks, size_t count);

/* The parts of check_http() that are about many clients, and about bodies. */
void check_crowd(const char *program, const char *backend);
void check_bodies(const char *program, const char *backend);

/* Checks of their own: the rows of http.tsv, those that ask for /slow apart from the
 * others. */
void plays_the_table(struct served *served);
void plays_the_slow_rows(struct served *served);

/* A connection to the server that sends what it is given at once. */
int client_of(const struct served *served);

/* Sends the head of a GET for `target`, which keeps the connection open. */
void ask(int client, const char *target);

/* Reads one answer and looks at its status and, unless NULL, its body. */
void expect(struct served *served, int client, int status, const char *body);

/* Asks and reads. */
void get(struct served *served, int client, const char *target, int status,
         const char *body);

/* Nothing more comes but the end of input, and no reset. Closes the client's side. */
void expect_end(int client);

/* Waits until the server uses no CPU for a while. Looked at on Linux alone. */
void expect_sleep(const struct served *served);

/* Closes so that the server sees a reset. */
void reset(int client);

#endif
