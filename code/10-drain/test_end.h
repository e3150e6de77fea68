/* A server that is told to end, and its clients: what the tests of ends are made of. */
#ifndef DRAIN_TEST_END_H
#define DRAIN_TEST_END_H

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "03-request/test_sequences.h"

#define END_GET(target) "GET " target " HTTP/1.1\r\nHost: x\r\n\r\n"

struct end {
    struct program program;
    unsigned in_flight, answered, cut, ms; /* of the line that it says at its end */
};

static inline void end_start(struct end *end, const char *name, const char *backend) {
    program_keep_errors();
    program_start(&end->program, name, "--backend", backend, "--stats", NULL);
}

static inline void end_signal(struct end *end, int number) {
    cr_assert_eq(kill(end->program.pid, number), 0);
}

static inline void end_wait(struct end *end) {
    program_wait(&end->program);
    cr_assert_eq(sscanf(end->program.errors,
                        "drain: %u in flight, %u answered, %u cut, %u ms",
                        &end->in_flight, &end->answered, &end->cut, &end->ms),
                 4, "%s", end->program.errors);
    cr_assert_eq(end->program.status, end->cut > 0);
}

/* Ended, and everything that was read has been answered. */
static inline void end_wait_whole(struct end *end) {
    end_wait(end);
    cr_assert_eq(end->cut, 0, "%s", end->program.errors);
    cr_assert_eq(json_number(end->program.output, "responses"),
                 json_number(end->program.output, "requests"));
}

static inline int end_client(const struct end *end) {
    return connect_to(end->program.port);
}

static inline bool end_last(const struct response *response) {
    return strstr(response->head, "Connection: close\r\n") != NULL;
}

static inline void end_expect(int fd, const char *body, bool last) {
    static struct response response;
    read_response(fd, &response);
    cr_assert_eq(response.status, 200);
    cr_assert_str_eq(response.body, body);
    cr_assert_eq(end_last(&response), last, "%s", response.head);
}

static inline void end_expect_close(int fd) {
    char nothing[2];
    cr_assert_eq(read_to_end(fd, nothing, sizeof nothing), 0);
    close(fd);
}

/* When a request that was sent later is answered, what was sent before has been read. */
static inline void end_settle(const struct end *end) {
    int client = end_client(end);
    send_text(client, END_GET("/"));
    end_expect(client, "hello\n", false);
    close(client);
}

/* Did the server answer, or close before it had read a byte? Half an answer fails. */
static inline bool end_answered(int fd) {
    static struct response response;
    char byte;
    cr_assert(readable_within(fd, WAIT_MS));
    if (recv(fd, &byte, 1, MSG_PEEK) != 1)
        return false;
    read_response(fd, &response);
    cr_assert_eq(response.status, 200);
    return true;
}

#endif
