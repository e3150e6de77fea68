/* A server that does what a test tells it to, in threads of the test's own process; and
 * build/load, run against it. */
#ifndef MEASURE_TEST_LOAD_FAKE_H
#define MEASURE_TEST_LOAD_FAKE_H

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <jansson.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/test_support.h"

#define GOOD "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

static int fake_listener, fake_port;
static atomic_int fake_requests; /* heads that it has read */
static void (*fake_serve)(int fd, int connection);

/* Reads a request without its body; counts it; false at the end of input. */
static inline bool fake_request(int fd) {
    static const char blank[] = "\r\n\r\n";
    for (int matched = 0; matched < 4;) {
        char c;
        if (read(fd, &c, 1) != 1)
            return false;
        matched = c == blank[matched] ? matched + 1 : c == '\r';
    }
    fake_requests++;
    return true;
}

/* Sends it; a client who has left is no error. */
static inline void fake_say(int fd, const char *text) {
    ssize_t sent = send(fd, text, strlen(text), 0);
    (void)sent;
}

/* The server is busy with other things. */
static inline void fake_stall(int ms) {
    poll(NULL, 0, ms);
}

/* Reads to the client's end. */
static inline void fake_drain(int fd) {
    char bytes[65536];
    while (read(fd, bytes, sizeof bytes) > 0) {
    }
}

static inline void fake_reset(int fd) {
    const struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

struct fake_connection {
    int fd, number;
};

static inline void *fake_one(void *argument) {
    struct fake_connection *own = argument;
    fake_serve(own->fd, own->number);
    close(own->fd);
    free(own);
    return NULL;
}

static inline void *fake_accept(void *argument) {
    (void)argument;
    for (int number = 0;; number++) {
        struct fake_connection *own = malloc(sizeof *own);
        own->number = number;
        own->fd = accept(fake_listener, NULL, NULL);
        pthread_t thread;
        if (own->fd < 0 || pthread_create(&thread, NULL, fake_one, own) != 0) {
            free(own);
            return NULL;
        }
        pthread_detach(thread);
    }
}

/* Starts the server: `serve` gets each connection, in a thread of its own, and returns
 * to have it closed. It ends with the test. */
static inline void fake_start(void (*serve)(int fd, int connection)) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    pthread_t thread;
    signal(SIGPIPE, SIG_IGN);
    fake_serve = serve;
    fake_listener = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert(fake_listener >= 0);
    cr_assert_eq(bind(fake_listener, (struct sockaddr *)&address, length), 0);
    cr_assert_eq(listen(fake_listener, 1024), 0);
    cr_assert_eq(getsockname(fake_listener, (struct sockaddr *)&address, &length), 0);
    fake_port = ntohs(address.sin_port);
    cr_assert_eq(pthread_create(&thread, NULL, fake_accept, NULL), 0);
}

static struct program load; /* the last run */
static json_t *load_json;   /* what it printed */

/* Runs build/load --json with the options of the string `options`, spaces between, on
 * `path` of the server at `port`, and expects the exit status. */
static inline void load_run_at(int port, const char *path, const char *options,
                               int status) {
    enum { WORDS = 14 };
    char words[256], url[128], *word[WORDS] = {NULL}, *rest = words;
    snprintf(words, sizeof words, "%s", options);
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", port, path);
    int count = 0;
    for (char *at; (at = strsep(&rest, " "));)
        if (*at) {
            cr_assert_lt(count, WORDS - 1);
            word[count++] = at;
        }
    word[count] = url;
    program_run(&load, "load", "--json", word[0], word[1], word[2], word[3], word[4],
                word[5], word[6], word[7], word[8], word[9], word[10], word[11],
                word[12], word[13], NULL);
    cr_assert_eq(load.status, status, "status %d: %s%s", load.status, load.output,
                 load.errors);
    json_error_t error;
    json_decref(load_json); /* NULL is fine */
    load_json = json_loads(load.output, 0, &error);
    cr_assert_not_null(load_json, "%s: %s", error.text, load.output);
}

static inline void load_run_fake(const char *options, int status) {
    load_run_at(fake_port, "/", options, status);
}

/* The number called `name`, of the latencies too. */
static inline double load_number(const char *name) {
    json_t *value = json_object_get(load_json, name);
    if (!value)
        value = json_object_get(json_object_get(load_json, "latency_ns"), name);
    cr_assert(json_is_number(value), "no number %s in: %s", name, load.output);
    return json_number_value(value);
}

#define EXPECT(name, value)                                                            \
    cr_assert_eq(load_number(name), value, "%s is %f: %s", name, load_number(name),    \
                 load.output)

#endif
