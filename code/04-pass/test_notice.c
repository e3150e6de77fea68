/* Notices: which reach the application, and which come too late to be true. */
#include <criterion/criterion.h>

#include "03-request/exchange.h"
#include "04-pass/notice.h"

static struct exchange exchange = {.slot = 3, .tag = 9};
static struct counters counters;
static int begins, bodies, rooms, disconnects;
static char output[OUTPUT_MOST];

static void on_begin(void *self, struct exchange *which) {
    cr_assert_eq(self, &begins);
    cr_assert_eq(which, &exchange);
    cr_assert(which->with_application);
    begins++;
}

static void on_body(void *self, struct exchange *which) {
    cr_assert_eq(self, &begins);
    cr_assert_eq(which, &exchange);
    bodies++;
}

static void on_room(void *self, struct exchange *which) {
    cr_assert_eq(self, &begins);
    cr_assert_eq(which, &exchange);
    rooms++;
}

static void on_disconnect(void *self, struct exchange *which) {
    cr_assert_eq(self, &begins);
    cr_assert_eq(which, &exchange);
    disconnects++;
}

static const struct application application = {
    .self = &begins,
    .begin = on_begin,
    .body = on_body,
    .on_room = on_room,
    .disconnect = on_disconnect,
};

static void nothing(void *unused, uint32_t slot) {
    (void)unused;
    (void)slot;
}

static void deliver(enum notice_kind kind, uint32_t tag) {
    notice_deliver((struct notice){kind, 3, tag}, &exchange, &application, &counters);
}

static void start(void) {
    exchange.output = output;
    exchange.ready = nothing;
}

TestSuite(notice, .init = start, .timeout = 300);

Test(notice, begin_is_always_delivered_and_gives_the_exchange_to_the_application) {
    deliver(NOTICE_BEGIN, 9);
    cr_assert_eq(begins, 1);
    cr_assert(exchange.with_application);
    cr_assert_eq(counters.stale_events, 0);
}

Test(notice, body_room_and_disconnect_reach_an_exchange_that_is_under_way) {
    deliver(NOTICE_BEGIN, 9);
    deliver(NOTICE_BODY, 9);
    deliver(NOTICE_ROOM, 9);
    deliver(NOTICE_DISCONNECT, 9);
    cr_assert(bodies == 1 && rooms == 1 && disconnects == 1);
    cr_assert_eq(counters.stale_events, 0);
}

Test(notice, what_comes_after_the_end_is_dropped_and_counted) {
    deliver(NOTICE_BEGIN, 9);
    exchange_answer(&exchange, 200, "text/plain", "x", 1);
    deliver(NOTICE_BODY, 9);
    deliver(NOTICE_ROOM, 9);
    deliver(NOTICE_DISCONNECT, 9);
    cr_assert(bodies == 0 && rooms == 0 && disconnects == 0);
    cr_assert_eq(counters.stale_events, 3);
}

Test(notice, what_was_meant_for_the_last_tenant_does_not_reach_the_next) {
    deliver(NOTICE_BEGIN, 9);
    exchange_answer(&exchange, 200, "text/plain", "x", 1);
    exchange.tag = 10;
    exchange.started = false;
    deliver(NOTICE_BEGIN, 10);
    deliver(NOTICE_DISCONNECT, 9);
    deliver(NOTICE_ROOM, 9);
    cr_assert(rooms == 0 && disconnects == 0);
    cr_assert_eq(counters.stale_events, 2);
    deliver(NOTICE_DISCONNECT, 10);
    cr_assert_eq(disconnects, 1);
}
