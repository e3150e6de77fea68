/* What every server of the demo application does: answers that come later. */
#include "03-request/test_support_http.h"

#include <criterion/criterion.h>
#ifdef __linux__
#include <dirent.h>
#endif
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "03-request/test_support_checks.h"

#define COUNT(of) (sizeof(of) / sizeof(of)[0])

static void ask_slow(int client, int ms) {
    char target[40];
    snprintf(target, sizeof target, "/slow?ms=%d", ms);
    ask(client, target);
}

static void expect_slow(struct served *served, int client, int ms) {
    char body[40];
    snprintf(body, sizeof body, "slept %d ms\n", ms);
    expect(served, client, 200, body);
}

static void answers_in_order(struct served *served) {
    int client = client_of(served);
    send_text(client, "GET /slow?ms=40 HTTP/1.1\r\nHost: a\r\n\r\n"
                      "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
                      "GET /slow?ms=20 HTTP/1.1\r\nHost: a\r\n\r\n"
                      "GET /slow?ms=0 HTTP/1.1\r\nHost: a\r\n\r\n");
    expect_slow(served, client, 40);
    expect(served, client, 200, "hello\n");
    expect_slow(served, client, 20);
    expect_slow(served, client, 0);
    close(client);
}

static void takes_as_long_as_asked(struct served *served) {
    int client = client_of(served);
    uint64_t began = clock_now();
    get(served, client, "/slow?ms=120", 200, "slept 120 ms\n");
    cr_assert_geq(clock_now() - began, 120 * NS_PER_MS);
    close(client);
}

/* One after the other they would take twelve seconds. */
static void waits_for_many_at_once(struct served *served) {
    int clients[60];
    uint64_t began = clock_now();
    for (int i = 0; i < 60; i++) {
        clients[i] = client_of(served);
        ask_slow(clients[i], 200 - i);
    }
    for (int i = 0; i < 60; i++) {
        expect_slow(served, clients[i], 200 - i);
        close(clients[i]);
    }
    cr_assert_lt(clock_now() - began, 10 * NS_PER_S);
}

static void spreads_and_works(struct served *served) {
    int client = client_of(served);
    get(served, client, "/fanout?n=1", 200, "1 callbacks, sum 1\n");
    get(served, client, "/fanout?n=1000", 200, "1000 callbacks, sum 500500\n");
    get(served, client, "/work?us=10", 200, "worked 10 us\n");
    get(served, client, "/work?us=0", 200, "worked 0 us\n");
    get(served, client, "/slow?x=1&ms=1&ms=2", 200, "slept 1 ms\n");
    send_text(client, "HEAD /slow?ms=10 HTTP/1.1\r\nHost: a\r\n\r\n");
    struct response response;
    read_response_to_head(client, &response);
    served->answered++;
    cr_assert_eq(response.status, 200);
    get(served, client, "/", 200, "hello\n");
    close(client);
}

static void refuses_bad_numbers(struct served *served) {
    static const char *const targets[] = {
        "/slow",          "/slow?ms=",     "/slow?ms=-1",
        "/slow?ms=60001", "/slow?ms=1x",   "/slow?ms=99999999999999999999",
        "/slow?n=1",      "/fanout?n=0",   "/fanout?n=1001",
        "/fanout",        "/work?us=0x10", "/work?us=1000001",
        "/work?us=+1",    "/slow?ms=%31",  "/slow?MS=1",
    };
    int client = client_of(served);
    for (size_t i = 0; i < COUNT(targets); i++)
        get(served, client, targets[i], 400, NULL);
    get(served, client, "/", 200, "hello\n");
    close(client);
}

static void answers_later_who_sends_no_more(struct served *served) {
    int client = client_of(served);
    ask_slow(client, 100);
    ask_slow(client, 20);
    ask(client, "/");
    cr_assert(shutdown(client, SHUT_WR) == 0);
    expect_slow(served, client, 100);
    expect_slow(served, client, 20);
    expect(served, client, 200, "hello\n");
    expect_end(client);
    client = client_of(served);
    ask_slow(client, 30);
    cr_assert(shutdown(client, SHUT_WR) == 0);
    expect_slow(served, client, 30);
    expect_end(client);
}

/* Slots and descriptors of those who left go to those who come. Each who stays asks for
 * a number of its own, twice, and gets these two answers and nothing else. */
static void tells_the_tenants_apart(struct served *served) {
    enum { ROUNDS = 25, EACH = 8 };
    int number = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int leavers[EACH], stayers[EACH];
        for (int i = 0; i < EACH; i++) {
            leavers[i] = client_of(served);
            ask_slow(leavers[i], i * 3);
        }
        for (int i = 0; i < EACH; i++) {
            if ((i + round) % 3)
                reset(leavers[i]);
            else
                close(leavers[i]);
            served->perhaps++;
            stayers[i] = client_of(served);
            ask_slow(stayers[i], number + i);
        }
        for (int i = 0; i < EACH; i++) {
            expect_slow(served, stayers[i], number + i);
            get(served, stayers[i], i % 2 ? "/" : "/no", i % 2 ? 200 : 404, NULL);
            cr_assert(shutdown(stayers[i], SHUT_WR) == 0);
            expect_end(stayers[i]);
        }
        number = (number + 7) % 40;
    }
}

/* A client who has sent all that the server takes while it waits is watched for
 * nothing. Its reset must neither be seen again and again nor harm anybody. */
static void sleeps_beside_who_left(struct served *served) {
    static char more[200000];
    memset(more, 'm', sizeof more);
    int clients[3], other = client_of(served);
    for (int i = 0; i < 3; i++) {
        clients[i] = client_of(served);
        ask_slow(clients[i], 60000);
        served->perhaps++;
    }
    get(served, other, "/", 200, "hello\n"); /* their requests are read by now */
    cr_assert(send(clients[0], more, sizeof more, MSG_DONTWAIT) > 0);
    cr_assert(send(clients[1], more, sizeof more, MSG_DONTWAIT) > 0);
    get(served, other, "/", 200, "hello\n");
    reset(clients[0]);
    cr_assert(shutdown(clients[2], SHUT_WR) == 0);
    get(served, other, "/", 200, "hello\n");
    expect_sleep(served);
    reset(clients[2]);
    close(clients[1]);
    get(served, other, "/", 200, "hello\n");
    expect_sleep(served);
    close(other);
}

#ifdef __linux__
static int descriptors_of(const struct served *served) {
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)served->program.pid);
    DIR *folder = opendir(path);
    cr_assert_not_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}
#endif

/* Clients who wait for an answer that won't come for a minute. Each who is reset is
 * heard of at once, whatever the application does: its socket is closed. Who only closes
 * its side may still read, so of that one nothing can be seen until the answer is sent;
 * but then it is seen. Looked at on Linux alone. */
static void hears_of_who_leaves_while_it_waits(struct served *served) {
#ifdef __linux__
    int clients[4], other = client_of(served);
    get(served, other, "/", 200, "hello\n");
    for (size_t i = 0; i < COUNT(clients); i++) {
        clients[i] = client_of(served);
        get(served, clients[i], "/", 200, "hello\n"); /* it has been let in */
        ask_slow(clients[i], i % 2 ? 60000 : 50);
        served->perhaps++;
    }
    uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS;
    get(served, other, "/", 200, "hello\n"); /* all are at work */
    int without = descriptors_of(served) - (int)COUNT(clients);
    for (size_t i = 0; i < COUNT(clients); i++)
        if (i % 2)
            reset(clients[i]);
        else
            close(clients[i]);
    while (descriptors_of(served) > without) {
        cr_assert_lt(clock_now(), deadline, "%d sockets stay open",
                     descriptors_of(served) - without);
        get(served, other, "/", 200, "hello\n");
    }
    close(other);
#else
    (void)served;
#endif
}

static void stops_while_somebody_waits(struct served *served) {
    ask_slow(client_of(served), 60000);
    served->perhaps++;
    get(served, client_of(served), "/slow?ms=1", 200, NULL); /* both stay open */
}

void check_demo(const char *program, const char *backend) {
    static const struct check all[] = {
        {"answers in order", answers_in_order},
        {"answers the table's slow rows", plays_the_slow_rows},
        {"takes as long as asked", takes_as_long_as_asked},
        {"waits for many at once", waits_for_many_at_once},
        {"spreads and works", spreads_and_works},
        {"refuses bad numbers", refuses_bad_numbers},
        {"answers later who sends no more", answers_later_who_sends_no_more},
        {"tells the tenants apart", tells_the_tenants_apart},
        {"sleeps beside who left", sleeps_beside_who_left},
        {"hears of who leaves while it waits", hears_of_who_leaves_while_it_waits},
        {"stops while somebody waits", stops_while_somebody_waits},
    };
    run_checks(program, backend, NULL, all, COUNT(all));
}
