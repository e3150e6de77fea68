/* The blocking drain in the inversion: right, and too late. */
#include <criterion/criterion.h>

#include "10-drain/test_ends.h"

static void choose(void) {
    program_option("--topology=inversion");
}

TestSuite(serving, .timeout = 300, .init = choose);

/* What was ready after 300 ms is sent when the budget of a second has run out. */
static void frozen(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=1000");
    end_start(&end, name, backend);
    int slow = end_client(&end), echo = end_client(&end);
    send_text(slow, END_GET("/slow?ms=300"));
    send_text(echo, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na");
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(slow, "slept 300 ms\n", true);
    end_expect_close(slow);
    end_wait(&end);
    close(echo);
    cr_assert(end.in_flight == 2 && end.answered == 1 && end.cut == 1, "%s",
              end.program.errors);
    cr_assert_geq(end.ms, 1000, "nobody froze: %u ms", end.ms);
}

/* Two signals in a row may become one (signal(7)), and then it sits its budget out. */
static void full_load(const char *name, const char *backend) {
    program_option("--drain-budget-ms=100");
    end_full_load(name, backend);
}

SERVING_NESTED("10-drain", frozen, frozen)
SERVING_NESTED("10-drain", twice, end_twice)
SERVING_NESTED("10-drain", start_up, end_start_up)
SERVING_NESTED("10-drain", full_load, full_load)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_command("10-drain", "--topology", "both");
    sequence_refused_command("10-drain", "--drain-budget-ms", "-1");
}
