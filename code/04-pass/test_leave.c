/* The loop takes leave: the backlog comes in, the silent go, the listener closes. */
#include "04-pass/test_rig.h"

TestSuite(leave, .init = rig_start, .timeout = 300);

static void leave(void) {
    loop_take_leave(&rig.loop);
    loop_pass(&rig.loop, 0);
}

Test(leave, closes_who_has_said_nothing_and_the_listener) {
    int client = rig_client();
    leave();
    rig_expect_end(client);
    cr_assert_eq(slots_in_use(), 0);
    cr_assert_eq(rig.loop.listener, -1);
    close(client);
}

Test(leave, lets_in_who_is_in_the_backlog) {
    int client = connect_to(rig.port);
    send_text(client, ASK);
    leave();
    cr_assert_eq(rig.loop.listener, -1);
    loop_take_leave(&rig.loop);
    TURN_UNTIL(rig.begun == 1);
    rig_answer(rig.kept[0], "welcome");
    rig_expect(client, "welcome");
    rig_expect_end(client);
    close(client);
}

Test(leave, reads_a_request_that_lies_unread) {
    int client = rig_client();
    send_text(client, ASK);
    loop_take_leave(&rig.loop);
    cr_assert_eq(loop_next_deadline(&rig.loop), 0, "it has to be handed over");
    TURN_UNTIL(rig.begun == 1);
    rig_answer(rig.kept[0], "heard");
    rig_expect(client, "heard");
    close(client);
}

static void forget(struct exchange *exchange) {
    (void)exchange;
}

/* With a full table nobody can say whether the backlog is empty. */
Test(leave, keeps_the_listener_until_there_is_room) {
    static int clients[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
        clients[i] = rig_client();
        send_text(clients[i], ASK);
    }
    TURN_UNTIL(rig.begun == SLOTS);
    int extra = connect_to(rig.port);
    send_text(extra, ASK);
    rig.on_begin = forget; /* there is no place to keep one more */
    leave();
    cr_assert_geq(rig.loop.listener, 0);
    loop_take_leave(&rig.loop);
    cr_assert_neq(loop_next_deadline(&rig.loop), 0, "nothing spins meanwhile");
    rig_answer(rig.kept[0], "gone");
    close(clients[0]);
    TURN_UNTIL(rig.begun == SLOTS + 1);
    cr_assert_geq(rig.loop.listener, 0, "the table is full again");
    rig_answer(rig.kept[1], "gone");
    close(clients[1]);
    loop_take_leave(&rig.loop);
    TURN_UNTIL(loop_next_deadline(&rig.loop) != 0 && rig.loop.slots.free_count > 0);
    loop_take_leave(&rig.loop);
    TURN_UNTIL(rig.loop.listener == -1);
    for (int i = 2; i < SLOTS; i++)
        close(clients[i]);
    close(extra);
}
