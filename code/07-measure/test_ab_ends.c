/* How build/ab ends, when something goes wrong or somebody stops it, and how it goes on. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "07-measure/test_support_ab.h"

TestSuite(ab_ends, .init = ab_set_up, .fini = ab_tear_down);

Test(ab_ends, ends_with_an_error_when_too_few_blocks_could_be_kept) {
    ab_put("numbers.1003", "1000\n500\n1000\n500\n1000\n500\n");
    ab_run_arms(arms.quick, arms.slow, "--blocks=2", "--tries=3", NULL);
    cr_expect_eq(ab.status, 1);
    cr_expect(strstr(ab.output, "0 of 3 blocks kept\n"), "%s", ab.output);
    cr_expect(strstr(ab.errors, "ab: only 0 blocks of 3 could be kept;"), "%s",
              ab.errors);
}

Test(ab_ends, tries_a_block_that_failed_once_more_and_lists_it) {
    ab_put("numbers.1002", "bad1000\n1000\n1000\n1000\n");
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", NULL, NULL);
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
    cr_expect(strstr(ab.output,
                     "1 of 2 blocks kept\nblock 1 dropped: slow: 2 errors, 0 "
                     "answers other than 2xx, 0 timeouts\n"),
              "%s", ab.output);
}

Test(ab_ends, says_that_there_were_timeouts_when_there_was_no_answer) {
    ab_put("numbers.1001", "none\n");
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", NULL, NULL);
    cr_expect(strstr(ab.output,
                     "block 1 dropped: quick: 0 errors, 0 answers other than "
                     "2xx, 16 timeouts\n"),
              "%s", ab.output);
}

Test(ab_ends, ends_when_the_second_try_fails_too) {
    ab_put("numbers.1002", "fail\nfail\n");
    ab_run_arms(arms.quick, arms.slow, NULL, NULL, NULL);
    cr_expect_eq(ab.status, 1);
    cr_expect(strstr(ab.errors, "it broke\n"), "%s", ab.errors);
    cr_expect(strstr(ab.errors, "ab: two blocks failed one after the other; the last: "
                                "slow: the client said nothing"),
              "%s", ab.errors);
    cr_expect_str_eq(ab.output, "");
}

Test(ab_ends, shows_what_a_server_said_that_did_not_start) {
    ab_put("server", "#!/bin/sh\necho the port is mine >&2\nexit 3\n");
    ab_run_arms(arms.quick, arms.slow, NULL, NULL, NULL);
    cr_expect_eq(ab.status, 1);
    cr_expect(strstr(ab.errors, "the port is mine\n"), "%s", ab.errors);
    cr_expect(strstr(ab.errors, "the last: control: the server didn't say where it "
                                "listens\n"),
              "%s", ab.errors);
}

Test(ab_ends, says_which_command_can_not_be_run) {
    program_run(&ab, "ab", "--arm=one=no/such/program", "--arm", arms.slow, NULL);
    cr_expect_eq(ab.status, 1);
    cr_expect_str_eq(ab.errors, "no/such/program: No such file or directory\n"
                                "ab: one: the server didn't say where it listens\n");
}

Test(ab_ends, takes_a_server_that_ends_with_an_error_for_a_failure) {
    ab_put("server", "#!/bin/sh\ntrap 'exit 3' TERM\n"
                     "echo \"listening on http://127.0.0.1:$1\"\n"
                     "while :; do sleep 0.01; done\n");
    ab_run_arms(arms.quick, arms.slow, NULL, NULL, NULL);
    cr_expect_eq(ab.status, 1);
    cr_expect(strstr(ab.errors, "the server ended with an error\n"), "%s", ab.errors);
}

Test(ab_ends, goes_on_where_it_stopped) {
    char text[16384];
    ab_put("numbers.1002", "1000\n1000\n1000\nfail\nfail\n");
    ab_run_arms(arms.quick, arms.slow, "--blocks=4", arms.record, NULL);
    cr_expect_eq(ab.status, 1);
    ab_put("numbers.1002", "");
    ab_run_arms(arms.quick, arms.slow, "--blocks=4", arms.record, NULL);
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
    cr_expect(strstr(ab.output, "4 of 6 blocks kept\nblock 2 dropped: slow: "), "%s",
              ab.output);
    ab_get("at.1002", text, sizeof text);
    cr_expect_str_eq(text, "12\n", "3 runs, 2 that failed, 6 more; not %s", text);
}

Test(ab_ends, lists_a_block_that_was_cut_short_as_dropped) {
    char text[16384];
    ab_run_arms(arms.quick, arms.slow, "--blocks=2", arms.record, NULL);
    ab_get("record.rows", text, sizeof text);
    char *line = text; /* the settings, six runs, the end, two runs and half a third */
    for (int i = 0; i < 10; i++)
        line = strchr(line, '\n') + 1;
    line[20] = '\0';
    ab_put("record.rows", text);
    ab_run_arms(arms.quick, arms.slow, "--blocks=2", arms.record, NULL);
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
    cr_expect(strstr(ab.output, "2 of 3 blocks kept\nblock 2 dropped: ab was stopped "
                                "meanwhile\n"),
              "%s", ab.output);
}

Test(ab_ends, with_nothing_left_to_do_prints_the_same_again) {
    char before[8192];
    ab_run_arms(arms.quick, arms.slow, "--blocks=2", arms.record, NULL);
    strcpy(before, ab.output);
    ab_run_arms(arms.quick, arms.slow, "--blocks=2", arms.record, NULL);
    cr_expect_str_eq(ab.output, before);
}

Test(ab_ends, refuses_rows_of_other_settings_and_files_that_are_not_its_own) {
    char want[400];
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, NULL);
    cr_assert_eq(ab.status, 0);
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, "--connections=4");
    cr_expect_eq(ab.status, 2);
    snprintf(want, sizeof want,
             "ab: %s was begun with another 'connections'; remove it, or name another "
             "--record\n",
             ab_at("record.rows"));
    cr_expect_str_eq(ab.errors, want);
    ab_put("record.rows", "my letters");
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, NULL);
    cr_expect_eq(ab.status, 2);
    ab_get("record.rows", want, sizeof want);
    cr_expect_str_eq(want, "my letters");
}

Test(ab_ends, refuses_rows_of_programs_that_were_built_anew) {
    char want[400], server[200];
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, NULL);
    cr_assert_eq(ab.status, 0);
    ab_get("server", server, sizeof server);
    ab_put("server", strcat(server, "# another\n"));
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", arms.record, NULL);
    cr_expect_eq(ab.status, 2);
    snprintf(
        want, sizeof want,
        "ab: %s was begun with programs that have been built anew since; remove it, "
        "or name another --record\n",
        ab_at("record.rows"));
    cr_expect_str_eq(ab.errors, want);
}

/* However it ends. */

static void wait_for_lines(const char *name, int lines) {
    uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS;
    for (int seen = 0; seen < lines;) {
        cr_assert(clock_now() < deadline, "%s never had %d lines", name, lines);
        usleep(2000);
        FILE *file = fopen(ab_at(name), "r");
        seen = 0;
        for (int c; file && (c = getc(file)) != EOF;)
            seen += c == '\n';
        if (file)
            fclose(file);
    }
}

static void expect_no_child(const char *name) {
    FILE *file = fopen(ab_at(name), "r");
    int pid;
    cr_assert(file);
    while (fscanf(file, "%d", &pid) == 1) {
        uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS;
        while (kill(pid, 0) == 0 && clock_now() < deadline)
            usleep(2000); /* an orphan is somebody else's to bury */
        cr_expect(kill(pid, 0) != 0, "process %d is still there", pid);
    }
    fclose(file);
}

/* Starts ab with a client that never ends, and sends it a signal meanwhile. */
static void expect_clean_end(int number) {
    ab_put("client", "#!/bin/sh\necho $$ >>${0%/*}/pids\nsleep 60 &\necho $! "
                     ">>${0%/*}/pids\nwait\n");
    const char *build = getenv("BUILD");
    char path[256];
    snprintf(path, sizeof path, "%s/ab", build ? build : "build");
    fflush(NULL);
    pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        cr_assert(freopen(ab_at("errors"), "w", stderr));
        execl(path, path, "--arm", arms.quick, "--arm", arms.slow, arms.client,
              arms.control, "--allow-different-answers", NULL);
        _exit(127);
    }
    wait_for_lines("pids", 3); /* the server, the client, and what the client started */
    cr_assert(kill(pid, number) == 0);
    int status;
    cr_assert(waitpid(pid, &status, 0) == pid);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %x", status);
    expect_no_child("pids");
    char errors[1024];
    ab_get("errors", errors, sizeof errors);
    cr_expect(strstr(errors, "ab: stopped by a signal;"), "%s", errors);
}

Test(ab_ends, leaves_no_child_behind_after_sigint) {
    expect_clean_end(SIGINT);
}

Test(ab_ends, leaves_no_child_behind_after_sigterm) {
    expect_clean_end(SIGTERM);
}

/* A server may have helpers, which its own end doesn't end. */
Test(ab_ends, leaves_no_helper_of_a_server_behind) {
    ab_put("server", "#!/bin/sh\nsleep 60 &\necho $! >>${0%/*}/pids\n"
                     "echo \"listening on http://127.0.0.1:$1\"\nexec sleep 60\n");
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", NULL, NULL);
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
    expect_no_child("pids");
}

/* What an arm may be. */

Test(ab_ends, takes_a_command_of_many_words) {
    char arm[1024], text[1024] = "";
    ab_put("server", "#!/bin/sh\n[ \"$1\" != 1002 ] || echo $# >${0%/*}/words\n"
                     "echo \"listening on http://127.0.0.1:$1\"\nexec sleep 60\n");
    int at = snprintf(arm, sizeof arm, "%s", arms.slow);
    for (int i = 0; i < 100; i++)
        at += snprintf(arm + at, sizeof arm - (size_t)at, " --x");
    ab_run_arms(arms.quick, arm, "--blocks=1", NULL, NULL);
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
    ab_get("words", text, sizeof text);
    cr_expect_str_eq(text, "103\n", "1002, the hundred, --port 0; not %s", text);
}

Test(ab_ends, refuses_a_command_of_no_words) {
    ab_run_arms(arms.quick, "slow= ", NULL, NULL, NULL);
    cr_expect_eq(ab.status, 2);
    cr_expect_str_eq(ab.errors, "ab: there is no command for slow\n");
    ab_run_arms(arms.quick, arms.slow, "--client= ", NULL, NULL);
    cr_expect_eq(ab.status, 2);
}

Test(ab_ends, takes_a_server_that_ends_by_itself_for_a_failure) {
    ab_put("server", "#!/bin/sh\necho \"listening on http://127.0.0.1:$1\"\n");
    ab_put("pause", "");
    ab_run_arms(arms.quick, arms.slow, NULL, NULL, NULL);
    cr_expect_eq(ab.status, 1);
    cr_expect(strstr(ab.errors, "the server ended before it was told to\n"), "%s",
              ab.errors);
}

/* Our standard input isn't the arms'. */
Test(ab_ends, gives_a_server_nothing_to_read) {
    char text[64] = "";
    int ends[2];
    ab_put("server", "#!/bin/sh\nread line; echo \"'$line'\" >>${0%/*}/read\n"
                     "echo \"listening on http://127.0.0.1:$1\"\nexec sleep 60\n");
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "mine\n", 5), 5);
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[1]);
    ab_run_arms(arms.quick, arms.slow, "--blocks=1", NULL, NULL);
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
    ab_get("read", text, sizeof text);
    cr_expect(strstr(text, "''\n") && !strstr(text, "mine"), "%s", text);
}
