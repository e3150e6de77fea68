/* The files that build/ab writes: whole or not at all, of one ab, of one plan. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "07-measure/test_support_ab.h"

TestSuite(ab_records, .init = ab_set_up, .fini = ab_tear_down);

/* No file may grow beyond `bytes`, as if the disk were full. */
static void limit_files(rlim_t bytes) {
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN); /* the write fails instead */
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(ab_records, leaves_the_old_record_if_there_is_no_room_for_a_new_one) {
    char text[16384];
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, NULL);
    cr_assert_eq(ab.status, 0, "%s", ab.errors);
    ab_put("record", "the old one");
    limit_files(3000); /* its rows are shorter, the record is longer */
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, NULL);
    cr_expect_eq(ab.status, 1);
    cr_expect(strstr(ab.errors, "ab: can't write "), "%s", ab.errors);
    ab_get("record", text, sizeof text);
    cr_expect_str_eq(text, "the old one");
    cr_expect_neq(access(ab_at("record.new"), F_OK), 0);
}

Test(ab_records, refuses_a_record_that_is_no_file_before_it_measures) {
    cr_assert_eq(mkdir(ab_at("record"), 0755), 0);
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, NULL);
    cr_expect_eq(ab.status, 2);
    cr_expect(strstr(ab.errors, "is no file; name another"), "%s", ab.errors);
    cr_expect_neq(access(ab_at("calls"), F_OK), 0);
}

/* Another ab, with a client that never ends. */
static pid_t start_another(void) {
    const char *build = getenv("BUILD");
    char path[256], client[300];
    ab_put("patient", "#!/bin/sh\necho here >>${0%/*}/began\nexec sleep 60\n");
    snprintf(client, sizeof client, "--client=%s", ab_at("patient"));
    snprintf(path, sizeof path, "%s/ab", build ? build : "build");
    fflush(NULL);
    pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        execl(path, path, "--arm", arms.quick, "--arm", arms.slow, client, arms.control,
              "--allow-different-answers", arms.record, NULL);
        _exit(127);
    }
    uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS;
    while (access(ab_at("began"), F_OK) != 0 && clock_now() < deadline)
        usleep(2000);
    return pid;
}

Test(ab_records, refuses_rows_that_another_ab_writes) {
    pid_t other = start_another();
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, NULL);
    cr_expect_eq(ab.status, 2);
    cr_expect(strstr(ab.errors, "is another ab's that still runs; name another "
                                "--record\n"),
              "%s", ab.errors);
    cr_assert_eq(kill(other, SIGTERM), 0);
    cr_assert_eq(waitpid(other, NULL, 0), other);
}

/* What two wrote together, or somebody edited, isn't gone on with. */
static void expect_no_row(const char *rows, int line) {
    char want[64];
    ab_put("record.rows", rows);
    ab_run_arms(arms.quick, arms.slow, "--blocks=2", arms.record, NULL);
    snprintf(want, sizeof want, "record.rows:%d is no row of ab", line);
    cr_expect_eq(ab.status, 2);
    cr_expect(strstr(ab.errors, want), "not %s: %s", want, ab.errors);
}

static char *line_of(char *text, int number) {
    while (--number > 0)
        text = strchr(text, '\n') + 1;
    return text;
}

Test(ab_records, refuses_rows_that_do_not_follow_each_other) {
    char rows[16384], other[16384];
    ab_run_arms(arms.quick, arms.slow, "--blocks=2", arms.record, NULL);
    cr_assert_eq(ab.status, 0, "%s", ab.errors);
    ab_get("record.rows", rows, sizeof rows); /* settings, 6 runs, an end, 6 runs ... */

    char *third = line_of(rows, 3), *fourth = line_of(rows, 4);
    size_t length = (size_t)(fourth - third);
    snprintf(other, sizeof other, "%.*s%.*s%s", (int)(fourth - rows), rows, (int)length,
             third, fourth);
    expect_no_row(other, 4); /* a run twice */

    snprintf(other, sizeof other, "%.*s%s", (int)(third - rows), rows, fourth);
    expect_no_row(other, 3); /* a run less */

    snprintf(other, sizeof other, "%.*s%s", (int)(line_of(rows, 2) - rows), rows,
             line_of(rows, 9));
    expect_no_row(other, 2); /* the second block without the first */

    snprintf(other, sizeof other, "%.*s%s", (int)(line_of(rows, 7) - rows), rows,
             line_of(rows, 8));
    expect_no_row(other, 7); /* kept, and not whole */
}

Test(ab_records, refuses_what_json_can_not_hold) {
    char arm[300];
    snprintf(arm, sizeof arm, "%s \xff", arms.slow);
    ab_run_arms(arms.quick, arm, "--blocks=1", NULL, NULL);
    cr_expect_eq(ab.status, 2);
    cr_expect(strstr(ab.errors, "isn't UTF-8"), "%s", ab.errors);
    ab_run_arms(arms.quick, "sl\xfew=true", "--blocks=1", NULL, NULL);
    cr_expect_eq(ab.status, 2);
    ab_run_arms(arms.quick, arms.slow, "--path=/\xff", NULL, NULL);
    cr_expect_eq(ab.status, 2);
}
