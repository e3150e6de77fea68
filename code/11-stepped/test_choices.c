/* The three drains of one program: what tells them apart. */
#include <criterion/criterion.h>

#include "10-drain/test_end.h"

TestSuite(serving, .timeout = 300);

/* How many passes it makes for one answer that is due after 500 ms of the drain. */
static uint64_t passes(const char *topology, const char *drain) {
    struct end end;
    program_keep_errors();
    program_start(&end.program, "11-stepped", "--topology", topology, "--drain", drain,
                  "--stats", NULL);
    int slow = end_client(&end);
    send_text(slow, END_GET("/slow?ms=500"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(slow, "slept 500 ms\n", true);
    close(slow);
    end_wait_whole(&end);
    return json_number(end.program.output, "passes");
}

/* Passes have reasons: a connection, a request, an answer, an end, twice. */
Test(serving, evented_makes_no_pass_without_a_reason) {
    enum { REASONS = 30 };
    cr_assert_lt(passes("inversion", "evented"), REASONS);
    cr_assert_lt(passes("pump", "evented"), REASONS);
}

/* It can't make more than one in a millisecond, and makes fewer on a busy machine. */
Test(serving, stepped_makes_many) {
    uint64_t made = passes("inversion", "stepped");
    cr_assert(made > 50 && made < 1000, "%d", (int)made);
}

Test(serving, blocking_is_frozen_in_the_inversion) {
    struct end end;
    program_keep_errors();
    program_start(&end.program, "11-stepped", "--topology=inversion",
                  "--drain=blocking", "--drain-budget-ms=1000", "--stats", NULL);
    int slow = end_client(&end);
    send_text(slow, END_GET("/slow?ms=300"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(slow, "slept 300 ms\n", true);
    close(slow);
    end_wait_whole(&end);
    cr_assert_geq(end.ms, 1000);
}

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_command("11-stepped", "--drain", "some");
    sequence_refused_command("11-stepped", "--topology", "both");
    sequence_refused_command("11-stepped", "--drain-step-ms", "1001");
}
