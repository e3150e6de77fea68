/* The stress client, against servers that stop in a known manner: this program is one,
 * when it is called as `serve MANNER`. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/test_support.h"
#include "11-stepped/test_support_stress.h"

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "serve"))
        stress_fake_serve(argv[2]);
    struct criterion_test_set *tests = criterion_initialize();
    int passed =
        !criterion_handle_args(argc, argv, true) || criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return passed ? 0 : 1;
}

static struct program stress;
static const char *rounds = "1";

/* `rounds` rounds with the fake that stops like `how`, of whose clients `over` ask for more
 * than there is time. */
static void play(const char *how, const char *over) {
    char fake[1024];
    const char *build = getenv("BUILD");
    snprintf(fake, sizeof fake, "%s/tests/11-stepped-test_stress",
             build ? build : "build");
    unsetenv("BXFI_MAP"); /* Criterion's own, by which the fake would become a test */
    program_run(&stress, "stress", "--seed", "1", "--rounds", rounds, "--requests",
                "100", "--clients", "24", "--budget-ms", "1000", "--over", over, "--",
                fake, "serve", how, NULL);
}

static void expect_good(const char *how, const char *over) {
    play(how, over);
    cr_expect_eq(stress.status, 0, "a good server has faults:\n%s%s", stress.output,
                 stress.errors);
    cr_expect(strstr(stress.output, "1 of 1 rounds without a fault"), "%s",
              stress.output);
}

/* The fault is found, and said in these words. */
static void expect_fault(const char *how, const char *over, const char *words) {
    play(how, over);
    cr_expect_eq(stress.status, 1, "%s: exit status %d", how, stress.status);
    cr_expect(strstr(stress.output, words), "%s, but it says:\n%s%s", how,
              stress.output, stress.errors);
}

Test(stress, a_server_that_answers_all_it_was_asked_passes) {
    expect_good("good", "0");
}

Test(stress, answers_may_come_in_chunks) {
    expect_good("chunking", "0");
}

Test(stress, a_server_that_says_what_its_budget_cut_passes) {
    expect_good("good", "3");
    cr_expect(!strstr(stress.output, " 0 cut;"), "%s", stress.output);
}

Test(stress, lost_answers_are_found) {
    expect_fault("losing", "0", " before SIGTERM: closed without an answer");
}

Test(stress, half_answers_are_found) {
    expect_fault("halving", "0", "closed in the middle of the answer");
}

Test(stress, resets_of_requests_are_found) {
    expect_fault("resetting", "0", " before SIGTERM: reset without an answer");
}

Test(stress, resets_of_idle_connections_are_found) {
    expect_fault("brusque", "0", "reset while it was idle");
}

Test(stress, requests_that_lay_unread_are_found) {
    rounds = "3"; /* one of them at least meets some */
    expect_fault("unread", "0", " before SIGTERM: ");
}

Test(stress, a_server_that_doesnt_stop_is_found) {
    expect_fault("deaf", "0", "the server still runs");
}

Test(stress, idle_connections_that_hold_a_server_up_are_found) {
    expect_fault("clinging", "0", "idle, and never closed");
}

Test(stress, a_drain_that_freezes_is_found) {
    expect_fault("freezing", "0", ": answered only 3");
}

Test(stress, another_ones_answer_is_found) {
    expect_fault("swapping", "0", "not its own answer");
}

Test(stress, what_is_no_answer_is_found) {
    expect_fault("garbling", "0", "this isn't HTTP: 'ITTP/1.1 200");
}

Test(stress, what_nobody_asked_for_is_found) {
    expect_fault("talkative", "0", "nobody asked for this: 'HTTP/1.1 200");
}

#ifdef __linux__
Test(stress, descriptors_that_stay_open_are_found) {
    expect_fault("leaking", "0", " descriptors more than before the burst");
}

Test(stress, memory_that_grows_is_found) {
    expect_fault("growing", "0", "the server grew by ");
}
#endif

Test(stress, a_server_that_miscounts_what_it_cut_is_found) {
    expect_fault("miscounting", "2", " requests were cut, the server says ");
}

Test(stress, a_server_that_says_nothing_of_what_it_cut_is_found) {
    expect_fault("silent", "1", "exit status 0, and ");
}

Test(stress, a_server_that_crashes_at_its_end_is_found) {
    expect_fault("crashing", "0", "the server died of signal ");
}

Test(stress, a_server_whose_books_dont_add_up_is_found) {
    expect_fault("bookless", "0", "by its own count the server read ");
}

Test(stress, a_command_that_is_no_server_is_refused_with_a_line) {
    program_run(&stress, "stress", "--", "true", NULL);
    cr_expect_eq(stress.status, 2);
    cr_expect(strstr(stress.errors, "isn't the first line of true"), "%s",
              stress.errors);
}

Test(stress, no_command_is_refused_with_a_line) {
    program_run(&stress, "stress", NULL);
    cr_expect_eq(stress.status, 2);
    cr_expect(strstr(stress.errors, "which server?"), "%s", stress.errors);
}

/* --- The servers of this book ---------------------------------------------------------- */

static void play_ours(const char *server, const char *topology, const char *drain) {
    char path[1024];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/%s", build ? build : "build", server);
    /* AddressSanitizer keeps freed memory for a while, which would look like a leak. */
    setenv("ASAN_OPTIONS", "quarantine_size_mb=0", 1);
    program_run(&stress, "stress", "--requests", "100", "--", path, "--port", "0",
                "--stats", topology, drain, NULL);
}

Test(stress, the_drains_lose_nothing) {
    static const char *const arms[][2] = {{"--topology=pump", "--drain=blocking"},
                                          {"--topology=pump", "--drain=evented"},
                                          {"--topology=inversion", "--drain=stepped"},
                                          {"--topology=inversion", "--drain=evented"}};
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        play_ours("11-stepped", arms[i][0], arms[i][1]);
        cr_expect_eq(stress.status, 0, "%s %s:\n%s%s", arms[i][0], arms[i][1],
                     stress.output, stress.errors);
    }
}

Test(stress, a_server_without_a_drain_is_found) {
    play_ours("08-inversion", NULL, NULL);
    cr_expect_eq(stress.status, 1);
    cr_expect(strstr(stress.output, " before SIGTERM: closed without an answer"),
              "%s%s", stress.output, stress.errors);
}
