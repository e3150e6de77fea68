/* How a server ends, from outside: for the programs of this room and the next, whose
 * topology and drain program_option() has chosen. SIGSTOP holds a server still while
 * something is put in its way, so that nothing here depends on who is faster. */
#ifndef DRAIN_TEST_ENDS_H
#define DRAIN_TEST_ENDS_H

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
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

/* Two requests in flight are both answered, in their own time. */
static inline void end_in_flight(const char *name, const char *backend) {
    struct end end;
    int clients[2];
    end_start(&end, name, backend);
    for (int i = 0; i < 2; i++)
        send_text(clients[i] = end_client(&end), END_GET("/slow?ms=600"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    for (int i = 0; i < 2; i++) {
        end_expect(clients[i], "slept 600 ms\n", true);
        end_expect_close(clients[i]);
    }
    end_wait_whole(&end);
    cr_assert_eq(end.in_flight, 2);
    cr_assert_lt(end.ms, 3000, "it waited for its budget: %u ms", end.ms);
}

/* Is there still somebody who lets a client in? */
static inline bool end_knocks(const struct end *end) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)end->program.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    int result = connect(client, (struct sockaddr *)&address, sizeof address);
    /* Who comes between the last accept and the close is let in, and reset. */
    bool in = result == 0 || errno == ECONNRESET;
    cr_assert(in || errno == ECONNREFUSED, "%s", strerror(errno));
    close(client);
    return in;
}

/* Beside an answer that is long in coming, who has said nothing is closed at once, new or
 * kept, and nobody else is let in. */
static inline void end_silent(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int slow = end_client(&end), kept = end_client(&end), silent = end_client(&end);
    send_text(slow, END_GET("/slow?ms=60000"));
    send_text(kept, END_GET("/"));
    end_expect(kept, "hello\n", false);
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(kept);
    end_expect_close(silent);
    while (end_knocks(&end)) /* the backlog may have been open until now */
        continue;
    cr_assert_not(readable_within(slow, 0), "all this while somebody was served");
    end_signal(&end, SIGTERM);
    end_expect_close(slow);
    end_wait(&end);
    cr_assert_eq(end.cut, 1);
}

/* A request lies unread on an idle connection when the signal comes. */
static inline void end_unread(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int kept = end_client(&end);
    send_text(kept, END_GET("/"));
    end_expect(kept, "hello\n", false);
    end_signal(&end, SIGSTOP);
    send_text(kept, END_GET("/slow?ms=50"));
    end_signal(&end, SIGTERM);
    end_signal(&end, SIGCONT);
    end_expect(kept, "slept 50 ms\n", true);
    end_expect_close(kept);
    end_wait_whole(&end);
}

/* Requests wait in the backlog, more than a batch of them. */
static inline void end_backlog(const char *name, const char *backend) {
    enum { CLIENTS = 300 };
    struct end end;
    int clients[CLIENTS];
    end_start(&end, name, backend);
    end_settle(&end);
    end_signal(&end, SIGSTOP);
    for (int i = 0; i < CLIENTS; i++)
        send_text(clients[i] = end_client(&end), END_GET("/"));
    end_signal(&end, SIGTERM);
    end_signal(&end, SIGCONT);
    for (int i = 0; i < CLIENTS; i++) {
        cr_assert(end_answered(clients[i]));
        end_expect_close(clients[i]);
    }
    end_wait_whole(&end);
}

/* Pipelined requests are all answered, and the last says that it is. */
static inline void end_pipelined(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int client = end_client(&end);
    send_text(client, END_GET("/slow?ms=300") END_GET("/slow?ms=10") END_GET("/"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(client, "slept 300 ms\n", false);
    end_expect(client, "slept 10 ms\n", false);
    end_expect(client, "hello\n", true);
    end_expect_close(client);
    end_wait_whole(&end);
}

/* A head of which a part has come is waited for, and so is a body. */
static inline void end_halves(const char *name, const char *backend) {
    struct end end;
    static struct response response;
    end_start(&end, name, backend);
    int head = end_client(&end), body = end_client(&end), silent = end_client(&end);
    send_text(head, "GET / HTTP/1.1\r\nHo");
    send_text(body, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc");
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(silent); /* it has begun to stop */
    send_text(head, "st: x\r\n\r\n");
    send_text(body, "def");
    end_expect(head, "hello\n", true);
    read_response(body, &response);
    cr_assert_str_eq(response.body, "abcdef");
    cr_assert(end_last(&response));
    close(head);
    close(body);
    end_wait_whole(&end);
}

/* A client that asks again and again hears once that it should stop. */
static inline void end_pooled(const char *name, const char *backend) {
    struct end end;
    static struct response response;
    end_start(&end, name, backend);
    int client = end_client(&end), closes = 0;
    end_signal(&end, SIGSTOP);
    send_text(client, END_GET("/slow?ms=20"));
    end_signal(&end, SIGTERM);
    end_signal(&end, SIGCONT);
    do {
        read_response(client, &response);
        closes += end_last(&response);
        send(client, END_GET("/"), strlen(END_GET("/")), MSG_NOSIGNAL);
    } while (!end_last(&response));
    cr_assert_eq(closes, 1);
    end_expect_close(client); /* what it sent behind that is dropped, without a reset */
    end_wait_whole(&end);
}

/* What a client sends behind his last request doesn't take his answer from him. */
static inline void end_lingers(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int client = end_client(&end);
    send_text(client, END_GET("/slow?ms=100"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    cr_assert(readable_within(client, WAIT_MS));
    send_text(client, "and more");
    end_expect(client, "slept 100 ms\n", true);
    end_expect_close(client);
    end_wait_whole(&end);
}

/* Who has his answer and never stops sending doesn't hold the end up. */
static inline void end_trickles(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int linger = end_client(&end), skip = end_client(&end), gone = 0;
    send_text(linger, END_GET("/slow?ms=100"));
    send_text(skip, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nx");
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(linger, "slept 100 ms\n", true);
    while (gone < 2) {
        gone = (send(linger, "x", 1, MSG_NOSIGNAL) < 0) +
               (send(skip, "x", 1, MSG_NOSIGNAL) < 0);
        usleep(20000);
    }
    end_wait_whole(&end);
    cr_assert_lt(end.ms, 3000, "it waited for its budget: %u ms", end.ms);
    close(linger);
    close(skip);
}

/* An answer that lies in the kernel, since its client reads slowly, is his also when he
 * asks again after the end has begun: a reset would take it from him. */
static inline void end_slow_reader(const char *name, const char *backend) {
    static char answer[400000];
    static const char last_chunk[] = "0\r\n\r\n";
    struct end end;
    end_start(&end, name, backend);
    int slow = end_client(&end), silent = end_client(&end);
    send_text(slow, END_GET("/stream?bytes=300000"));
    for (int i = 0; i < 20; i++) /* by then the kernel has all of it */
        end_settle(&end);
    cr_assert(readable_within(slow, WAIT_MS));
    end_signal(&end, SIGTERM);
    end_expect_close(silent); /* and so the other would be */
    send_text(slow, END_GET("/"));
    size_t n = read_to_end(slow, answer, sizeof answer);
    cr_assert_gt(n, 300000, "%zu bytes", n);
    cr_assert_not_null(strstr(answer + 300000, last_chunk), "it was cut");
    close(slow);
    end_wait_whole(&end);
}

/* The budget ends before the answer does: it is cut, and the exit status says so. */
static inline void end_budget(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=1000");
    end_start(&end, name, backend);
    int slow = end_client(&end), fast = end_client(&end), half = end_client(&end);
    send_text(slow, END_GET("/slow?ms=60000"));
    send_text(half, "GET / HTTP/1.1\r\nHo");
    send_text(fast, END_GET("/slow?ms=50"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(fast, "slept 50 ms\n", true);
    end_expect_close(fast);
    end_expect_close(slow);
    close(half);
    end_wait(&end);
    cr_assert(end.in_flight == 3 && end.answered == 1 && end.cut == 2, "%s",
              end.program.errors);
    cr_assert(end.ms >= 1000 && end.ms < 5000, "%u ms", end.ms);
}

/* What was due before the budget's end is answered, though the whole process was held past
 * it. For those who have the application on the same thread; in the pump it is a race. */
static inline void end_held(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=1000");
    end_start(&end, name, backend);
    int slow = end_client(&end), silent = end_client(&end);
    send_text(slow, END_GET("/slow?ms=800"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(silent); /* the drain has begun */
    end_signal(&end, SIGSTOP);
    cr_assert_not(readable_within(slow, 1200), "it isn't held");
    end_signal(&end, SIGCONT);
    end_expect(slow, "slept 800 ms\n", true);
    end_expect_close(slow);
    end_wait_whole(&end);
}

/* What was read behind a request that is cut is cut, too. */
static inline void end_followed(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=300");
    end_start(&end, name, backend);
    int client = end_client(&end);
    send_text(client, END_GET("/slow?ms=60000") END_GET("/"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(client);
    end_wait(&end);
    cr_assert(end.in_flight == 2 && end.cut == 2, "%s", end.program.errors);
}

/* A client who doesn't read his answer is cut off by the stall timeout: that is ours. */
static inline void end_stalls(const char *name, const char *backend) {
    struct end end;
    program_option("--stall-timeout-ms=300");
    end_start(&end, name, backend);
    int client = end_client(&end);
    send_text(client, END_GET("/stream?chunks=100&bytes=1000000"));
    cr_assert(readable_within(client, WAIT_MS));
    end_signal(&end, SIGTERM);
    end_wait(&end);
    cr_assert(end.in_flight == 1 && end.cut == 1, "%s", end.program.errors);
    close(client);
}

/* Nothing happens but that the time is up. */
static inline void end_of_time(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=300");
    end_start(&end, name, backend);
    int slow = end_client(&end);
    send_text(slow, END_GET("/slow?ms=60000"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(slow);
    end_wait(&end);
    cr_assert(end.in_flight == 1 && end.cut == 1, "%s", end.program.errors);
    cr_assert_lt(end.ms, 3000);
}

/* A second signal ends at once. */
static inline void end_twice(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int slow = end_client(&end), silent = end_client(&end);
    send_text(slow, END_GET("/slow?ms=60000"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(silent); /* it has begun to stop */
    end_signal(&end, SIGTERM);
    end_expect_close(slow);
    end_wait(&end);
    cr_assert_eq(end.cut, 1);
    cr_assert_lt(end.ms, 4000, "it waited for its budget: %u ms", end.ms);
}

/* A signal as soon as it listens. */
static inline void end_start_up(const char *name, const char *backend) {
    for (int round = 0; round < 20; round++) {
        struct end end;
        end_start(&end, name, backend);
        end_signal(&end, SIGTERM);
        end_wait_whole(&end);
        cr_assert_eq(end.in_flight, 0);
    }
}

/* Clients who keep asking, stopped a little later each time: as many answers are read
 * as were given, so no reset has eaten one. */
static inline void end_rolling(const char *name, const char *backend) {
    enum { CLIENTS = 8, ROUNDS = 25 };
    for (int round = 0; round < ROUNDS; round++) {
        struct end end;
        int clients[CLIENTS], open = CLIENTS;
        uint64_t answers = 0;
        end_start(&end, name, backend);
        for (int i = 0; i < CLIENTS; i++)
            clients[i] = end_client(&end);
        for (int turn = 0; open > 0; turn++) {
            if (turn == round)
                end_signal(&end, SIGTERM);
            for (int i = 0; i < CLIENTS; i++)
                if (clients[i] >= 0)
                    send(clients[i], END_GET("/fanout?n=3"),
                         strlen(END_GET("/fanout?n=3")), MSG_NOSIGNAL);
            for (int i = 0; i < CLIENTS; i++) {
                if (clients[i] < 0)
                    continue;
                if (end_answered(clients[i])) {
                    answers++;
                    continue;
                }
                close(clients[i]);
                clients[i] = -1;
                open--;
            }
        }
        end_wait_whole(&end);
        cr_assert_eq(json_number(end.program.output, "responses"), answers, "round %d",
                     round);
    }
}

/* Full load, and two signals in a row: each request is answered or counted as cut. */
static inline void end_full_load(const char *name, const char *backend) {
    enum { CLIENTS = 16, ROUNDS = 30 };
    for (int round = 0; round < ROUNDS; round++) {
        struct end end;
        int clients[CLIENTS];
        end_start(&end, name, backend);
        for (int i = 0; i < CLIENTS; i++) {
            clients[i] = end_client(&end);
            for (int k = 0; k < 10; k++)
                send_text(clients[i], END_GET("/fanout?n=20") END_GET("/slow?ms=1"));
        }
        for (int k = 0; k < round; k++)
            end_answered(clients[k % CLIENTS]);
        end_signal(&end, SIGTERM);
        end_signal(&end, SIGTERM);
        end_wait(&end);
        cr_assert_eq(end.in_flight, end.answered + end.cut, "%s", end.program.errors);
        for (int i = 0; i < CLIENTS; i++)
            close(clients[i]);
    }
}

/* A test for each of them; KIND is SERVING or SERVING_NESTED. */
#define EVERY_END(KIND, program)                                                       \
    KIND(program, in_flight, end_in_flight)                                            \
    KIND(program, silent, end_silent)                                                  \
    KIND(program, unread, end_unread)                                                  \
    KIND(program, backlog, end_backlog)                                                \
    KIND(program, pipelined, end_pipelined)                                            \
    KIND(program, halves, end_halves)                                                  \
    KIND(program, pooled, end_pooled)                                                  \
    KIND(program, lingers, end_lingers)                                                \
    KIND(program, slow_reader, end_slow_reader)                                        \
    KIND(program, trickles, end_trickles)                                              \
    KIND(program, budget, end_budget)                                                  \
    KIND(program, followed, end_followed)                                              \
    KIND(program, stalls, end_stalls)                                                  \
    KIND(program, of_time, end_of_time)                                                \
    KIND(program, twice, end_twice)                                                    \
    KIND(program, start_up, end_start_up)                                              \
    KIND(program, rolling, end_rolling)                                                \
    KIND(program, full_load, end_full_load)

#endif
