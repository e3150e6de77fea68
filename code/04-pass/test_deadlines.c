/* Deadlines: the loop says when it wants its next pass, and keeps to it itself. */
#include "04-pass/test_rig.h"

enum { SHORT_MS = 100 };

static void start(void) {
    cr_assert_eq(loop_next_deadline(&rig.loop), 0);
    rig_options.head_timeout_ms = 2 * SHORT_MS;
    rig_options.idle_timeout_ms = SHORT_MS;
    rig_options.stall_timeout_ms = SHORT_MS;
    rig_start();
}

TestSuite(deadlines, .init = start, .timeout = 300);

static void expect_due_after(uint64_t ms, uint64_t from) {
    uint64_t due = loop_next_deadline(&rig.loop);
    cr_assert_geq(due, from + ms * NS_PER_MS);
    cr_assert_leq(due, clock_now() + ms * NS_PER_MS);
}

/* Makes passes that wait as long as they like until `fd` ends or has something. */
static void sleep_until_readable(int fd) {
    while (!readable_within(fd, 0))
        loop_pass(&rig.loop, -1);
}

Test(deadlines, a_loop_without_connections_is_due_never) {
    cr_assert_eq(loop_next_deadline(&rig.loop), NEVER);
    loop_pass(&rig.loop, 0);
    cr_assert_eq(loop_next_deadline(&rig.loop), NEVER);
}

/* Sequence: connect, send nothing, stay. */
Test(deadlines, a_client_who_says_nothing_is_closed_at_the_head_timeout) {
    uint64_t began = clock_now();
    int fd = rig_client();
    expect_due_after(2 * SHORT_MS, began);
    sleep_until_readable(fd);
    cr_assert_geq(clock_now() - began, 2 * SHORT_MS * NS_PER_MS);
    rig_expect_end(fd);
    cr_assert_eq(slots_in_use(), 0);
    cr_assert_leq(rig.loop.counters.passes, 6, "it slept meanwhile");
    loop_pass(&rig.loop, 0);
    cr_assert_eq(loop_next_deadline(&rig.loop), NEVER);
}

/* Sequence: one byte now and then. The time counts from the first of them. */
Test(deadlines, a_head_that_drips_gets_a_408_counted_from_its_first_byte) {
    static struct response response;
    int fd = rig_client();
    uint64_t began = clock_now();
    for (const char *byte = ASK; !readable_within(fd, 0); byte++) {
        cr_assert_neq(*byte, '\0');
        send_bytes(fd, byte, 1);
        for (uint64_t next = clock_now() + 20 * NS_PER_MS; clock_now() < next;)
            loop_pass(&rig.loop, clock_wait_ms(next, clock_now()));
    }
    cr_assert_geq(clock_now() - began, 2 * SHORT_MS * NS_PER_MS);
    read_response(fd, &response);
    cr_assert_eq(response.status, 408);
    rig_expect_end(fd);
}

Test(deadlines, an_idle_connection_is_closed_without_a_word) {
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    rig_answer(rig.kept[0], "x");
    uint64_t began = clock_now();
    rig_expect(fd, "x");
    sleep_until_readable(fd);
    cr_assert_geq(clock_now() - began, SHORT_MS * NS_PER_MS);
    rig_expect_end(fd);
}

/* Sequence: a timer left over from an earlier exchange. */
Test(deadlines, an_earlier_deadline_does_not_end_a_connection_that_is_in_use) {
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    rig_answer(rig.kept[0], "x");
    rig_expect(fd, "x");
    rig_ask(fd, ASK, 1); /* while the idle timeout runs */
    for (uint64_t end = clock_now() + 3 * SHORT_MS * NS_PER_MS; clock_now() < end;)
        loop_pass(&rig.loop, clock_wait_ms(end, clock_now()));
    cr_assert_eq(loop_next_deadline(&rig.loop), NEVER, "an application may be slow");
    rig_answer(rig.kept[1], "y");
    rig_expect(fd, "y");
}

static void add_much(struct exchange *exchange) {
    static char much[OUTPUT_MOST];
    exchange_chunk(exchange, much, sizeof much, true);
}

static void answer_much(struct exchange *exchange) {
    exchange_start(exchange, 200, NULL, 0, 1 << 30);
    add_much(exchange);
}

Test(deadlines, a_client_who_does_not_read_is_given_up) {
    rig.on_begin = answer_much;
    rig.on_room = add_much;
    int fd = connect_to(rig.port), small = 4096;
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    TURN_UNTIL(slots_in_use() == 1);
    int socket = rig.loop.sockets[rig_slot()];
    cr_assert_eq(setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    uint64_t began = clock_now();
    rig_ask(fd, ASK, 1);
    while (rig.disconnects == 0)
        loop_pass(&rig.loop, -1);
    cr_assert_geq(clock_now() - began, SHORT_MS * NS_PER_MS);
    cr_assert_eq(slots_in_use(), 1, "the application hasn't ended");
    exchange_end(&rig.loop.conns[rig_slot()].exchange);
    loop_pass(&rig.loop, 0);
    cr_assert_eq(slots_in_use(), 0);
}

Test(deadlines, a_pass_waits_no_longer_than_it_is_told) {
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    uint64_t began = clock_now(), events = rig.loop.counters.events;
    loop_pass(&rig.loop, 0);
    cr_assert_lt(clock_now(), loop_next_deadline(&rig.loop));
    loop_pass(&rig.loop, 50);
    cr_assert_geq(clock_now() - began, 50 * NS_PER_MS);
    cr_assert_eq(rig.loop.counters.events, events);
}
