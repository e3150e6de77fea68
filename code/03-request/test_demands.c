/* A head taken apart, and what its fields ask for. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "03-request/request.h"

#define COUNT(of) (sizeof(of) / sizeof(of)[0])

static struct request request;

static void take(const char *head) {
    request = (struct request){0};
    cr_assert_eq(parse_plain(head, strlen(head), 0, &request), (int)strlen(head),
                 "not a head: %s", head);
}

static void expect_text(struct text text, const char *wanted) {
    cr_assert(text_is(text, wanted), "'%.*s', not '%s'", (int)text.length, text.at,
              wanted);
}

Test(demands, a_head_is_taken_apart) {
    take("PATCH /a/b?c=d?e HTTP/3.7\r\nHost: h:1\r\nempty:\r\nX-Y:\t z  z \t\r\n\r\n");
    expect_text(request.method, "PATCH");
    expect_text(request.target, "/a/b?c=d?e");
    cr_assert_eq(request.major, 3);
    cr_assert_eq(request.minor, 7);
    cr_assert_eq(request.field_count, 3);
    expect_text(request.fields[0].name, "Host");
    expect_text(request.fields[0].value, "h:1");
    expect_text(request.fields[1].name, "empty");
    expect_text(request.fields[1].value, "");
    expect_text(request.fields[2].name, "X-Y");
    expect_text(request.fields[2].value, "z  z");
}

/* The forms of RFC 9112, section 3.2. NULL: refused. */
Test(demands, a_target_has_a_path_and_perhaps_a_query) {
    static const struct {
        const char *method, *target, *path, *query;
    } cases[] = {
        {"GET", "/a", "/a", ""},
        {"GET", "/a?", "/a", ""},
        {"GET", "/a/b?c=d?e", "/a/b", "c=d?e"},
        {"GET", "/a:/", "/a:/", ""},
        {"GET", "//a", "//a", ""},
        {"GET", "http://a", "/", ""},
        {"GET", "http://a/", "/", ""},
        {"GET", "hTTp://a:80/b?c", "/b", "c"},
        {"GET", "http://a?c", "/", "c"},
        {"GET", "http://[::1]:/b", "/b", ""},
        {"OPTIONS", "*", "*", ""},
        {"OPTIONS", "http://a", "*", ""},
        {"OPTIONS", "http://a/", "/", ""},
        {"OPTIONS", "/", "/", ""},
        {"GET", "*", NULL, NULL},
        {"OPTIONS", "**", NULL, NULL},
        {"GET", "a", NULL, NULL},
        {"GET", "?a", NULL, NULL},
        {"GET", "http:/a", NULL, NULL},
        {"GET", "http://", NULL, NULL},
        {"GET", "http:///a", NULL, NULL},
        {"GET", "http://:80/a", NULL, NULL},
        {"GET", "http://u@a/", NULL, NULL},
        {"GET", "http://[::1/", NULL, NULL},
        {"GET", "http://a:b/", NULL, NULL},
        {"GET", "https://a/", NULL, NULL},
        {"GET", "a:80", NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char head[256];
        snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: a\r\n\r\n",
                 cases[i].method, cases[i].target);
        take(head);
        int status = request_demands(&request).refuse_with;
        cr_assert_eq(status, cases[i].path ? 0 : 400, "%d: %s", status, head);
        if (!cases[i].path)
            continue;
        expect_text(request.path, cases[i].path);
        expect_text(request.query, cases[i].query);
    }
}

Test(demands, what_can_not_be_served_is_refused) {
    static const struct {
        int status;
        const char *head;
    } cases[] = {
        {0, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {0, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {0, "GET / HTTP/1.2\r\nhost: a\r\n\r\n"},
        {0, "GET / HTTP/1.0\r\n\r\n"},
        {0, "GET / HTTP/1.0\r\nHost: a\r\n\r\n"},
        {0, "GET / HTTP/1.1\r\nHost:\r\n\r\n"},
        {0, "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"},
        {0, "GET / HTTP/1.1\r\nHost: a-b.c_d~%20:80\r\n\r\n"},
        {0, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"},
        {0, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 000\r\n\r\n"},
        {0, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n"},
        {0, "POST / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {0, "PUT / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {0, "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {0, "PATCH / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {0, "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {0, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {0, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n"},
        {0, "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"},
        {0, "POST / HTTP/1.0\r\nExpect: miracles\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHostx: a\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"},
        {400, "GET / HTTP/1.0\r\nHost: a\r\nHOST: b\r\n\r\n"},
        {400, "GET http://a/ HTTP/1.1\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a:8o\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a:80:80\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a\xff\r\n\r\n"},
        {413, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n"},
        {413,
         "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775808\r\n\r\n"},
        {413,
         "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"},
        {417, "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, more\r\n\r\n"},
        {417, "PUT / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n"},
        {501, "get / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {501, "GETS / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {501, "BREW / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {501, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"},
        {501, "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"},
        {505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
        {505, "GET / HTTP/0.9\r\nHost: a\r\n\r\n"},
        {505, "PRI * HTTP/2.0\r\n\r\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        take(cases[i].head);
        int status = request_demands(&request).refuse_with;
        cr_assert_eq(status, cases[i].status, "%d, not %d: %s", status, cases[i].status,
                     cases[i].head);
    }
}

/* Two readings of where a body ends are how one request hides in another. */
Test(demands, a_contradiction_about_the_body_is_refused_whatever_the_method) {
    static const char *const fields[] = {
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length: 5 5\r\n",
        "Content-Length: 5,\r\n",
        "Content-Length:\r\n",
        "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding:\r\n",
        "Transfer-Encoding: ,\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked,\r\n",
        "Transfer-Encoding: ,chunked\r\n",
        "Transfer-Encoding: chunked;q=1\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n",
    };
    static const char *const methods[] = {"GET", "POST", "BREW"};
    for (size_t i = 0; i < COUNT(fields) * COUNT(methods); i++) {
        char head[256];
        snprintf(head, sizeof head, "%s / HTTP/1.1\r\nHost: a\r\n%s\r\n",
                 methods[i % COUNT(methods)], fields[i / COUNT(methods)]);
        take(head);
        cr_assert_eq(request_demands(&request).refuse_with, 400, "%s", head);
    }
    take("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n");
    cr_assert_eq(request_demands(&request).refuse_with, 400);
}

Test(demands, the_connection_stays_open_by_version_and_by_wish) {
    static const struct {
        bool keep_alive;
        int minor;
        const char *fields;
    } cases[] = {
        {true, 1, ""},
        {false, 0, ""},
        {false, 1, "Connection: close\r\n"},
        {false, 1, "cOnnection:CLOSE\r\n"},
        {false, 1, "Connection: a, close ,b\r\n"},
        {false, 1, "Connection: ,,close\r\n"},
        {false, 1, "Connection: a\r\nConnection: close\r\n"},
        {false, 1, "Connection: keep-alive, close\r\n"},
        {false, 1, "Connection: close\r\nConnection: keep-alive\r\n"},
        {true, 1, "Connection: closed\r\n"},
        {true, 1, "Connection: not close\r\n"},
        {true, 1, "Connection:\r\n"},
        {true, 1, "Connection: upgrade\r\n"},
        {true, 1, "X: close\r\n"},
        {true, 0, "Connection: keep-alive\r\n"},
        {true, 0, "Connection: x\t,\tKeep-Alive\r\n"},
        {false, 0, "Connection: keep-alive\r\nConnection: close\r\n"},
        {false, 0, "Connection: keepalive\r\n"},
        {false, 0, "Keep-Alive: timeout=5\r\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char head[256];
        snprintf(head, sizeof head, "GET / HTTP/1.%d\r\nHost: a\r\n%s\r\n",
                 cases[i].minor, cases[i].fields);
        take(head);
        struct demands demands = request_demands(&request);
        cr_assert_eq(demands.refuse_with, 0);
        cr_assert_eq(demands.keep_alive, cases[i].keep_alive, "%s", head);
    }
}

Test(demands, only_head_has_no_body) {
    static const char *const heads[] = {"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
                                        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                                        "head / HTTP/1.1\r\nHost: a\r\n\r\n"};
    for (size_t i = 0; i < COUNT(heads); i++) {
        take(heads[i]);
        cr_assert_eq(request_demands(&request).head_only, i == 0);
    }
}

Test(demands, a_body_has_a_length_or_chunks) {
    take("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0012\r\n\r\n");
    struct demands demands = request_demands(&request);
    cr_assert_eq(demands.body, BODY_LENGTH);
    cr_assert_eq(demands.length, 12);
    take("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    cr_assert_eq(request_demands(&request).body, BODY_CHUNKED);
    take("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    cr_assert_eq(request_demands(&request).body, BODY_NONE);
    take("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    cr_assert_eq(request_demands(&request).body, BODY_NONE);
}

Test(demands, only_who_sends_a_body_by_1_1_can_wait_to_be_asked_for_it) {
    static const struct {
        int minor;
        const char *fields;
        bool waits;
    } cases[] = {
        {1, "Expect: 100-continue\r\nContent-Length: 1\r\n", true},
        {1, "Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n", true},
        {1, "Expect: 100-continue\r\nContent-Length: 0\r\n", false},
        {1, "Expect: 100-continue\r\n", false},
        {1, "Content-Length: 1\r\n", false},
        {0, "Expect: 100-continue\r\nContent-Length: 1\r\n", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char head[256];
        snprintf(head, sizeof head, "POST / HTTP/1.%d\r\nHost: a\r\n%s\r\n",
                 cases[i].minor, cases[i].fields);
        take(head);
        struct demands demands = request_demands(&request);
        cr_assert_eq(demands.refuse_with, 0);
        cr_assert_eq(demands.expects_continue, cases[i].waits, "%s", head);
    }
}

Test(demands, a_target_has_a_largest_size) {
    static char head[TARGET_MOST + 100];
    for (int over = 0; over <= 1; over++) {
        int n = sprintf(head, "GET /");
        memset(head + n, 'x', (size_t)(TARGET_MOST - 1 + over));
        strcpy(head + n + TARGET_MOST - 1 + over, " HTTP/1.1\r\nHost: a\r\n\r\n");
        take(head);
        cr_assert_eq(request_demands(&request).refuse_with, over ? 414 : 0);
    }
}
