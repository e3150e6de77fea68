/* What every server of hello does for its clients. */
#include "03-request/test_support_http.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "03-request/test_support_checks.h"

#define GET       "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define GET_LAST  "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
#define COUNT(of) (sizeof(of) / sizeof(of)[0])

static void says_hello(struct served *served) {
    struct response response;
    int client = client_of(served);
    send_text(client, GET);
    read_response(client, &response);
    served->answered++;
    cr_assert_eq(response.status, 200);
    cr_assert_str_eq(response.body, "hello\n");
    cr_assert(strstr(response.head, "\r\nContent-Type: text/plain\r\n"));
    cr_assert(strstr(response.head, "\r\nDate: "));
    cr_assert_not(strstr(response.head, "\r\nConnection:"));
    close(client);
}

static void without_date(char *head) {
    char *date = strstr(head, "Date: ");
    cr_assert(date);
    memmove(date, strchr(date, '\n') + 1, strlen(strchr(date, '\n') + 1) + 1);
}

static void head_has_no_body(struct served *served) {
    struct response to_head, to_get;
    int client = client_of(served);
    send_text(client, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" GET);
    read_response_to_head(client, &to_head);
    read_response(client, &to_get);
    served->answered += 2;
    without_date(to_head.head);
    without_date(to_get.head);
    cr_assert_str_eq(to_head.head, to_get.head);
    cr_assert_str_eq(to_get.body, "hello\n");
    close(client);
}

static void does_not_find_other_paths(struct served *served) {
    int client = client_of(served);
    get(served, client, "/nowhere", 404, "not found\n");
    get(served, client, "//", 404, NULL);
    get(served, client, "/?a=b", 200, "hello\n");
    close(client);
}

static void keeps_the_connection(struct served *served) {
    int client = client_of(served);
    for (int i = 0; i < 200; i++)
        get(served, client, "/", 200, "hello\n");
    close(client);
}

static void answers_pipelined_requests_in_order(struct served *served) {
    static const int lengths[] = {2, 100};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        static char heads[8192];
        int client = client_of(served);
        heads[0] = '\0';
        for (int j = 0; j < lengths[i]; j++)
            strcat(heads, j % 3 == 1 ? "GET /no HTTP/1.1\r\nHost: a\r\n\r\n" : GET);
        send_text(client, heads);
        for (int j = 0; j < lengths[i]; j++)
            expect(served, client, j % 3 == 1 ? 404 : 200, NULL);
        get(served, client, "/", 200, "hello\n");
        close(client);
    }
}

static void reads_heads_in_pieces(struct served *served) {
    int client = client_of(served);
    for (const char *byte = GET GET; *byte; byte++)
        send_bytes(client, byte, 1);
    expect(served, client, 200, "hello\n");
    expect(served, client, 200, "hello\n");
    send_text(client, GET "GET / HT");
    expect(served, client, 200, "hello\n");
    send_text(client, "TP/1.1\r\nHost: a\r\n\r\n");
    expect(served, client, 200, "hello\n");
    close(client);
}

/* Each is refused and the connection ends, though the client has sent on meanwhile: a
 * server that closes at once would reset the connection and take its answer back. */
static void refuses_and_closes(struct served *served) {
    static const struct {
        int status;
        const char *head;
    } cases[] = {
        {400, "GET / HTTP/1.1\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
        {400, "GET / HTTP/1.1\nHost: a\n\n"},
        {400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "\x16\x03\x01\x02"},
        {501, "BREW / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {501, "get / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {501, "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"},
        {505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
    };
    static char more[60000];
    memset(more, 'm', sizeof more);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct response response;
        int client = client_of(served);
        send_text(client, cases[i].head);
        send_bytes(client, more, sizeof more);
        read_response(client, &response);
        cr_assert_eq(response.status, cases[i].status, "%d, not %d: %s",
                     response.status, cases[i].status, cases[i].head);
        cr_assert(strstr(response.head, "\r\nConnection: close\r\n"));
        expect_end(client);
    }
}

/* A method that the application doesn't serve is no reason to close. */
static void refuses_a_method_and_goes_on(struct served *served) {
    static const char *const heads[] = {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
    };
    int client = client_of(served);
    for (size_t i = 0; i < COUNT(heads); i++) {
        struct response response;
        send_text(client, heads[i]);
        read_response(client, &response);
        served->answered++;
        cr_assert_eq(response.status, i == 2 ? 404 : 405, "%d: %s", response.status,
                     heads[i]);
        if (i != 2)
            cr_assert(strstr(response.head, "\r\nAllow: GET, HEAD\r\n"));
        get(served, client, "/", 200, "hello\n");
    }
    close(client);
}

static void refuses_a_head_that_is_too_large(struct served *served) {
    static char head[70000];
    size_t sizes[] = {16384, 16385, sizeof head};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct response response;
        int client = client_of(served);
        memset(head, 'x', sizes[i]);
        memcpy(head, GET "X: ", strlen(GET) + 3);
        memcpy(head + strlen(GET) - 2, "Y: ", 3);
        memcpy(head + sizes[i] - 4, "\r\n\r\n", 4);
        send_bytes(client, head, sizes[i]);
        read_response(client, &response);
        cr_assert_eq(response.status, i == 0 ? 200 : 431, "%d for %zu bytes",
                     response.status, sizes[i]);
        served->answered += i == 0;
        if (i > 0)
            expect_end(client);
        else
            close(client);
    }
}

static void closes_when_the_client_wants_that(struct served *served) {
    static const char *const last[] = {
        GET_LAST,
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n",
    };
    for (size_t i = 0; i < COUNT(last); i++) {
        int client = client_of(served);
        send_text(client, GET);
        send_text(client, last[i]);
        send_text(client, GET); /* too late: it must not be answered */
        expect(served, client, 200, "hello\n");
        expect(served, client, 200, "hello\n");
        expect_end(client);
    }
}

static void keeps_http10_alive_if_asked(struct served *served) {
    struct response response;
    int client = client_of(served);
    for (int i = 0; i < 2; i++) {
        send_text(client, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        read_response(client, &response);
        cr_assert_eq(response.status, 200);
        cr_assert(strstr(response.head, "\r\nConnection: keep-alive\r\n"));
        served->answered++;
    }
    close(client);
}

static void answers_who_sends_no_more(struct served *served) {
    for (int requests = 1; requests <= 3; requests++) {
        int client = client_of(served);
        for (int i = 0; i < requests; i++)
            send_text(client, GET);
        cr_assert(shutdown(client, SHUT_WR) == 0);
        for (int i = 0; i < requests; i++)
            expect(served, client, 200, "hello\n");
        expect_end(client);
    }
    int client = client_of(served);
    send_text(client, "GET / HT");
    cr_assert(shutdown(client, SHUT_WR) == 0);
    expect_end(client);
}

static void leaves_the_date_out(struct served *served) {
    struct response response;
    int client = client_of(served);
    send_text(client, GET);
    read_response(client, &response);
    served->answered++;
    cr_assert_not(strstr(response.head, "Date:"));
    cr_assert_str_eq(response.body, "hello\n");
    close(client);
}

static void waits_for_a_head_so_long(struct served *served) {
    struct response response;
    int slow = client_of(served);
    send_text(slow, "GET / HTTP/1.1\r\n");
    int silent = client_of(served);
    read_response(slow, &response);
    cr_assert_eq(response.status, 408);
    expect_end(slow);
    expect_end(silent);
}

/* An idle client is closed. Another's idle timeout, which began before that one's, ends
 * nothing, for a request has come meanwhile. */
static void waits_for_a_next_request_so_long(struct served *served) {
    int busy = client_of(served), idle = client_of(served);
    get(served, busy, "/", 200, "hello\n");
    get(served, idle, "/", 200, "hello\n");
    send_text(busy, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
    expect_end(idle);
    send_text(busy, "hello");
    expect(served, busy, 200, "hello");
    close(busy);
}

void check_http(const char *program, const char *backend) {
    static const struct check all[] = {
        {"says hello", says_hello},
        {"HEAD has no body", head_has_no_body},
        {"does not find other paths", does_not_find_other_paths},
        {"keeps the connection", keeps_the_connection},
        {"answers pipelined requests in order", answers_pipelined_requests_in_order},
        {"reads heads in pieces", reads_heads_in_pieces},
        {"refuses and closes", refuses_and_closes},
        {"refuses a method and goes on", refuses_a_method_and_goes_on},
        {"refuses a head that is too large", refuses_a_head_that_is_too_large},
        {"closes when the client wants that", closes_when_the_client_wants_that},
        {"keeps HTTP/1.0 alive if asked", keeps_http10_alive_if_asked},
        {"answers who sends no more", answers_who_sends_no_more},
        {"answers the table of requests", plays_the_table},
    };
    static const struct check no_date[] = {{"leaves Date out", leaves_the_date_out}};
    static const struct check head[] = {{"head timeout", waits_for_a_head_so_long}};
    static const struct check idle[] = {
        {"idle timeout", waits_for_a_next_request_so_long}};
    run_checks(program, backend, NULL, all, COUNT(all));
    check_crowd(program, backend);
    check_bodies(program, backend);
    run_checks(program, backend, "--no-date-header", no_date, COUNT(no_date));
    run_checks(program, backend, "--head-timeout-ms=250", head, COUNT(head));
    run_checks(program, backend, "--idle-timeout-ms=400", idle, COUNT(idle));
}
