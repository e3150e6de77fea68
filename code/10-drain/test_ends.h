/* How a server ends, from outside: for the programs of this room and the next, whose
 * topology and drain program_option() has chosen. Here are those ends that are tried many
 * times over, and the list of all. */
#ifndef DRAIN_TEST_ENDS_H
#define DRAIN_TEST_ENDS_H

#include "10-drain/test_ends_cut.h"
#include "10-drain/test_ends_whole.h"

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
