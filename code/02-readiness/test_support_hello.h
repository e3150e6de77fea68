/* What the tests of 02-readiness share: the server on each backend, and clients of
 * it. */
#ifndef READINESS_TEST_SUPPORT_HELLO_H
#define READINESS_TEST_SUPPORT_HELLO_H

#include <stddef.h>

#include "00-ground/test_support.h"

#define ASK "GET / HTTP/1.1\r\n\r\n"

/* The server under test. */
extern struct program hello;

/* Runs `body` against a fresh server on each backend of this system, started with
 * `--stats` and the option `name` set to `value` (NULL: with no option). The body may
 * stop it by itself. */
void on_every_hello(const char *name, const char *value, void (*body)(void));

/* Stops it, and expects that it ends well. */
void hello_stop(void);

/* A client who has asked and been answered. */
int hello_client(void);

/* The client asks, if it hasn't yet, and is answered. */
void hello_ask(int client);
void hello_expect(int client);

/* The server closes the connection, after every answer; the client closes it, too. */
void hello_expect_end(int client);

/* The client's close() or end will be a reset. */
void hello_will_reset(int client);

/* Sends heads until the server takes no more; returns how many have gone, whole. */
size_t hello_flood(int client);

#endif
