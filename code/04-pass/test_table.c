/* When slots or descriptors run out: nobody is dropped, nothing spins, and who waits is
 * served as soon as there is room. */
#include "04-pass/test_rig.h"

#include <fcntl.h>
#include <sys/resource.h>

TestSuite(table, .init = rig_start, .timeout = 300);

static int clients[SLOTS];

static void connect_many(int count) {
    for (int i = 0; i < count; i++) {
        clients[i] = connect_to(rig.port);
        if (i % 64 == 63)
            TURN_UNTIL(slots_in_use() == i + 1); /* so that no backlog overflows */
    }
    TURN_UNTIL(slots_in_use() == count);
}

/* Makes passes for 50 ms, in which nothing may be reported or tried. */
static void expect_quiet(void) {
    uint64_t events = rig.loop.counters.events, passes = rig.loop.counters.passes;
    for (uint64_t end = clock_now() + 50 * NS_PER_MS; clock_now() < end;)
        loop_pass(&rig.loop, clock_wait_ms(end, clock_now()));
    cr_assert_eq(rig.loop.counters.events, events);
    cr_assert_leq(rig.loop.counters.passes, passes + 2);
}

Test(table, a_client_beyond_the_last_slot_waits_and_is_served_when_one_leaves) {
    connect_many(SLOTS);
    int extra = connect_to(rig.port);
    send_text(extra, ASK);
    TURN_UNTIL(!rig.loop.listening);
    expect_quiet();
    cr_assert_eq(rig.begun, 0);
    close(clients[500]);
    TURN_UNTIL(rig.begun == 1);
    rig_answer(rig.kept[0], "patience");
    rig_expect(extra, "patience");
    rig_ask(clients[0], ASK, 1); /* and the others are as well as before */
    rig_answer(rig.kept[1], "x");
    rig_expect(clients[0], "x");
}

Test(table, a_slot_whose_application_has_not_ended_is_not_given_away) {
    connect_many(SLOTS);
    rig_ask(clients[7], ASK, 1);
    rig_reset(clients[7]);
    TURN_UNTIL(rig.disconnects == 1);
    int extra = connect_to(rig.port);
    send_text(extra, ASK);
    TURN_UNTIL(!rig.loop.listening);
    expect_quiet();
    cr_assert_eq(rig.begun, 1);
    rig_answer(rig.kept[0], "for nobody");
    TURN_UNTIL(rig.begun == 2);
    rig_answer(rig.kept[1], "mine");
    rig_expect(extra, "mine");
}

static void answer_at_once(struct exchange *exchange) {
    rig_answer(exchange, "x");
}

static int late = -1; /* whoever asks when the next wait is over */

static void before_wait(void *unused) {
    (void)unused;
}

static void after_wait(void *unused) {
    (void)unused;
    if (late >= 0)
        send_text(late, ASK);
    late = -1;
}

/* A request that comes when the batch with the knock in it is on its way already. */
Test(table, the_longest_idle_who_asks_too_late_for_the_batch_is_served_before_it_goes) {
    static const struct gate gate = {NULL, before_wait, after_wait, NULL};
    rig.on_begin = answer_at_once;
    connect_many(SLOTS);
    rig_ask(clients[3], ASK, 1); /* so it alone is idle; nobody else has asked */
    rig_expect(clients[3], "x");
    int extra = connect_to(rig.port);
    send_text(extra, ASK);
    rig.loop.links.gate = &gate;
    late = clients[3];
    loop_pass(&rig.loop, 0);
    rig_expect(clients[3], "x");
    rig_expect(extra, "x");
    rig_expect_end(clients[3]);
    cr_assert_eq(slots_in_use(), SLOTS);
}

/* Leaves this process `more` descriptors to open, counted from the first call on. */
static void leave_descriptors(rlim_t more) {
    static rlim_t lowest_free;
    struct rlimit limit;
    if (lowest_free == 0) {
        int fd = fcntl(0, F_DUPFD, 0);
        cr_assert(fd >= 0 && close(fd) == 0);
        lowest_free = (rlim_t)fd;
    }
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = lowest_free + more;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

Test(table, without_descriptors_it_waits_100_ms_and_tries_again) {
    int first = rig_client(), second = connect_to(rig.port);
    leave_descriptors(0);
    uint64_t began = clock_now();
    TURN_UNTIL(!rig.loop.listening);
    cr_assert_geq(loop_next_deadline(&rig.loop), began + 100 * NS_PER_MS);
    cr_assert_leq(loop_next_deadline(&rig.loop), clock_now() + 100 * NS_PER_MS);
    expect_quiet();
    uint64_t passes = rig.loop.counters.passes;
    while (clock_now() < began + 500 * NS_PER_MS)
        loop_pass(&rig.loop, 50);
    cr_assert_leq(rig.loop.counters.passes, passes + 25, "it doesn't spin");
    rig_ask(first, ASK, 1); /* who was here before is served meanwhile */
    rig_answer(rig.kept[0], "first");
    rig_expect(first, "first");
    leave_descriptors(1);
    rig_ask(second, ASK, 1);
    rig_answer(rig.kept[1], "second");
    rig_expect(second, "second");
}

Test(table, a_descriptor_that_frees_is_used_at_once) {
    int first = rig_client(), second = connect_to(rig.port);
    send_text(second, ASK);
    leave_descriptors(0);
    TURN_UNTIL(!rig.loop.listening);
    cr_assert_eq(shutdown(first, SHUT_WR), 0); /* its number here stays taken */
    uint64_t before = clock_now();
    TURN_UNTIL(rig.begun == 1);
    cr_assert_lt(clock_now(), before + 90 * NS_PER_MS);
    rig_answer(rig.kept[0], "second");
    rig_expect(second, "second");
}

/* Sequence: two connections are ready in one batch, and the end of the first frees a
 * descriptor and a slot while the next client is accepted. */
Test(table, what_frees_in_a_batch_is_given_away_after_it) {
    int first = rig_client();
    uint32_t slot = rig_slot(), tag = rig.loop.slots.tag[slot];
    int socket = rig.loop.sockets[slot];
    int next = connect_to(rig.port);
    rig_reset(first);
    uint64_t events = rig.loop.counters.events;
    loop_pass(&rig.loop, 0);
    cr_assert_eq(rig.loop.counters.events - events, 2, "both were in one batch");
    cr_assert_neq(rig_slot(), slot);
    cr_assert_neq(rig.loop.sockets[rig_slot()], socket);
    rig_client(); /* in the next one they are */
    cr_assert(rig.loop.slots.taken[slot]);
    cr_assert_neq(rig.loop.slots.tag[slot], tag);
    close(next);
}
