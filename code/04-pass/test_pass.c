/* A pass: what it does, in which order, and when the next one is due. */
#include "04-pass/test_rig.h"

#include <signal.h>
#include <sys/wait.h>

TestSuite(pass, .timeout = 300);

static void pass_again(struct exchange *exchange) {
    (void)exchange;
    loop_pass(&rig.loop, 0);
}

/* In a process of its own, which has to die of it. */
Test(pass, a_pass_inside_a_pass_is_a_fault) {
    int status;
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        close(STDERR_FILENO); /* where assert would say so */
        rig.on_begin = pass_again;
        rig_start();
        rig_ask(rig_client(), ASK, 1);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

Test(pass, notices_of_a_batch_are_submitted_together_and_after_it) {
    enum { CLIENTS = 5 };
    int fds[CLIENTS];
    rig_start();
    for (int i = 0; i < CLIENTS; i++)
        fds[i] = rig_client();
    uint64_t events = rig.loop.counters.events;
    for (int i = 0; i < CLIENTS; i++)
        send_text(fds[i], ASK);
    loop_pass(&rig.loop, 0);
    cr_assert_eq(rig.submits, 1);
    cr_assert_eq(rig.begun, CLIENTS);
    cr_assert_eq(rig.events_at_submit - events, CLIENTS, "the batch was over");
    loop_pass(&rig.loop, 0);
    cr_assert_eq(rig.submits, 1, "a pass without notices submits nothing");
}

static void answer_at_once(struct exchange *exchange) {
    rig_answer(exchange, "at once");
}

Test(pass, an_answer_that_is_given_within_submit_is_sent_by_the_same_pass) {
    rig.on_begin = answer_at_once;
    rig_start();
    int fd = rig_client();
    send_text(fd, ASK);
    loop_pass(&rig.loop, 0);
    cr_assert(readable_within(fd, 0));
    rig_expect(fd, "at once");
}

Test(pass, an_answer_between_passes_is_sent_by_the_next_one) {
    rig_start();
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    loop_pass(&rig.loop, 0);
    rig_answer(rig.kept[0], "late");
    cr_assert(!readable_within(fd, 0), "nothing is sent outside a pass");
    loop_pass(&rig.loop, 0);
    cr_assert(readable_within(fd, 0));
    rig_expect(fd, "late");
}

Test(pass, answers_to_pipelined_requests_come_in_order) {
    rig_start();
    int fd = rig_client();
    rig_ask(fd, ASK ASK ASK, 1);
    for (int i = 0; i < 3; i++) {
        const char *const bodies[] = {"one", "two", "three"};
        TURN_UNTIL(rig.begun == i + 1);
        loop_pass(&rig.loop, 0);
        cr_assert_eq(rig.begun, i + 1, "one exchange at a time");
        rig_answer(rig.kept[i], bodies[i]);
        rig_expect(fd, bodies[i]);
    }
}

Test(pass, a_request_that_was_here_when_an_answer_left_makes_a_pass_due_at_once) {
    rig_start();
    int fd = rig_client();
    rig_ask(fd, ASK ASK, 1);
    rig_answer(rig.kept[0], "one");
    cr_assert_gt(loop_next_deadline(&rig.loop), clock_now());
    loop_pass(&rig.loop, 0); /* the flush finds the second request after the submit */
    cr_assert_eq(rig.begun, 1);
    cr_assert_eq(loop_next_deadline(&rig.loop), 0);
    loop_pass(&rig.loop, -1); /* so this doesn't sleep */
    cr_assert_eq(rig.begun, 2);
    cr_assert_gt(loop_next_deadline(&rig.loop), clock_now());
}

/* Sequence: GET, then SHUT_WR. The answer comes, then the end, and the slot is free. */
Test(pass, who_asks_and_closes_its_side_gets_the_answer_and_then_the_end) {
    for (int late = 0; late <= 1; late++) {
        memset(&rig, 0, sizeof rig);
        rig_start();
        int fd = rig_client();
        send_text(fd, ASK);
        cr_assert_eq(shutdown(fd, SHUT_WR), 0);
        TURN_UNTIL(rig.begun == 1);
        if (late)
            TURN_UNTIL(rig.disconnects == 1);
        rig_answer(rig.kept[0], "yes");
        rig_expect(fd, "yes");
        rig_expect_end(fd);
        TURN_UNTIL(slots_in_use() == 0);
        close(fd);
        loop_shutdown(&rig.loop);
    }
}

Test(pass, pipelined_requests_before_the_end_are_all_answered) {
    rig_start();
    int fd = rig_client();
    send_text(fd, ASK ASK "GET / HT");
    cr_assert_eq(shutdown(fd, SHUT_WR), 0);
    TURN_UNTIL(rig.disconnects == 1);
    rig_answer(rig.kept[0], "one");
    TURN_UNTIL(rig.begun == 2);
    rig_answer(rig.kept[1], "two");
    rig_expect(fd, "one");
    rig_expect(fd, "two");
    rig_expect_end(fd);
    TURN_UNTIL(slots_in_use() == 0);
}

Test(pass, passes_events_submits_and_answers_are_counted) {
    rig_start();
    int fd = rig_client();
    rig_ask(fd, ASK, 1);
    rig_answer(rig.kept[0], "x");
    rig_expect(fd, "x");
    const struct counters *counters = &rig.loop.counters;
    cr_assert_eq(counters->requests, 1);
    cr_assert_eq(counters->responses, 1);
    cr_assert_eq(counters->submits, 1);
    cr_assert_eq(counters->events, 2, "one of the listener, one of the connection");
    cr_assert_eq(counters->slots_swept, counters->passes * SLOTS);
    cr_assert_eq(counters->stale_events, 0);
}

Test(pass, signals_to_stop_are_counted_and_end_one_wait_each) {
    rig_start();
    cr_assert_eq(raise(SIGTERM), 0);
    loop_pass(&rig.loop, -1);
    cr_assert_eq(rig.loop.stops, 1);
    uint64_t events = rig.loop.counters.events;
    loop_pass(&rig.loop, 0);
    cr_assert_eq(rig.loop.counters.events, events, "the signal was taken");
    cr_assert_eq(raise(SIGINT), 0);
    loop_pass(&rig.loop, -1);
    cr_assert_eq(rig.loop.stops, 2);
}

static int waits, waits_over;

static void before_wait(void *self) {
    cr_assert_eq(self, &waits);
    cr_assert_eq(waits++, waits_over);
}

static void after_wait(void *self) {
    cr_assert_eq(self, &waits);
    cr_assert_eq(++waits_over, waits);
}

static void open_gate(struct exchange *exchange) {
    cr_assert_eq(waits, waits_over, "the application runs outside the wait");
    rig_answer(exchange, "x");
}

Test(pass, a_gate_is_passed_around_each_wait_and_nowhere_else) {
    static const struct gate gate = {&waits, before_wait, after_wait, NULL};
    rig.gate = &gate;
    rig.on_begin = open_gate;
    rig_start();
    int fd = rig_client();
    send_text(fd, ASK);
    rig_expect(fd, "x");
    cr_assert_eq((uint64_t)waits, rig.loop.counters.passes);
    cr_assert_eq(waits, waits_over);
}

Test(pass, shutdown_closes_every_descriptor_whatever_is_under_way) {
    int at_first = open_descriptors();
    rig_start();
    enum { CLIENTS = 20, SIGNAL_PIPE = 2 };
    for (int i = 0; i < CLIENTS; i++) {
        int fd = rig_client();
        if (i % 3 == 0)
            send_text(fd, "GET /");
        if (i % 3 == 1)
            rig_ask(fd, ASK, 1);
    }
    rig_reset(rig_client());
    loop_pass(&rig.loop, 0);
    loop_shutdown(&rig.loop);
    cr_assert_eq(open_descriptors(), at_first + CLIENTS + SIGNAL_PIPE);
    for (int i = 0; i < rig.begun; i++)
        rig_answer(rig.kept[i], "too late, and harmless");
}
