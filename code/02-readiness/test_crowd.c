/* The program with more clients than fit, clients who want too much, and clients who
 * are gone. */
#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "02-readiness/slots.h"
#include "02-readiness/test_support_backend.h"
#include "02-readiness/test_support_hello.h"

TestSuite(crowd, .timeout = 300);

enum {
    HELD_MS = 100,     /* a loop that spins makes 10,000 passes of it */
    PASSES_MORE = 500, /* a loop that doesn't makes far fewer than these */
};

static int clients[1200];

static void close_clients(int from, int to) {
    for (int i = from; i < to; i++)
        close(clients[i]);
}

/* All connect and ask at once; who was there first is served first, and its leaving
 * makes room for who waits. */
static void serve_in_turn(int count) {
    for (int i = 0; i < count; i++) {
        clients[i] = connect_to(hello.port);
        send_text(clients[i], ASK);
    }
    for (int i = 0; i < count; i++) {
        hello_expect(clients[i]);
        close(clients[i]);
    }
}

static void more_than_slots(void) {
    serve_in_turn(1200);
}

Test(crowd, of_more_clients_than_slots_is_served_in_turn) {
    allow_descriptors(1300);
    on_every_hello(NULL, NULL, more_than_slots);
}

static void more_than_descriptors(void) {
    int first = hello_client();
    serve_in_turn(200);
    hello_ask(first); /* it was in nobody's way and nobody in its */
    close(first);
}

Test(crowd, of_more_clients_than_descriptors_is_served_in_turn) {
    program_descriptors(64);
    on_every_hello(NULL, NULL, more_than_descriptors);
}

static void nobody_leaves(void) {
    for (int i = 0; i < 200; i++)
        clients[i] = connect_to(hello.port);
    poll(NULL, 0, HELD_MS);
    hello_stop();
    cr_assert_lt(json_number(hello.output, "passes"), 200 + PASSES_MORE, "%s",
                 hello.output);
    close_clients(0, 200);
}

Test(crowd, without_descriptors_lets_the_server_sleep) {
    program_descriptors(64);
    on_every_hello(NULL, NULL, nobody_leaves);
}

static void all_are_idle(void) {
    enum { MORE = 6 };
    for (int i = 0; i < SLOTS + MORE; i++)
        clients[i] = hello_client();
    for (int i = 0; i < MORE; i++)
        hello_expect_end(clients[i]);
    for (int i = MORE; i < SLOTS + MORE; i++)
        cr_assert_not(readable_within(clients[i], 0), "client %d had to go", i);
    hello_ask(clients[MORE]);
    close_clients(MORE, SLOTS + MORE);
}

Test(crowd, of_idle_clients_makes_room_by_who_was_idle_longest) {
    allow_descriptors(1300);
    on_every_hello(NULL, NULL, all_are_idle);
}

static void one_leaves(void) {
    for (int i = 0; i < SLOTS; i++) {
        clients[i] = connect_to(hello.port);
        send_text(clients[i], ASK);
    }
    for (int i = 0; i < SLOTS; i++)
        hello_expect(clients[i]);
    program_halt(&hello);
    int newcomer = connect_to(hello.port);
    send_text(newcomer, ASK);
    close(clients[100]);
    program_resume(&hello);
    hello_expect(newcomer);
    hello_ask(clients[0]);
    close_clients(0, 100);
    close_clients(101, SLOTS);
    close(newcomer);
}

Test(crowd, in_which_a_place_is_free_loses_nobody) {
    allow_descriptors(1300);
    on_every_hello(NULL, NULL, one_leaves);
}

/* More of them ask than one batch holds; the newcomer knocked before they did. */
static void all_were_idle(void) {
    enum { ASK_AGAIN = 300 };
    for (int i = 0; i < SLOTS; i++)
        clients[i] = hello_client();
    program_halt(&hello);
    int newcomer = connect_to(hello.port);
    send_text(newcomer, ASK);
    for (int i = 0; i < ASK_AGAIN; i++)
        send_text(clients[i], ASK);
    program_resume(&hello);
    hello_expect(newcomer);
    for (int i = 0; i < ASK_AGAIN; i++)
        hello_expect(clients[i]);
    hello_expect_end(clients[ASK_AGAIN]);
    hello_ask(clients[ASK_AGAIN + 1]);
    close_clients(0, ASK_AGAIN);
    close_clients(ASK_AGAIN + 1, SLOTS);
    close(newcomer);
}

Test(crowd, gives_no_place_away_whose_client_has_just_asked) {
    allow_descriptors(1300);
    on_every_hello(NULL, NULL, all_were_idle);
}

static void nobody_is_idle(void) {
    for (int i = 0; i < SLOTS; i++) {
        clients[i] = connect_to(hello.port);
        send_text(clients[i], i % 2 ? "" : "GET / HT");
    }
    int first = connect_to(hello.port);
    send_text(first, ASK "GET / HT");
    cr_assert_not(readable_within(first, HELD_MS), "there is no room");
    close(clients[1]);
    hello_expect(first);
    int second = connect_to(hello.port);
    send_text(second, ASK);
    cr_assert_not(readable_within(second, HELD_MS), "the first is in a head again");
    send_text(clients[0], "TP/1.1\r\n\r\n");
    hello_expect(clients[0]);
    hello_expect_end(clients[0]); /* it was idle for a moment */
    hello_expect(second);
    for (int i = 2; i < SLOTS; i += 2) {
        send_text(clients[i], "TP/1.1\r\n\r\n");
        hello_expect(clients[i]);
    }
    hello_stop();
    cr_assert_lt(json_number(hello.output, "passes"), 4 * SLOTS + PASSES_MORE, "%s",
                 hello.output);
    close_clients(2, SLOTS);
    close(first);
    close(second);
}

Test(crowd, without_an_idle_client_waits_for_one) {
    allow_descriptors(1300);
    on_every_hello(NULL, NULL, nobody_is_idle);
}

/* The server finds everything in one batch or two, and then the signal that stops it.
 * What the first one asks for would last for many, to read and to answer. */
static void one_wants_all(void) {
    enum { OTHERS = 20, HEADS = 12000, BATCHES_MOST = 3 };
    enum { READ_MOST = 1024, TURN_MOST = 64 }; /* in a batch, of so small heads */
    static char heads[4 * HEADS];
    int greedy = connect_to(hello.port);
    for (int i = 0; i < HEADS; i++)
        memcpy(heads + (size_t)(4 * i), "\r\n\r\n", 4);
    for (int i = 0; i < OTHERS; i++)
        clients[i] = hello_client(); /* by then greedy is let in, too */
    program_halt(&hello);
    send_bytes(greedy, heads, sizeof heads);
    for (int i = 0; i < OTHERS; i++)
        send_text(clients[i], ASK);
    cr_assert(kill(hello.pid, SIGTERM) == 0);
    program_resume(&hello);
    for (int i = 0; i < OTHERS; i++)
        hello_expect(clients[i]);
    hello_stop();
    uint64_t to_greedy = json_number(hello.output, "responses") - (uint64_t)2 * OTHERS;
    cr_assert_leq(to_greedy, BATCHES_MOST * TURN_MOST, "%s", hello.output);
    cr_assert_geq(to_greedy, 1);
    cr_assert_leq(json_number(hello.output, "requests"),
                  BATCHES_MOST * READ_MOST + 2 * OTHERS, "%s", hello.output);
    close(greedy);
    close_clients(0, OTHERS);
}

Test(crowd, is_served_beside_one_who_wants_everything) {
    on_every_hello(NULL, NULL, one_wants_all);
}

/* Leaves in one of the states that a connection can be in; a reset if `reset`. */
static void leave_in_state(int state, bool reset) {
    static const char *const sent[] = {"", "GET / HT", ASK, ASK ASK ASK, ASK};
    int client = connect_to(hello.port);
    send_text(client, sent[state]);
    if (state == 4)
        hello_expect(client);
    if (reset)
        hello_will_reset(client);
    close(client);
}

static void clients_leave(void) {
    for (int i = 0; i < 400; i++)
        leave_in_state(i / 2 % 5, i % 2);
    program_halt(&hello);
    for (int i = 0; i < 400; i++) /* they have come and gone when it looks */
        leave_in_state(i / 2 % 4, i % 2);
    program_resume(&hello);
    for (int i = 0; i < 40; i++) /* there is room for all of them at once */
        clients[i] = hello_client();
    for (int i = 0; i < 40; i++)
        hello_ask(clients[i]);
    close_clients(0, 40);
}

Test(crowd, that_leaves_early_leaves_nothing_behind) {
    program_descriptors(64);
    on_every_hello(NULL, NULL, clients_leave);
}

/* The server has stopped reading from it, and still owes it answers. */
static void owed_client_leaves(void) {
    for (int half = 0; half < 2; half++) {
        int client = connect_narrowly(hello.port);
        hello_flood(client);
        if (half)
            cr_assert(shutdown(client, SHUT_WR) == 0);
        hello_will_reset(client);
        close(client);
        close(hello_client()); /* the server has seen the reset by then */
    }
    poll(NULL, 0, HELD_MS);
    hello_stop();
    uint64_t turns = json_number(hello.output, "responses") / 8; /* 16 would fit */
    cr_assert_lt(json_number(hello.output, "passes"), turns + PASSES_MORE, "%s",
                 hello.output);
}

Test(crowd, member_who_leaves_while_it_is_owed_answers_is_let_go) {
    on_every_hello(NULL, NULL, owed_client_leaves);
}
