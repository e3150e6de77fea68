/* The demo application, over a real executor and exchanges made by hand. */
#include "05-executor/test_bench.h"

#include <stdio.h>

#include "03-request/test_support_exchange.h"
#include "05-executor/demo.h"

TestSuite(demo, .timeout = 300);

enum { EXCHANGES = 4, SPINS = 100 };

static struct demo demo;
static struct exchange exchanges[EXCHANGES];
static char outputs[EXCHANGES][OUTPUT_MOST];
static char heads[EXCHANGES][HAND_HEAD];
static int answered, expected;
static uint64_t answered_at[EXCHANGES];

static void on_ready(void *unused, uint32_t slot) {
    (void)unused;
    note((char)('0' + slot));
    answered_at[slot] = clock_now();
    if (++answered == expected)
        run_stop(NULL);
}

static void start(int answers) {
    demo = (struct demo){0};
    demo_init(&demo, bench.executor, SPINS);
    answered = 0;
    expected = answers;
}

static void begin(void *exchange) {
    demo.application.begin(demo.application.self, exchange);
}

/* A request for `target` in slot `slot`. */
static void ask(uint32_t slot, const char *target) {
    struct exchange *exchange = &exchanges[slot];
    exchange_by_hand(exchange, slot, target, heads[slot]);
    exchange->output = outputs[slot];
    exchange->ready = on_ready;
    begin(exchange);
}

static void expect(uint32_t slot, int status, const char *body) {
    struct exchange *exchange = &exchanges[slot];
    char line[32];
    size_t filled = atomic_load(&exchange->filled);
    cr_assert(atomic_load(&exchange->ended), "slot %u has no answer", slot);
    cr_assert_lt(filled, OUTPUT_MOST);
    outputs[slot][filled] = '\0';
    snprintf(line, sizeof line, "HTTP/1.1 %d ", status);
    cr_assert(!strncmp(outputs[slot], line, strlen(line)), "not %d: %s", status,
              outputs[slot]);
    cr_assert_str_eq(strstr(outputs[slot], "\r\n\r\n") + 4, body);
}

EACH_BACKEND(demo, says_hello_and_knows_no_other_path_at_once) {
    start(3);
    ask(0, "/");
    ask(1, "/slow/");
    ask(2, "/?ms=3");
    expect(0, 200, "hello\n");
    expect(1, 404, "not found\n");
    expect(2, 200, "hello\n");
}

EACH_BACKEND(demo, slow_answers_after_its_time_and_leaves_the_executor_free) {
    start(3);
    uint64_t began = clock_now();
    ask(0, "/slow?ms=60");
    ask(1, "/slow?ms=30");
    ask(2, "/slow?ms=0");
    cr_assert_eq(answered, 0);
    run();
    expect(0, 200, "slept 60 ms\n");
    expect(1, 200, "slept 30 ms\n");
    expect(2, 200, "slept 0 ms\n");
    cr_assert_geq(answered_at[0] - began, 60 * NS_PER_MS);
    cr_assert_geq(answered_at[1] - began, 30 * NS_PER_MS);
    cr_assert_lt(answered_at[2], answered_at[1]);
    cr_assert_lt(answered_at[1], answered_at[0], "they sleep at the same time");
}

EACH_BACKEND(demo, fanout_runs_its_callbacks_in_one_iteration_and_then_answers) {
    start(2);
    ask(0, "/fanout?n=100");
    soon(run_note, LETTER('a'));
    ask(1, "/fanout?n=1");
    cr_assert_eq(answered, 0);
    run();
    cr_assert_str_eq(bench.log, "|0a1");
    expect(0, 200, "100 callbacks, sum 5050\n");
    expect(1, 200, "1 callbacks, sum 1\n");
}

EACH_BACKEND(demo, fanout_of_the_most) {
    start(1);
    ask(0, "/fanout?n=1000");
    run();
    expect(0, 200, "1000 callbacks, sum 500500\n");
}

EACH_BACKEND(demo, work_answers_at_once) {
    start(2);
    uint64_t noise = demo.noise;
    ask(0, "/work?us=0");
    expect(0, 200, "worked 0 us\n");
    cr_assert_eq(demo.noise, noise);
    ask(1, "/work?us=7");
    expect(1, 200, "worked 7 us\n");
    cr_assert_neq(demo.noise, noise, "somebody did work");
}

EACH_BACKEND(demo, work_is_a_fixed_number_of_turns_for_a_number_of_spins) {
    start(4);
    ask(0, "/work?us=300");
    uint64_t noise = demo.noise;
    start(4);
    for (int i = 0; i < 3; i++)
        ask(0, "/work?us=100");
    cr_assert_eq(demo.noise, noise);
}

EACH_BACKEND(demo, work_whose_turns_nobody_gave_measures_them_first) {
    start(2);
    demo.spins_per_us = 0;
    ask(0, "/work?us=0");
    cr_assert_gt(demo.spins_per_us, 0);
    uint64_t began = clock_cpu();
    ask(0, "/work?us=50000");
    cr_assert_geq(clock_cpu() - began, 25 * NS_PER_MS); /* the half, for safety */
}

EACH_BACKEND(demo, a_number_that_is_none_or_out_of_range_is_a_400) {
    static const struct {
        const char *target, *body;
    } cases[] = {
        {"/slow", "ms has to be a number from 0 to 60000\n"},
        {"/slow?", "ms has to be a number from 0 to 60000\n"},
        {"/slow?ms", "ms has to be a number from 0 to 60000\n"},
        {"/slow?ms=", "ms has to be a number from 0 to 60000\n"},
        {"/slow?ms=60001", "ms has to be a number from 0 to 60000\n"},
        {"/slow?ms=-1", "ms has to be a number from 0 to 60000\n"},
        {"/slow?ms=1x", "ms has to be a number from 0 to 60000\n"},
        {"/slow?ms=18446744073709551617", "ms has to be a number from 0 to 60000\n"},
        {"/slow?sms=5", "ms has to be a number from 0 to 60000\n"},
        {"/fanout?n=0", "n has to be a number from 1 to 1000\n"},
        {"/fanout?n=1001", "n has to be a number from 1 to 1000\n"},
        {"/work?us=1000001", "us has to be a number from 0 to 1000000\n"},
    };
    start(0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(0, cases[i].target);
        expect(0, 400, cases[i].body);
    }
    ask(0, "/fanout?x=1&n=2&n=3"); /* the first of the name counts */
    expected = answered + 1;
    run();
    expect(0, 200, "2 callbacks, sum 3\n");
}

EACH_BACKEND(demo, a_disconnect_does_not_stop_an_answer) {
    start(1);
    ask(0, "/slow?ms=10");
    demo.application.disconnect(demo.application.self, &exchanges[0]);
    run();
    expect(0, 200, "slept 10 ms\n");
}

EACH_BACKEND(demo, shutdown_takes_back_what_sleeps) {
    start(1);
    ask(0, "/slow?ms=10");
    ask(1, "/slow?ms=20");
    demo.application.shutdown(demo.application.self);
    later(40, run_stop, NULL);
    run();
    cr_assert_eq(answered, 0);
}
