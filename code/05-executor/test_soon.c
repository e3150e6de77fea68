/* Reaching the application: in order, in the next iteration, and not too late. */
#include "05-executor/test_bench.h"

#include "05-executor/soon.h"

TestSuite(soon, .timeout = 300);

static struct soon table;
static struct counters counters;
static struct exchange exchanges[3];
static char output[OUTPUT_MOST];

/* The application notes a letter for what it is told, and the digit of the slot. */
static void tell(char what, const struct exchange *exchange) {
    note(what);
    note((char)('0' + exchange->slot));
}

static void on_begin(void *unused, struct exchange *exchange) {
    (void)unused;
    tell('b', exchange);
}

static void on_room(void *unused, struct exchange *exchange) {
    (void)unused;
    tell('r', exchange);
}

static void on_disconnect(void *unused, struct exchange *exchange) {
    (void)unused;
    tell('d', exchange);
}

static void nothing(void *unused, uint32_t slot) {
    (void)unused;
    (void)slot;
}

static void start(void) {
    static const struct application application = {
        .begin = on_begin, .on_room = on_room, .disconnect = on_disconnect};
    counters = (struct counters){0};
    for (uint32_t slot = 0; slot < 3; slot++)
        exchanges[slot] = (struct exchange){
            .slot = slot, .tag = 1, .output = output, .ready = nothing};
    soon_init(&table, bench.executor, &application, &counters);
}

static void deliver(enum notice_kind kind, uint32_t slot, uint32_t tag) {
    soon_deliver(&table, (struct notice){kind, slot, tag}, &exchanges[slot]);
}

EACH_BACKEND(soon, notices_arrive_in_the_order_in_which_they_were_given) {
    start();
    deliver(NOTICE_BEGIN, 2, 1);
    deliver(NOTICE_BEGIN, 0, 1);
    deliver(NOTICE_DISCONNECT, 2, 1);
    deliver(NOTICE_ROOM, 2, 1);
    soon(run_stop, NULL);
    cr_assert_str_eq(bench.log, "", "nothing is told from inside the caller");
    run();
    cr_assert_str_eq(bench.log, "|b2b0d2r2");
    cr_assert_eq(counters.stale_events, 0);
}

static void deliver_two(void *argument) {
    run_note(argument);
    deliver(NOTICE_BEGIN, 0, 1);
    deliver(NOTICE_BEGIN, 1, 1);
    note('z');
    soon(run_stop, NULL);
}

EACH_BACKEND(soon, a_notice_from_a_callback_arrives_in_the_next_iteration) {
    start();
    soon(deliver_two, LETTER('a'));
    soon(run_note, LETTER('c'));
    run();
    cr_assert_str_eq(bench.log, "|azc|b0b1");
}

static void answer_0(void *unused) {
    (void)unused;
    exchange_answer(&exchanges[0], 200, "text/plain", "x", 1);
}

EACH_BACKEND(soon, a_notice_whose_exchange_ends_before_its_turn_is_dropped) {
    start();
    deliver(NOTICE_BEGIN, 0, 1);
    soon(answer_0, NULL);
    deliver(NOTICE_DISCONNECT, 0, 1);
    deliver(NOTICE_ROOM, 0, 1);
    soon(run_stop, NULL);
    run();
    cr_assert_str_eq(bench.log, "|b0");
    cr_assert_eq(counters.stale_events, 2);
}

/* The slot's next tenant begins while the last one's notice is on its way still. */
EACH_BACKEND(soon, a_notice_for_the_last_tenant_does_not_reach_the_next_one) {
    start();
    deliver(NOTICE_BEGIN, 0, 1);
    soon(answer_0, NULL);
    soon(run_stop, NULL);
    run();
    deliver(NOTICE_DISCONNECT, 0, 1);
    exchanges[0].tag = 2;
    exchanges[0].started = false;
    deliver(NOTICE_BEGIN, 0, 2);
    deliver(NOTICE_DISCONNECT, 0, 2);
    soon(run_stop, NULL);
    run();
    cr_assert_str_eq(bench.log, "|b0|b0d0");
    cr_assert_eq(counters.stale_events, 1);
}

EACH_BACKEND(soon, a_closed_one_tells_nobody_what_is_on_its_way) {
    start();
    deliver(NOTICE_BEGIN, 0, 1);
    soon_close(&table);
    deliver(NOTICE_BEGIN, 1, 1);
    soon(run_stop, NULL);
    run();
    cr_assert_str_eq(bench.log, "|");
}
