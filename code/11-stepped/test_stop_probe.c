/* The probe, against servers that stop in a known manner: this program is one, when it
 * is called as `serve MANNER PORT`. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "11-stepped/stop_probe.h"
#include "11-stepped/stop_probe_keeper.h"
#include "11-stepped/test_support_stop_probe.h"

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "serve")) {
        fake_serve(argv[2], (uint64_t)atoi(argv[3]));
    }
    struct criterion_test_set *tests = criterion_initialize();
    int passed =
        !criterion_handle_args(argc, argv, true) || criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return passed ? 0 : 1;
}

/* --- The probe ------------------------------------------------------------------------ */

static char fake[1024], serve_word[] = "serve", port_word[] = "{port}";
static struct probe_row row;

static void find_ourselves(void) {
    const char *build = getenv("BUILD");
    snprintf(fake, sizeof fake, "%s/tests/11-stepped-test_stop_probe",
             build ? build : "build");
    signal(SIGPIPE, SIG_IGN);
    unsetenv("BXFI_MAP"); /* Criterion's own, by which ours would become a test */
}

static void play(enum probe_case which, const char *how, uint64_t limit_ms) {
    static bool kept;
    find_ourselves();
    char *const command[] = {fake, serve_word, (char *)how, port_word, NULL};
    const struct probe probe = {command, "/slow", "/stream", limit_ms};
    if (!kept)
        keeper_start();
    kept = true;
    probe_play(&probe, which, &row);
}

static void expect(enum probe_case which, const char *how, enum probe_verdict verdict,
                   const char *saw) {
    play(which, how, verdict == PROBE_HUNG ? 2500 : WAIT_MS);
    cr_expect_eq(row.verdict, verdict, "%s, %s: verdict %d, not %d", row.name, how,
                 row.verdict, verdict);
    cr_expect_str_eq(row.saw, saw, "%s, %s: %s", row.name, how, row.saw);
    if (verdict == PROBE_OK || verdict == PROBE_FAILED || verdict == PROBE_DROPPED)
        cr_expect(row.ended);
}

Test(stop_probe, sees_a_request_in_flight) {
    expect(IN_FLIGHT, "good", PROBE_OK, "answered in full");
    expect(IN_FLIGHT, "resetting", PROBE_DROPPED, "reset after it was read");
    expect(IN_FLIGHT, "half", PROBE_DROPPED, "cut");
    expect(IN_FLIGHT, "error", PROBE_DROPPED, "answered with an error");
    expect(IN_FLIGHT, "deaf", PROBE_HUNG, "answered in full");
    expect(TWO_IN_FLIGHT, "good", PROBE_OK, "answered in full; answered in full");
}

Test(stop_probe, sees_a_request_that_lies_unread) {
    expect(UNREAD_BYTES, "good", PROBE_OK, "answered in full");
    expect(UNREAD_BYTES, "resetting", PROBE_DROPPED, "reset unread");
    expect(UNREAD_BYTES, "curt", PROBE_DROPPED, "closed, read but not answered");
    expect(UNREAD_BYTES, "half-closing", PROBE_DROPPED, "closed unread");
    expect(UNREAD_BYTES, "faulty", PROBE_FAILED, "answered in full");
}

Test(stop_probe, sees_a_request_in_the_backlog) {
    expect(BACKLOG, "good", PROBE_OK, "answered in full");
    expect(BACKLOG, "backlog-dropping", PROBE_DROPPED, "reset unread");
}

Test(stop_probe, lets_an_idle_connection_close_but_not_be_reset) {
    expect(IDLE_RACE, "good", PROBE_OK, "answered in full");
    expect(IDLE_RACE, "curt", PROBE_OK, "closed, read but not answered");
    expect(IDLE_RACE, "lingering", PROBE_OK, "closed, read but not answered");
    expect(IDLE_RACE, "half-closing", PROBE_OK, "closed unread");
    expect(IDLE_RACE, "resetting", PROBE_DROPPED, "reset unread");
}

Test(stop_probe, sees_who_holds_a_stop_up) {
    expect(SILENT, "good", PROBE_OK, "closed");
    expect(SILENT, "clinging", PROBE_HUNG, "left open");
    cr_expect_not(row.ended);
}

Test(stop_probe, wants_the_end_announced_once) {
    expect(POOLED, "good", PROBE_OK, "1 answered, 1 of them as the last; then closed");
    expect(POOLED, "terse", PROBE_FAILED,
           "1 answered, 0 of them as the last; then closed");
    play(POOLED, "unannounced", 1000);
    cr_expect_eq(row.verdict, PROBE_HUNG);
    cr_expect_not(row.ended);
}

Test(stop_probe, wants_a_stream_ended) {
    expect(STREAM, "good", PROBE_OK, "answered in full");
    expect(STREAM, "cut", PROBE_DROPPED, "cut");
}

Test(stop_probe, wants_a_second_signal_to_end_it) {
    expect(SECOND_SIGNAL, "good", PROBE_OK,
           "ended at once; the request in flight: closed, read but not answered");
    expect(SECOND_SIGNAL, "deaf-to-the-second", PROBE_HUNG,
           "went on as before; the request in flight: answered in full");
    cr_expect(row.ended);
    expect(SECOND_SIGNAL, "resetting", PROBE_SKIPPED, "it had ended at the first");
}

Test(stop_probe, stops_a_server_that_starts) {
    play(START_UP, "good", WAIT_MS);
    cr_expect_eq(row.verdict, PROBE_OK, "%s", row.saw);
    play(START_UP, "deaf-at-first", 500);
    cr_expect_eq(row.verdict, PROBE_HUNG, "%s", row.saw);
}

Test(stop_probe, finds_what_the_pass_drops) {
    char pass[1024], port[] = "--port", any[] = "0";
    const char *build = getenv("BUILD");
    snprintf(pass, sizeof pass, "%s/04-pass", build ? build : "build");
    char *const command[] = {pass, port, any, NULL};
    const struct probe probe = {command, NULL, NULL, WAIT_MS};
    keeper_start();
    probe_play(&probe, BACKLOG, &row);
    cr_expect_eq(row.verdict, PROBE_DROPPED);
    probe_play(&probe, IN_FLIGHT, &row);
    cr_expect_eq(row.verdict, PROBE_SKIPPED);
}

/* --- Who is left ---------------------------------------------------------------------- */

/* A pipe that a server and its children keep open: each writes a + when it starts, and
 * the end comes when the last is gone. Returns the reading end. */
static int counted(int *theirs) {
    int ends[2];
    char number[16];
    cr_assert(pipe(ends) == 0);
    snprintf(number, sizeof number, "%d", ends[1]);
    cr_assert(setenv("FAKE_TELLS", number, 1) == 0);
    *theirs = ends[1];
    return ends[0];
}

Test(stop_probe, leaves_no_worker_of_a_server_behind) {
    int theirs;
    char starts[16];
    play(SILENT, "good", WAIT_MS); /* the keeper shall not have the pipe */
    int ours = counted(&theirs);
    expect(SILENT, "forking", PROBE_HUNG, "closed");
    close(theirs);
    read_to_end(ours, starts, sizeof starts);
    cr_expect_str_eq(starts, "+");
}

Test(stop_probe, leaves_no_server_behind_when_it_is_killed) {
    int theirs;
    char start, more[16];
    find_ourselves();
    int ours = counted(&theirs);
    const char *build = getenv("BUILD");
    char program[1024];
    snprintf(program, sizeof program, "%s/stop-probe", build ? build : "build");
    pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        execl(program, program, "--limit-ms", "60000", "--", fake, "serve", "deaf",
              "{port}", NULL);
        _exit(127);
    }
    close(theirs);
    read_bytes(ours, &start, 1);
    cr_assert(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    read_to_end(ours, more, sizeof more);
}

/* --- The program ---------------------------------------------------------------------- */

Test(stop_probe, says_by_its_status_whether_all_is_well) {
    struct program program;
    find_ourselves();
    program_run(&program, "stop-probe", "--json", "--slow-path=/slow",
                "--stream-path=/stream", "--limit-ms=10000", "--", fake, "serve",
                "good", "{port}", NULL);
    cr_expect_eq(program.status, 0, "%s%s", program.output, program.errors);
    size_t ok = 0;
    for (const char *at = program.output; (at = strstr(at, "\"verdict\":\"ok\"")); at++)
        ok++;
    cr_expect_eq(ok, PROBE_CASES, "%s", program.output);
    program_run(&program, "stop-probe", "--", fake, "serve", "backlog-dropping",
                "{port}", NULL);
    cr_expect_eq(program.status, 1);
    cr_expect(strstr(program.output, "\nbacklog            dropped "));
}

Test(stop_probe, says_in_one_line_that_a_server_does_not_start) {
    struct program program;
    find_ourselves();
    program_run(&program, "stop-probe", "--", fake, "serve", "dead", "{port}", NULL);
    cr_expect_eq(program.status, 2);
    cr_expect_str_eq(program.output, "");
    cr_expect_str_eq(program.errors, "stop-probe: the server ended before it answered; "
                                     "try the command by itself\n");
    program_run(&program, "stop-probe", "--", "/nowhere", NULL);
    cr_expect_eq(program.status, 2);
    cr_expect_str_eq(program.errors,
                     "stop-probe: can't run /nowhere: No such file or directory\n");
    program_run(&program, "stop-probe", NULL);
    cr_expect_eq(program.status, 2);
}
