/* Ends in which somebody isn't answered, or nearly: by the budget, a timeout, or a second
 * signal. Each of them is counted. */
#ifndef DRAIN_TEST_ENDS_CUT_H
#define DRAIN_TEST_ENDS_CUT_H

#include "10-drain/test_end.h"

/* The budget ends before the answer does: it is cut, and the exit status says so. */
static inline void end_budget(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=1000");
    end_start(&end, name, backend);
    int slow = end_client(&end), fast = end_client(&end), half = end_client(&end);
    send_text(slow, END_GET("/slow?ms=60000"));
    send_text(half, "GET / HTTP/1.1\r\nHo");
    send_text(fast, END_GET("/slow?ms=50"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect(fast, "slept 50 ms\n", true);
    end_expect_close(fast);
    end_expect_close(slow);
    close(half);
    end_wait(&end);
    cr_assert(end.in_flight == 3 && end.answered == 1 && end.cut == 2, "%s",
              end.program.errors);
    cr_assert(end.ms >= 1000 && end.ms < 5000, "%u ms", end.ms);
}

/* What was due before the budget's end is answered, though the whole process was held past
 * it. For those who have the application on the same thread; in the pump it is a race. */
static inline void end_held(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=1000");
    end_start(&end, name, backend);
    int slow = end_client(&end), silent = end_client(&end);
    send_text(slow, END_GET("/slow?ms=800"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(silent); /* the drain has begun */
    program_halt(&end.program);
    cr_assert_not(readable_within(slow, 1200), "it isn't held");
    program_resume(&end.program);
    end_expect(slow, "slept 800 ms\n", true);
    end_expect_close(slow);
    end_wait_whole(&end);
}

/* What was read behind a request that is cut is cut, too. */
static inline void end_followed(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=300");
    end_start(&end, name, backend);
    int client = end_client(&end);
    send_text(client, END_GET("/slow?ms=60000") END_GET("/"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(client);
    end_wait(&end);
    cr_assert(end.in_flight == 2 && end.cut == 2, "%s", end.program.errors);
}

/* A client who doesn't read his answer is cut off by the stall timeout: that is ours. */
static inline void end_stalls(const char *name, const char *backend) {
    struct end end;
    program_option("--stall-timeout-ms=300");
    end_start(&end, name, backend);
    int client = end_client(&end);
    send_text(client, END_GET("/stream?chunks=100&bytes=1000000"));
    cr_assert(readable_within(client, WAIT_MS));
    end_signal(&end, SIGTERM);
    end_wait(&end);
    cr_assert(end.in_flight == 1 && end.cut == 1, "%s", end.program.errors);
    close(client);
}

/* Nothing happens but that the time is up. */
static inline void end_of_time(const char *name, const char *backend) {
    struct end end;
    program_option("--drain-budget-ms=300");
    end_start(&end, name, backend);
    int slow = end_client(&end);
    send_text(slow, END_GET("/slow?ms=60000"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(slow);
    end_wait(&end);
    cr_assert(end.in_flight == 1 && end.cut == 1, "%s", end.program.errors);
    cr_assert_lt(end.ms, 3000);
}

/* A second signal ends at once. */
static inline void end_twice(const char *name, const char *backend) {
    struct end end;
    end_start(&end, name, backend);
    int slow = end_client(&end), silent = end_client(&end);
    send_text(slow, END_GET("/slow?ms=60000"));
    end_settle(&end);
    end_signal(&end, SIGTERM);
    end_expect_close(silent); /* it has begun to stop */
    end_signal(&end, SIGTERM);
    end_expect_close(slow);
    end_wait(&end);
    cr_assert_eq(end.cut, 1);
    cr_assert_lt(end.ms, 4000, "it waited for its budget: %u ms", end.ms);
}

#endif
