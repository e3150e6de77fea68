/* A server on a thread of this test, with an application that gives endless answers and
 * writes down what it hears; the test is its client. */
#ifndef DRAIN_TEST_INSIDE_H
#define DRAIN_TEST_INSIDE_H

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "05-executor/c_executor.h"
#include "06-pump/pump.h"
#include "08-inversion/inversion.h"

static struct inside {
    bool inverted;
    bool deaf; /* goes on after stopping() */
    const struct stopper *stopper;
    struct c_executor *c_executor;
    const struct executor *executor;
    pthread_t thread;
    struct exchange *streams[8];
    int count;
    char heard[16]; /* 'b'egin, 's'topping, 'd'isconnect, 'X': shutdown */
    struct pump pump;
    struct inversion inversion;
    struct sweep_outbox outbox;
} inside;

static inline void inside_hears(char what) {
    size_t length = strlen(inside.heard);
    cr_assert_lt(length, sizeof inside.heard - 1);
    inside.heard[length] = what;
}

static inline void inside_begin(void *unused, struct exchange *exchange) {
    (void)unused;
    inside_hears('b');
    exchange_start(exchange, 200, NULL, 0, LENGTH_UNKNOWN);
    exchange_chunk(exchange, "and ", 4, true);
    inside.streams[inside.count++] = exchange;
}

static inline void inside_end(struct exchange *exchange) {
    exchange_chunk(exchange, "farewell", 8, false);
    exchange_end(exchange);
}

static inline void inside_stopping(void *unused) {
    (void)unused;
    inside_hears('s');
    while (!inside.deaf && inside.count > 0)
        inside_end(inside.streams[--inside.count]);
}

static inline void inside_disconnect(void *unused, struct exchange *exchange) {
    (void)unused;
    (void)exchange;
    inside_hears('d');
}

static inline void inside_shutdown(void *unused) {
    (void)unused;
    inside_hears('X');
}

static inline void *inside_run(void *unused) {
    static const struct application application = {
        .begin = inside_begin,
        .disconnect = inside_disconnect,
        .stopping = inside_stopping,
        .shutdown = inside_shutdown,
    };
    static const struct pump_options own = {.every_wake = false};
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS];
    server_options_rows(&options, rows);
    options.port = 0;
    if (inside.inverted)
        inversion_run(&inside.inversion, &options, inside.executor, &application,
                      inside.stopper, sweep_outbox_init(&inside.outbox));
    else
        pump_run(&inside.pump, &options, &own, inside.executor, &application,
                 inside.stopper, sweep_outbox_init(&inside.outbox));
    return unused;
}

/* Starts it and returns its port, of which its first line tells. */
static inline int inside_start(void) {
    int line[2], port, was;
    char text[128];
    cr_assert_eq(pipe(line), 0);
    fflush(stdout);
    was = dup(STDOUT_FILENO);
    dup2(line[1], STDOUT_FILENO);
    cr_assert_eq(pthread_create(&inside.thread, NULL, inside_run, NULL), 0);
    read_until(line[0], "\n", text, sizeof text);
    dup2(was, STDOUT_FILENO);
    cr_assert_eq(sscanf(text, "listening on http://127.0.0.1:%d", &port), 1);
    return port;
}

static inline int inside_ask(int port) {
    char text[256];
    int client = connect_to(port);
    send_text(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    read_until(client, "and \r\n", text, sizeof text);
    return client;
}

static inline void inside_open(bool inverted) {
    inside.inverted = inverted;
    inside.c_executor = c_executor_open(NULL, NULL);
    inside.executor = c_executor_functions(inside.c_executor);
}

/* The signal; the stream ends as a whole answer does. */
static inline void inside_farewell(void) {
    char rest[64];
    int client = inside_ask(inside_start());
    kill(getpid(), SIGTERM);
    read_to_end(client, rest, sizeof rest);
    cr_assert_str_eq(rest, "8\r\nfarewell\r\n0\r\n\r\n");
    close(client);
    pthread_join(inside.thread, NULL);
    cr_assert_str_eq(inside.heard, "bsX");
}

/* One that doesn't end by itself is ended by the second signal, and what is told of
 * the shutdown is told. */
static inline void inside_deaf(void) {
    char rest[64];
    inside.deaf = true;
    int port = inside_start(), client = inside_ask(port), silent = connect_to(port);
    kill(getpid(), SIGTERM);
    cr_assert_eq(read_to_end(silent, rest, sizeof rest), 0, "it has begun to stop");
    kill(getpid(), SIGTERM);
    cr_assert_eq(read_to_end(client, rest, sizeof rest), 0);
    close(client);
    close(silent);
    pthread_join(inside.thread, NULL);
    cr_assert_str_eq(inside.heard, "bsX", "a disconnect is something else");
}

#endif
