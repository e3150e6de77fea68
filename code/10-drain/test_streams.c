/* Answers without an end, and what the application hears of the end. */
#include "10-drain/drain.h"
#include "10-drain/test_inside.h"

enum { LONG_MS = 60000 };

static struct drain drain;

static void open_one(bool inverted) {
    inside_open(inverted);
    drain_init(&drain, LONG_MS, inverted ? inside.executor : NULL);
    inside.stopper = &drain.blocking;
}

Test(streams, say_farewell_in_the_pump, .timeout = 300) {
    open_one(false);
    inside_farewell();
    cr_assert(drain.answered == 1 && drain.cut == 0);
}

Test(streams, say_farewell_in_the_inversion, .timeout = 300) {
    open_one(true);
    inside_farewell();
    cr_assert(drain.answered == 1 && drain.cut == 0);
}

Test(streams, end_at_the_second_signal_in_the_pump, .timeout = 300) {
    open_one(false);
    inside_deaf();
    cr_assert_eq(drain.cut, 1);
}

Test(streams, end_at_the_second_signal_in_the_inversion, .timeout = 300) {
    open_one(true);
    inside_deaf();
    cr_assert_eq(drain.cut, 1);
}
