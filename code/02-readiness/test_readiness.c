/* The program: one thread that serves many clients, whatever some of them do. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "02-readiness/test_support_backend.h"
#include "02-readiness/test_support_hello.h"

TestSuite(readiness, .timeout = 300);

static void silent_clients(void) {
    int silent = connect_to(hello.port), halfway = connect_to(hello.port);
    send_text(halfway, "GET / HT");
    for (int i = 0; i < 10; i++) {
        close(hello_client());
    }
    send_text(halfway, "TP/1.1\r\n\r\n");
    hello_expect(halfway);
    hello_ask(silent);
    close(silent);
    close(halfway);
}

Test(readiness, who_says_nothing_stops_nobody) {
    on_every_hello(NULL, NULL, silent_clients);
}

static void heads_in_pieces(void) {
    int client = connect_to(hello.port);
    for (const char *byte = ASK "\r\r\n\r\n"; *byte; byte++)
        send_bytes(client, byte, 1);
    hello_expect(client);
    hello_expect(client); /* "\r\r\n\r\n" ends in a blank line, too */
    send_text(client, ASK ASK ASK "GET / HT");
    for (int i = 0; i < 3; i++)
        hello_expect(client);
    send_text(client, "TP/1.1\r\nHost: a\r\n\r");
    cr_assert_not(readable_within(client, 0), "the head isn't whole");
    send_text(client, "\n");
    hello_expect(client);
    close(client);
}

Test(readiness, heads_come_in_pieces_or_many_at_once) {
    on_every_hello(NULL, NULL, heads_in_pieces);
}

/* More answers are due than one turn gives, and the end comes in between. */
static void half_closes(void) {
    enum { ASKED = 50 };
    int client = connect_to(hello.port);
    program_halt(&hello);
    for (int i = 0; i < ASKED; i++)
        send_text(client, ASK);
    send_text(client, "GET / HT");
    cr_assert(shutdown(client, SHUT_WR) == 0);
    program_resume(&hello);
    for (int i = 0; i < ASKED; i++)
        hello_expect(client);
    hello_expect_end(client);
    client = connect_to(hello.port);
    cr_assert(shutdown(client, SHUT_WR) == 0);
    hello_expect_end(client);
}

Test(readiness, who_sends_no_more_is_answered_still) {
    on_every_hello(NULL, NULL, half_closes);
}

/* What one read of 4,096 bytes can add to the 64 answers that may be due before it. */
enum { OWED_MOST = 64 + 4096 / (sizeof ASK - 1) + 1 };

static void eager_client(void) {
    int eager = connect_narrowly(hello.port), other = connect_to(hello.port);
    hello_flood(eager);
    for (int i = 0; i < 10; i++)
        hello_ask(other);
    hello_stop();
    uint64_t requests = json_number(hello.output, "requests");
    uint64_t responses = json_number(hello.output, "responses");
    cr_assert_leq(requests - responses, OWED_MOST, "%s", hello.output);
    close(eager);
    close(other);
}

Test(readiness, who_asks_without_reading_is_left_unread) {
    on_every_hello(NULL, NULL, eager_client);
}

static void reads_late(void) {
    static char bytes[1 << 16];
    int client = connect_narrowly(hello.port), much = 1 << 20;
    size_t asked = hello_flood(client), lines = 0;
    cr_assert(setsockopt(client, SOL_SOCKET, SO_RCVBUF, &much, sizeof much) == 0);
    cr_assert(shutdown(client, SHUT_WR) == 0);
    for (ssize_t n = 1; n > 0;) {
        cr_assert(readable_within(client, WAIT_MS));
        n = read(client, bytes, sizeof bytes);
        cr_assert_geq(n, 0, "the connection was reset");
        for (ssize_t i = 0; i < n; i++)
            lines += bytes[i] == '\n';
    }
    cr_assert_eq(lines, 5 * asked, "%zu lines for %zu requests", lines, asked);
    close(client);
}

Test(readiness, who_reads_late_gets_every_answer) {
    on_every_hello(NULL, NULL, reads_late);
}

static void clients_stay(void) {
    static const char *const sent[] = {"", "GET / HT", ASK};
    for (int i = 0; i < 30; i++) /* they are closed when the test ends */
        send_text(connect_to(hello.port), sent[i % 3]);
}

Test(readiness, stops_with_clients_connected) {
    on_every_hello(NULL, NULL, clients_stay);
}

Test(readiness, what_can_not_be_had_is_one_line_and_exit_2) {
    static const char *const cases[][2] = {
        {"--port", "65536"},     {"--port", "x"},       {"--port", NULL},
        {"--backend", ""},       {"--backend", "epol"}, {"--backend", "select"},
        {"--host", "192.0.2.1"}, {"--prot", "1"},       {"8080", NULL},
        {"--stats=1", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct program program;
        program_run(&program, "02-readiness", cases[i][0], cases[i][1], NULL);
        cr_assert_eq(program.status, 2, "%s %s: %d", cases[i][0], cases[i][1],
                     program.status);
        cr_assert_str_eq(program.output, "");
        cr_assert_eq(strchr(program.errors, '\n') + 1, strchr(program.errors, '\0'),
                     "%s", program.errors);
        if (!strcmp(cases[i][0], "--backend"))
            cr_assert(strstr(program.errors, "poll"), "what it has: %s",
                      program.errors);
    }
}

static void taken_port(void) {
    struct program second;
    char port[16];
    snprintf(port, sizeof port, "%d", hello.port);
    program_run(&second, "02-readiness", "--port", port, NULL);
    cr_assert_eq(second.status, 2);
    cr_assert(strstr(second.errors, port) && strstr(second.errors, "--port"));
}

Test(readiness, a_port_in_use_is_one_line_and_exit_2) {
    on_every_hello(NULL, NULL, taken_port);
}
