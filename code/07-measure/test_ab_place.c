/* Where build/ab puts the server and the client, and where it can't; and the answers that
 * it compares beforehand. */
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "07-measure/ab_parity.h"
#include "07-measure/ab_place.h"
#include "07-measure/test_support_ab.h"

TestSuite(ab_place, .init = ab_set_up, .fini = ab_tear_down);

#ifdef __linux__
/* Lets this process, and ab after it, use the first `most` CPUs of those it has; false
 * if they are fewer. */
static bool only(int most) {
    cpu_set_t all, some;
    int taken = 0;
    CPU_ZERO(&some);
    cr_assert(sched_getaffinity(0, sizeof all, &all) == 0);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && taken < most; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &some);
            taken++;
        }
    cr_assert(sched_setaffinity(0, sizeof some, &some) == 0);
    return taken == most;
}

Test(ab_place, puts_server_and_client_on_a_cpu_each) {
    char cpus[2][64];
    if (!only(2))
        cr_skip_test("this machine has one CPU");
    ab_put("server",
           "#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status >${0%/*}/its\n"
           "echo \"listening on http://127.0.0.1:$1\"\nexec sleep 60\n");
    ab_put("client",
           "#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status >${0%/*}/mine\n");
    ab_run_arms(arms.quick, arms.slow, "--place=one-cpu", NULL, NULL);
    ab_get("its", cpus[0], sizeof cpus[0]);
    ab_get("mine", cpus[1], sizeof cpus[1]);
    int server, client;
    char after;
    cr_expect_eq(sscanf(cpus[0], "Cpus_allowed_list: %d%c", &server, &after), 2);
    cr_expect_eq(after, '\n', "%s", cpus[0]);
    cr_expect_eq(sscanf(cpus[1], "Cpus_allowed_list: %d%c", &client, &after), 2);
    cr_expect_eq(after, '\n', "%s", cpus[1]);
    cr_expect_neq(server, client);
}

Test(ab_place, refuses_a_spare_core_where_there_is_none) {
    if (!only(2))
        cr_skip_test("this machine has one CPU");
    ab_run_arms(arms.quick, arms.slow, "--place=spare-core", NULL, NULL);
    cr_expect_eq(ab.status, 2);
    cr_expect_str_eq(ab.errors, "ab: --place spare-core needs 3 CPUs, and there are 2; "
                                "use --place free\n");
}
#endif

/* A quota, in a folder that looks like one of control groups. The kernel's part, that
 * the group is held to it, isn't seen here. */

/* The path of `name` in the group, below `tree`, which is "" or ends in a slash. */
static const char *in_group(const char *tree, const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%sab-%ld/%s", tree, (long)getpid(), name);
    return path;
}

static void expect_file(const char *tree, const char *name, const char *want) {
    char text[64];
    ab_get(in_group(tree, name), text, sizeof text);
    cr_expect_str_eq(text, want);
}

static void expect_only_the_server_in_it(const char *tree) {
    cr_expect(place_enter(PLACE_CLIENT));
    expect_file(tree, "cgroup.procs", "");
    cr_expect(place_enter(PLACE_SERVER));
    expect_file(tree, "cgroup.procs", "0");
}

Test(ab_place, a_quota_is_that_share_of_each_tenth_of_a_second) {
    cr_assert(mkdir(ab_at(in_group("", "")), 0755) == 0);
    ab_put(in_group("", "cpu.max"), "");
    ab_put(in_group("", "cgroup.procs"), "");
    ab_put("cgroup.subtree_control", "");
    place_settle("quota=0.5", ab_at("."));
    expect_file("", "cpu.max", "50000 100000");
    expect_only_the_server_in_it("");
}

Test(ab_place, where_there_are_trees_of_version_1_a_quota_is_in_that_of_the_cpu) {
    cr_assert(mkdir(ab_at("cpu"), 0755) == 0);
    cr_assert(mkdir(ab_at(in_group("cpu/", "")), 0755) == 0);
    ab_put(in_group("cpu/", "cpu.cfs_period_us"), "");
    ab_put(in_group("cpu/", "cpu.cfs_quota_us"), "");
    ab_put(in_group("cpu/", "cgroup.procs"), "");
    place_settle("quota=0.5", ab_at("."));
    expect_file("cpu/", "cpu.cfs_period_us", "100000");
    expect_file("cpu/", "cpu.cfs_quota_us", "50000");
    expect_only_the_server_in_it("cpu/");
}

/* Of a suite of its own, for whoever exits leaves a folder behind. */
Test(quota, is_refused_without_control_groups, .exit_code = 2) {
    place_settle("quota=0.5", "/there/is/nothing");
    cr_assert_fail("it was accepted");
}

/* Parity. */

static void expect_form(const char *answer, const char *want) {
    char text[1024];
    snprintf(text, sizeof text, "%s", answer);
    cr_expect(parity_form(text));
    cr_expect_str_eq(text, want);
}

Test(parity, leaves_out_the_date_and_orders_the_fields) {
    expect_form(
        "HTTP/1.1 200 OK\r\nServer: A\r\nDate: now\r\nAge: 1\r\n\r\nDate: 2\r\n",
        "HTTP/1.1 200 OK\r\nage: 1\r\nserver: A\r\nDate: 2\r\n");
    expect_form("HTTP/1.1 204 No\r\nDATE: now\r\n\r\n", "HTTP/1.1 204 No\r\n");
    expect_form("HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 204 No\r\n");
}

Test(parity, wants_a_head) {
    char none[] = "", half[] = "HTTP/1.1 200 OK\r\nA: b\r\n";
    cr_expect_not(parity_form(none));
    cr_expect_not(parity_form(half));
}

/* ab over two programs of the book, with the scripted client. */
static void run_programs(const char *path, const char *word) {
    static char pass[280], demo[280];
    const char *build = getenv("BUILD");
    snprintf(pass, sizeof pass, "pass=%s/04-pass --no-date-header",
             build ? build : "build");
    snprintf(demo, sizeof demo, "demo=%s/05-executor", build ? build : "build");
    program_run(&ab, "ab", "--arm", pass, "--arm", demo, arms.client, arms.control,
                "--steal-percent=100", "--blocks=1", "--path", path, word, NULL);
}

Test(ab_place, goes_on_when_the_arms_answer_the_same) {
    run_programs("/", NULL);
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
}

Test(ab_place, refuses_arms_that_answer_differently) {
    run_programs("/work?us=1", NULL);
    cr_expect_eq(ab.status, 1);
    cr_expect_str_eq(ab.errors,
                     "ab: pass answers 'HTTP/1.1 404 Not Found' where demo answers "
                     "'HTTP/1.1 200 OK'; --allow-different-answers compares them all "
                     "the same\n");
    run_programs("/work?us=1", "--allow-different-answers");
    cr_expect_eq(ab.status, 0, "%s", ab.errors);
}
