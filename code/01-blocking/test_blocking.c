/* The blocking server, from outside: what it answers, and whom it lets wait. */
#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/test_support.h"

static struct program server;

static void start(void) {
    program_start(&server, "01-blocking", NULL);
}

static void stop(void) {
    program_stop(&server);
    cr_assert_eq(server.status, 0);
}

TestSuite(blocking, .init = start, .fini = stop, .timeout = 300);
TestSuite(blocking_command, .timeout = 300);

/* Sends `request` on a connection of its own; all that comes back is one response and
 * the end. */
static void ask(const char *request, struct response *response) {
    char nothing[2];
    int client = connect_to(server.port);
    send_text(client, request);
    if (!strncmp(request, "HEAD", 4))
        read_response_to_head(client, response);
    else
        read_response(client, response);
    cr_assert_eq(read_to_end(client, nothing, sizeof nothing), 0);
    close(client);
}

Test(blocking, says_hello_and_closes) {
    struct response response;
    ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n", &response);
    cr_assert_str_eq(response.head, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                                    "Content-Length: 6\r\nConnection: close\r\n\r\n");
    cr_assert_str_eq(response.body, "hello\n");
}

Test(blocking, a_head_gets_the_same_head_and_no_body) {
    struct response get, head;
    ask("GET / HTTP/1.0\r\n\r\n", &get);
    ask("HEAD / HTTP/1.0\r\n\r\n", &head);
    cr_assert_str_eq(get.head, head.head);
}

Test(blocking, refuses_what_it_does_not_serve) {
    static const struct {
        int status;
        const char *request;
    } cases[] = {
        {404, "GET /other HTTP/1.1\r\n\r\n"},
        {404, "HEAD /other HTTP/1.1\r\n\r\n"},
        {501, "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"},
        {501, "get / HTTP/1.1\r\n\r\n"},
        {400, "\r\n\r\n"},
        {400, "GET\r\n\r\n"},
        {400, "GET /\r\n\r\n"},
        {400, "GET  / HTTP/1.1\r\n\r\n"},
        {400, "GET / HTTP/1.1 \r\n\r\n"},
        {400, "GET / HTTP/2.0\r\n\r\n"},
        {400, "GET / http/1.1\r\n\r\n"},
        {400, "G(T / HTTP/1.1\r\n\r\n"},
        {400, " GET / HTTP/1.1\r\n\r\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct response response;
        ask(cases[i].request, &response);
        cr_assert_eq(response.status, cases[i].status, "%d for: %s", response.status,
                     cases[i].request);
    }
}

Test(blocking, refuses_a_byte_that_no_head_holds_without_waiting_for_the_end) {
    struct response response;
    int client = connect_to(server.port);
    send_bytes(client, "\x16\x03\x01\x00\xa5", 5); /* how a TLS client begins */
    read_response(client, &response);
    cr_assert_eq(response.status, 400);
    close(client);
}

Test(blocking, takes_a_head_of_8_KiB_and_refuses_one_byte_more) {
    for (size_t length = 8192; length <= 8193; length++) {
        static char request[8194];
        struct response response;
        int start_length = sprintf(request, "GET / HTTP/1.1\r\nX: ");
        memset(request + start_length, 'x', length - (size_t)start_length - 4);
        strcpy(request + length - 4, "\r\n\r\n");
        ask(request, &response);
        cr_assert_eq(response.status, length == 8192 ? 200 : 431);
    }
}

Test(blocking, reads_a_head_that_comes_a_byte_at_a_time) {
    struct response response;
    int client = connect_to(server.port);
    for (const char *byte = "GET / HTTP/1.1\r\n\r\n"; *byte; byte++)
        send_bytes(client, byte, 1);
    read_response(client, &response);
    cr_assert_eq(response.status, 200);
    close(client);
}

Test(blocking, the_answer_survives_bytes_that_nobody_reads) {
    static char request[30000];
    for (int round = 0; round < 20; round++) {
        struct response response;
        memset(request, 'b', sizeof request - 1);
        memcpy(request, "GET / HTTP/1.1\r\n\r\n", 18);
        ask(request, &response);
        cr_assert_eq(response.status, 200);
    }
}

Test(blocking, goes_on_when_clients_leave_in_the_middle) {
    struct response response;
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    for (int round = 0; round < 20; round++) {
        int client = connect_to(server.port);
        send_text(client, round % 2 ? "GET / HT" : "GET / HTTP/1.1\r\n\r\n");
        if (round % 4 > 1)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(client);
    }
    ask("GET / HTTP/1.1\r\n\r\n", &response);
    cr_assert_eq(response.status, 200);
}

/* The point of the chapter. A blocking server can't fail the two negative checks,
 * however slow the machine: it sits in the first client's read. */
static int second_client_behind(int first) {
    send_text(first, "GET / HT");
    int second = connect_to(server.port);
    send_text(second, "GET / HTTP/1.1\r\n\r\n");
    cr_assert_not(readable_within(second, 200), "the second client needn't wait");
    return second;
}

Test(blocking, half_a_head_keeps_the_next_client_waiting) {
    struct response response;
    int first = connect_to(server.port);
    int second = second_client_behind(first);
    send_text(first, "TP/1.1\r\n\r\n");
    cr_assert(readable_within(second, WAIT_MS));
    cr_assert(readable_within(first, 0), "the second was answered before the first");
    read_response(first, &response);
    cr_assert_eq(response.status, 200);
    read_response(second, &response);
    cr_assert_eq(response.status, 200);
    close(first);
    close(second);
}

Test(blocking, the_next_client_is_answered_once_the_first_has_left) {
    struct response response;
    int first = connect_to(server.port);
    int second = second_client_behind(first);
    close(first);
    read_response(second, &response);
    cr_assert_eq(response.status, 200);
    close(second);
}

Test(blocking, stops_while_a_client_holds_it) {
    int client = connect_to(server.port);
    send_text(client, "GET / HT");
    stop();
    close(client);
    start(); /* for the end of the test to stop */
}

Test(blocking_command, a_port_in_use_is_one_line_and_exit_2) {
    struct program second;
    char port[16];
    start();
    snprintf(port, sizeof port, "%d", server.port);
    program_run(&second, "01-blocking", "--port", port, NULL);
    cr_assert_eq(second.status, 2);
    cr_assert_str_eq(second.output, "");
    cr_assert(strstr(second.errors, port) && strstr(second.errors, "--port N"));
    cr_assert_eq(strchr(second.errors, '\n') + 1, strchr(second.errors, '\0'));
    stop();
}

Test(blocking_command, a_wrong_option_is_one_line_and_exit_2) {
    static const char *const cases[][2] = {
        {"--port", NULL},  {"--port", ""},     {"--port", "-1"}, {"--port", "65536"},
        {"--port", "80x"}, {"--prot", "8080"}, {"8080", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct program program;
        program_run(&program, "01-blocking", cases[i][0], cases[i][1], NULL);
        cr_assert_eq(program.status, 2, "%s", cases[i][0]);
        cr_assert(strstr(program.errors, "--port N"));
        cr_assert_eq(strchr(program.errors, '\n') + 1, strchr(program.errors, '\0'));
    }
}

Test(blocking_command, help_is_no_error) {
    struct program program;
    program_run(&program, "01-blocking", "--help", NULL);
    cr_assert_eq(program.status, 0);
    cr_assert(strstr(program.output, "--port N"));
}
