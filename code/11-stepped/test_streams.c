/* Answers without an end, in the inversion. */
#include "10-drain/test_inside.h"
#include "11-stepped/stepped.h"

enum { LONG_MS = 60000 };

static struct stepped stepped;

static void open_one(enum drain_kind kind) {
    inside_open(true);
    stepped_init(&stepped, kind, 1, LONG_MS, inside.executor);
    inside.stopper = &stepped.stopper;
}

Test(streams, say_farewell_stepped, .timeout = 300) {
    open_one(DRAIN_STEPPED);
    inside_farewell();
    cr_assert(stepped.drain.answered == 1 && stepped.drain.cut == 0);
}

Test(streams, say_farewell_evented, .timeout = 300) {
    open_one(DRAIN_EVENTED);
    inside_farewell();
    cr_assert(stepped.drain.answered == 1 && stepped.drain.cut == 0);
}

Test(streams, end_at_the_second_signal_stepped, .timeout = 300) {
    open_one(DRAIN_STEPPED);
    inside_deaf();
    cr_assert_eq(stepped.drain.cut, 1);
}

Test(streams, end_at_the_second_signal_evented, .timeout = 300) {
    open_one(DRAIN_EVENTED);
    inside_deaf();
    cr_assert_eq(stepped.drain.cut, 1);
}
