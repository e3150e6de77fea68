/* A server of the demo application under load: stops in the middle, and clients who
 * leave. For the programs of this room and the rooms above. */
#ifndef EXECUTOR_TEST_LOAD_H
#define EXECUTOR_TEST_LOAD_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "03-request/test_sequences.h"

#define LOAD_GET(target) "GET " target " HTTP/1.1\r\nHost: x\r\n\r\n"

static inline void load_start(struct program *program, const char *name,
                              const char *backend) {
    program_start(program, name, "--backend", backend, "--stats", NULL);
}

static inline void load_stop(struct program *program) {
    program_stop(program);
    cr_assert_eq(program->status, 0);
}

static inline void load_expect(int fd, const char *body) {
    static struct response response;
    read_response(fd, &response);
    cr_assert_eq(response.status, 200);
    cr_assert_str_eq(response.body, body);
}

/* Closes so that the server gets a reset. */
static inline void load_reset(int fd) {
    struct linger none = {.l_onoff = 1};
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
    close(fd);
}

/* SIGTERM while nothing happens, and while requests are in flight: it ends with 0. */
static inline void load_stops(const char *name, const char *backend) {
    enum { CLIENTS = 50 };
    struct program program;
    int fds[CLIENTS];
    load_start(&program, name, backend);
    load_stop(&program);
    load_start(&program, name, backend);
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = connect_to(program.port);
        send_text(fds[i], LOAD_GET("/slow?ms=60000") LOAD_GET("/"));
    }
    int last = connect_to(program.port);
    send_text(last, LOAD_GET("/"));
    load_expect(last, "hello\n");
    load_stop(&program);
    cr_assert_eq(json_number(program.output, "responses"), 1);
    for (int i = 0; i < CLIENTS; i++)
        close(fds[i]);
    close(last);
}

/* Sends what can be sent; the server may be busy, or gone. */
static inline void load_send(int fd, const char *text) {
    ssize_t sent = send(fd, text, strlen(text), MSG_DONTWAIT);
    cr_assert(sent >= 0 || errno == EPIPE || errno == ECONNRESET || errno == EAGAIN);
}

/* Rounds of start and stop: each stops it a little later in what it is made to do. */
static inline void load_rounds(const char *name, const char *backend) {
    enum { CLIENTS = 8, ROUNDS = 25 };
    struct program program;
    for (int round = 0; round < ROUNDS; round++) {
        static struct response response;
        int fds[CLIENTS];
        load_start(&program, name, backend);
        for (int i = 0; i < CLIENTS; i++) {
            fds[i] = connect_to(program.port);
            for (int k = 0; k < 20; k++)
                load_send(fds[i], LOAD_GET("/fanout?n=20") LOAD_GET("/slow?ms=1")
                                      LOAD_GET("/"));
        }
        for (int k = 0; k < 2 * round; k++) {
            read_response(fds[k % CLIENTS], &response);
            cr_assert_eq(response.status, 200);
        }
        load_stop(&program);
        cr_assert_geq(json_number(program.output, "responses"), 2 * (uint64_t)round);
        for (int i = 0; i < CLIENTS; i++)
            close(fds[i]);
    }
}

/* Clients leave by a reset during /slow; their slots go to others, whose answers have
 * to be their own. In the end no slot is missing. */
static inline void load_leavers(const char *name, const char *backend) {
    enum { ROUNDS = 20, LEAVERS = 40, STAYERS = 10 };
    static int all[ALL_SLOTS];
    struct program program;
    allow_all_slots();
    load_start(&program, name, backend);
    for (int round = 0; round < ROUNDS; round++) {
        int leavers[LEAVERS], stayers[STAYERS];
        for (int i = 0; i < LEAVERS; i++) {
            leavers[i] = connect_to(program.port);
            send_text(leavers[i],
                      i % 2 ? LOAD_GET("/slow?ms=5") : LOAD_GET("/slow?ms=20"));
        }
        for (int i = 0; i < STAYERS; i++) {
            char request[64];
            stayers[i] = connect_to(program.port);
            snprintf(request, sizeof request, LOAD_GET("/slow?ms=%d"), i);
            send_text(stayers[i], request);
        }
        for (int i = 0; i < LEAVERS; i++)
            load_reset(leavers[i]);
        for (int i = 0; i < STAYERS; i++) {
            char body[32];
            snprintf(body, sizeof body, "slept %d ms\n", i);
            load_expect(stayers[i], body);
            close(stayers[i]);
        }
    }
    for (int i = 0; i < ALL_SLOTS; i++) {
        all[i] = connect_to(program.port);
        send_text(all[i], LOAD_GET("/"));
    }
    for (int i = 0; i < ALL_SLOTS; i++)
        load_expect(all[i], "hello\n");
    for (int i = 0; i < ALL_SLOTS; i++)
        close(all[i]);
    load_stop(&program);
}

/* The end of input meets the answer on its way: the notice of the one and the end of
 * the exchange cross, and the slot's next tenant is there at once. */
static inline void load_crossings(const char *name, const char *backend) {
    enum { ROUNDS = 300, CLIENTS = 4 };
    struct program program;
    load_start(&program, name, backend);
    for (int round = 0; round < ROUNDS; round++) {
        int fds[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            fds[i] = connect_to(program.port);
            send_text(fds[i], LOAD_GET("/") LOAD_GET("/fanout?n=2"));
            if (round % 2)
                cr_assert_eq(shutdown(fds[i], SHUT_WR), 0);
        }
        for (int i = 0; i < CLIENTS; i++) {
            char nothing[2];
            if (i == 3 && round % 3 == 0) {
                load_reset(fds[i]);
                continue;
            }
            load_expect(fds[i], "hello\n");
            if (round % 2 == 0)
                cr_assert_eq(shutdown(fds[i], SHUT_WR), 0);
            load_expect(fds[i], "2 callbacks, sum 3\n");
            cr_assert_eq(read_to_end(fds[i], nothing, sizeof nothing), 0);
            close(fds[i]);
        }
    }
    load_stop(&program);
}

#endif
