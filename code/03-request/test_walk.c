/* The connection under anything that can happen to it, in any order: thousands of
 * random walks, each from a seed of its own. bench_move() looks at every step. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/clock.h"
#include "03-request/test_support_conn.h"

TestSuite(walk, .timeout = 300);

enum { WALKS = 1000, STEPS = 150 };

static struct bench bench;
static uint64_t seed, state;

static void name_the_walk(void) {
    if (seed)
        fprintf(stderr, "it was the walk of seed %llu\n", (unsigned long long)seed);
}

/* A number below `most`: xorshift (Marsaglia, 2003). */
static size_t chance(size_t most) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % most;
}

/* The answer to the k-th request is k, over and over, so that the client can tell. */
static struct {
    int number;
    size_t size, given;
    bool started, full;
} answer;

static char byte_of(int number, size_t at) {
    return (char)('A' + (size_t)number % 26 + at % 7);
}

static void on_begin(struct bench *of, struct exchange *exchange) {
    (void)exchange;
    static const size_t sizes[] = {0, 1, 100, 5000, OUTPUT_MOST, 2 * OUTPUT_MOST + 5};
    answer.number = of->begins;
    answer.size = sizes[chance(6)];
    answer.given = 0;
    answer.started = answer.full = false;
}

static void on_room(struct bench *of, struct exchange *exchange) {
    (void)of;
    (void)exchange;
    cr_assert(answer.full, "it didn't ask for room");
    answer.full = false;
}

static void give_chunk(void) {
    static char bytes[1 << 17];
    size_t most = answer.size - answer.given, n = chance(most + 1);
    for (size_t i = 0; i < n; i++)
        bytes[i] = byte_of(answer.number, answer.given + i);
    size_t taken = exchange_chunk(bench.open, bytes, n, true);
    answer.given += taken;
    answer.full = taken < n;
}

/* The application does the next thing, or ends where it has no business to. */
static void work(void) {
    struct exchange *exchange = bench.open;
    if (!exchange || answer.full)
        return;
    if (!answer.started) {
        exchange_start(exchange, 200, NULL, 0, answer.size);
        answer.started = true;
    } else if (answer.given < answer.size && chance(50) > 0)
        give_chunk();
    else {
        bench.open = NULL;
        exchange_end(exchange);
    }
}

static void speak(void) {
    static const char *const phrases[] = {
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "BREW / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\x01",
    };
    /* The last three end the connection, so they are rarer. */
    const char *phrase = phrases[chance(chance(15) ? 5 : 8)];
    size_t cut = chance(4) ? strlen(phrase) : chance(strlen(phrase));
    if (bench.client_ended)
        return;
    bench_feed(&bench, phrase, cut);
    if (chance(10))
        bench_feed(&bench, phrase + cut, strlen(phrase) - cut);
    else
        bench.unread_length = 0; /* the rest never comes, so a wrong head follows */
}

static void step(void) {
    static const size_t takes[] = {0, 1, 100, 70000, SIZE_MAX};
    enum conn_phase phase = bench.conn.phase;
    switch (chance(12)) {
    case 0:
    case 1:
    case 2:
        speak();
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        work();
        bench_move(&bench);
        break;
    case 7:
        bench.takes = takes[chance(5)];
        bench_move(&bench);
        break;
    case 8:
        if (chance(20) == 0)
            bench_ends(&bench);
        break;
    case 9:
        if (chance(40) == 0 && phase != CONN_GONE && phase != CONN_OVER)
            bench_breaks(&bench);
        break;
    case 10: /* up to the deadline, or beyond it */
        if (bench.conn.deadline != NEVER && chance(3))
            bench.now += (bench.conn.deadline - bench.now) / 2;
        else if (bench.conn.deadline != NEVER && chance(5) == 0)
            bench_passes(&bench, (double)(bench.conn.deadline + NS_PER_MS) / 1e9);
        break;
    default:
        bench_move(&bench);
    }
}

/* Whatever has happened, once the client has left and the application ended it is over,
 * without any time passing. */
static void finish(void) {
    bench.takes = SIZE_MAX;
    bench.client_ended = true;
    for (int i = 0; i < 10000 && bench.conn.phase != CONN_OVER; i++) {
        work();
        bench_move(&bench);
    }
    cr_assert_eq(bench.conn.phase, CONN_OVER, "it never ends");
    cr_assert_null(bench.open, "the application is left with an exchange");
}

/* The client got the answers to 1, 2, 3…, each whole but perhaps the last, and then
 * perhaps one refusal. */
static void expect_answers(const char *got, size_t length) {
    const char *at = got, *end = got + length;
    for (int number = 1; at < end; number++) {
        int status;
        size_t size;
        const char *body = strstr(at, "\r\n\r\n");
        if (!body)
            return; /* a head cut short */
        cr_assert_eq(
            sscanf(at, "HTTP/1.1 %d %*[^\r]\r\nContent-Length: %zu", &status, &size), 2,
            "not a head: %.60s", at);
        at = body + 4;
        if (status != 200) {
            cr_assert(status == 400 || status == 501 || status == 408, "%d", status);
            cr_assert_leq((size_t)(end - at), size, "something follows a refusal");
            return;
        }
        for (size_t i = 0; i < size && at < end; i++)
            cr_assert_eq(*at++, byte_of(number, i), "byte %zu of answer %d", i, number);
    }
}

Test(walk, nothing_gets_it_stuck_or_mixes_its_answers) {
    int over = 0, answers = 0, expired = 0;
    atexit(name_the_walk);
    for (seed = 1; seed <= WALKS; seed++) {
        state = seed * 0x9e3779b97f4a7c15;
        bench_open(&bench);
        bench.begun = on_begin;
        bench.has_room = on_room;
        for (int i = 0; i < STEPS; i++)
            step();
        over += bench.conn.phase == CONN_OVER;
        expired += bench.now > NS_PER_S;
        answers += (int)bench.counters.responses;
        finish();
        cr_assert_leq(bench.disconnects, bench.begins);
        cr_assert_eq(bench.counters.requests, (uint64_t)bench.begins);
        size_t length = bench.got_length;
        expect_answers(bench_got(&bench), length);
        bench_close(&bench);
    }
    seed = 0;
    /* The walks have to go somewhere: a third ends by itself, most see some answers. */
    cr_assert(over > WALKS / 20 && over < WALKS && answers > WALKS &&
                  expired > WALKS / 10,
              "%d over, %d answers, %d through time", over, answers, expired);
}
