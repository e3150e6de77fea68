/* Checks of a running HTTP server, for every program from 03 on: what a client may rely
 * on whichever loops and threads are behind it. A check that fails names itself, the
 * program and the backend. */
#ifndef REQUEST_TEST_SUPPORT_HTTP_H
#define REQUEST_TEST_SUPPORT_HTTP_H

#include "02-readiness/test_support_backend.h"

/* Starts `program` ("04-pass") on `backend` ("epoll", "kqueue", "poll"), puts it
 * through everything that a server of hello does, each check on connections of its own,
 * and stops it: exit status 0, and a stats line that counts what was asked. */
void check_http(const char *program, const char *backend);

/* Whom the stall timeout is for: not a client who reads slowly, but one who doesn't. */
void check_readers(const char *program, const char *backend);

/* The same as check_http() for the demo application's other routes, /slow, /fanout and /work: answers
 * that come later than their requests, clients who leave meanwhile, and a stop while a
 * request is in flight. */
void check_demo(const char *program, const char *backend);

#endif
