/* Long answers by chunk and on_room, and clients who leave before the end. */
#include "03-request/test_support_long.h"
#include "04-pass/test_rig.h"

TestSuite(stream, .init = rig_start, .timeout = 300);

enum { KERNEL = 512 * 1024 };

/* A client and a server's socket with small buffers. */
static int client_of_little_room(void) {
    int small = 65536;
    int fd = connect_to(rig.port);
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    TURN_UNTIL(slots_in_use() == 1);
    int socket = rig.loop.sockets[rig_slot()];
    cr_assert_eq(setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    return fd;
}

Test(stream, a_slow_reader_gets_every_byte_and_little_lies_waiting) {
    static char got[LONG];
    char head[512];
    rig.on_begin = long_give;
    rig.on_room = long_give_more;
    int fd = client_of_little_room();
    rig_ask(fd, ASK, 1);
    TURN_UNTIL(readable_within(fd, 0));
    read_until(fd, "\r\n\r\n", head, sizeof head);
    size_t read_so_far = 0, most_waiting = 0;
    while (read_so_far < LONG) {
        TURN_UNTIL(readable_within(fd, 0));
        size_t want = LONG - read_so_far < 3000 ? LONG - read_so_far : 3000;
        ssize_t n = read(fd, got + read_so_far, want);
        cr_assert_gt(n, 0);
        read_so_far += (size_t)n;
        if (long_given - read_so_far > most_waiting)
            most_waiting = long_given - read_so_far;
        loop_pass(&rig.loop, 0);
    }
    cr_assert(!memcmp(got, long_content, LONG));
    cr_assert_leq(most_waiting, OUTPUT_MOST + KERNEL);
    cr_assert_geq(rig.rooms, 2, "the output was full more than once");
    TURN_UNTIL(rig.loop.counters.responses == 1);
    long_given = 0;
    rig_ask(fd, ASK, 1); /* the connection is still good */
}

Test(stream, an_output_that_nobody_reads_comes_to_rest) {
    rig.on_begin = long_give;
    rig.on_room = long_give_more;
    int fd = client_of_little_room();
    rig_ask(fd, ASK, 1);
    /* The kernels' buffers may still shift something; who spins never comes to rest. */
    for (int quiet = 0, passes = 0; quiet < 20; passes++) {
        uint64_t events = rig.loop.counters.events;
        size_t before = long_given;
        loop_pass(&rig.loop, 2);
        quiet =
            rig.loop.counters.events > events || long_given > before ? 0 : quiet + 1;
        cr_assert_lt(passes, 2000, "it spins");
    }
    cr_assert_leq(long_given, OUTPUT_MOST + KERNEL);
}

/* Sequence: a reset in the middle of a streamed answer. */
Test(stream, a_reset_ends_the_stream_and_disturbs_nobody) {
    rig.on_begin = long_give;
    rig.on_room =
        long_give_more; /* an application that goes on to the end all the same */
    int fd = client_of_little_room();
    rig_ask(fd, ASK, 1);
    rig.on_begin = NULL;
    int other = rig_client();
    rig_ask(other, ASK, 1);
    cr_assert_lt(long_given, LONG);
    rig_reset(fd);
    TURN_UNTIL(rig.disconnects == 1);
    TURN_UNTIL(slots_in_use() == 1);
    cr_assert_eq(long_given, LONG);
    rig_answer(rig.kept[1], "undisturbed");
    rig_expect(other, "undisturbed");
}

Test(stream, a_client_who_closes_its_side_is_reported_once_and_does_not_spin) {
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    cr_assert_eq(shutdown(fd, SHUT_WR), 0);
    TURN_UNTIL(rig.disconnects == 1);
    uint64_t events = rig.loop.counters.events;
    for (int i = 0; i < 10; i++) {
        rig_answered(NULL, rig_slot()); /* nothing new, and it is looked at anyway */
        loop_pass(&rig.loop, 1);
    }
    cr_assert_eq(rig.loop.counters.events, events);
    cr_assert_eq(rig.disconnects, 1);
    rig_answer(rig.kept[0], "it still reads");
    rig_expect(fd, "it still reads");
    rig_expect_end(fd);
}

/* Sequence: no interest is registered, and the peer resets the connection. */
Test(stream, a_reset_after_a_half_close_does_not_spin) {
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    cr_assert_eq(shutdown(fd, SHUT_WR), 0);
    TURN_UNTIL(rig.disconnects == 1);
    rig_reset(fd);
    uint64_t events = rig.loop.counters.events;
    for (int i = 0; i < 10; i++)
        loop_pass(&rig.loop, 1);
    cr_assert_eq(rig.loop.counters.events, events);
    rig_answer(rig.kept[0], "for nobody");
    TURN_UNTIL(slots_in_use() == 0);
}

/* Sequence: the next tenant of a slot. */
Test(stream, an_exchange_that_outlives_its_connection_keeps_its_slot_until_its_end) {
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    uint32_t slot = rig.kept[0]->slot, tag = rig.kept[0]->tag;
    rig_reset(fd);
    TURN_UNTIL(rig.disconnects == 1);
    cr_assert_eq(rig.loop.sockets[slot], -1, "the socket is closed");
    int elsewhere = rig_client();
    rig_ask(elsewhere, ASK, 1);
    cr_assert_neq(rig.kept[1]->slot, slot);
    rig_answer(rig.kept[0], "for nobody");
    loop_pass(&rig.loop, 0);
    cr_assert_eq(slots_in_use(), 1);
    int next = rig_client();
    rig_ask(next, ASK, 1);
    cr_assert_eq(rig.kept[2]->slot, slot);
    cr_assert_neq(rig.kept[2]->tag, tag);
    rig_answered(NULL, slot); /* a put that comes late is harmless */
    loop_pass(&rig.loop, 0);
    rig_answer(rig.kept[2], "mine");
    rig_expect(next, "mine");
    cr_assert_eq(rig.disconnects, 1);
    rig_answer(rig.kept[1], "undisturbed");
    rig_expect(elsewhere, "undisturbed");
}

Test(stream, an_answer_cut_short_closes_the_connection) {
    char all[512];
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    exchange_start(rig.kept[0], 200, NULL, 0, 10);
    cr_assert_eq(exchange_chunk(rig.kept[0], "half", 4, true), 4);
    exchange_end(rig.kept[0]);
    loop_pass(&rig.loop, 0);
    cr_assert_geq(read_to_end(fd, all, sizeof all), 4);
    cr_assert_str_eq(strstr(all, "\r\n\r\n") + 4, "half");
}
