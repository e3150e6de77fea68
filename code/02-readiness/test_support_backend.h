/* Tests that run on every mechanism of this system, and pairs of sockets for them. */
#ifndef READINESS_TEST_SUPPORT_BACKEND_H
#define READINESS_TEST_SUPPORT_BACKEND_H

#include <stdbool.h>

#include "02-readiness/backend.h"

/* Does this system have the backend called `name`? A test passes over those it
 * lacks. */
bool has_backend(const char *name);

/* Calls `body` with a fresh backend of each kind that this system has; a failure in it
 * says which one it was. */
void on_every_backend(void (*body)(struct backend *backend, const char *name));

/* One wait of at most `ms` milliseconds: what it reports for `token`, all its events
 * together (kqueue has one for each direction), and nothing for anybody else. */
int reported(struct backend *backend, watch_token token, int ms);

/* Two connected, non-blocking sockets: of this machine alone, or of TCP. */
void local_pair(int ends[2]);
void tcp_pair(int ends[2]);

/* A blocking connection to 127.0.0.1 that takes in little of what its owner doesn't
 * read, so that the server's output is soon full, and holds little of what the server
 * doesn't. */
int connect_narrowly(int port);

/* Closes both. */
void close_pair(const int ends[2]);

/* Fills what `fd` can send without anybody reading; empties what it can read. */
void fill_output(int fd);
void empty_input(int fd);

/* Raises the soft limit of descriptors to `most` if it is lower. */
void allow_descriptors(unsigned most);

#endif
