/* build/load against the book's own servers: its counts are the server's. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "02-readiness/test_support_backend.h"
#include "07-measure/test_load_fake.h"

TestSuite(load, .timeout = 300);

static struct program server;

/* The server has answered just what the client says it has. */
static void stop_and_compare(void) {
    program_stop(&server);
    double all = load_number("requests") + load_number("warmup_requests");
    cr_assert_gt(all, 0);
    cr_assert_eq((double)json_number(server.output, "responses"), all, "%s%s",
                 server.output, load.output);
    cr_assert_eq((double)json_number(server.output, "requests"), all);
}

static void agrees(struct backend *backend, const char *name) {
    char options[64];
    (void)backend;
    program_start(&server, "04-pass", "--stats", NULL);
    snprintf(options, sizeof options, "--ms 100 --warmup-ms 50 --backend %s", name);
    load_run_at(server.port, "/", options, 0);
    EXPECT("connections", 16);
    EXPECT("errors", 0);
    EXPECT("timeouts", 0);
    EXPECT("reconnects", 0);
    EXPECT("non_2xx", 0);
    cr_assert_geq(load_number("seconds"), 0.1);
    stop_and_compare();
}

Test(load, counts_what_the_server_counts_on_every_backend) {
    on_every_backend(agrees);
}

Test(load, counts_what_the_server_counts_without_ever_sleeping) {
    program_start(&server, "04-pass", "--stats", NULL);
    load_run_at(server.port, "/", "--spin --ms 100 --warmup-ms 50", 0);
    stop_and_compare();
}

Test(load, asks_as_often_as_it_is_told) {
    program_start(&server, "04-pass", "--stats", NULL);
    load_run_at(server.port, "/", "--requests 1000 --warmup-ms 0 --connections 7", 0);
    EXPECT("requests", 1000);
    EXPECT("warmup_requests", 0);
    stop_and_compare();
}

Test(load, opens_more_connections_than_the_soft_limit_of_descriptors) {
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 100;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    program_start(&server, "04-pass", "--stats", NULL);
    load_run_at(server.port, "/", "--connections 256 --requests 2560 --warmup-ms 0", 0);
    EXPECT("requests", 2560);
    EXPECT("reconnects", 0);
    stop_and_compare();
}

Test(load, a_connection_more_than_descriptors_is_refused) {
    program_start(&server, "04-pass", NULL);
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", server.port);
    program_descriptors(100);
    program_run(&load, "load", "--connections", "101", url, NULL);
    cr_assert_eq(load.status, 2);
    cr_assert_not_null(strstr(load.errors, "ulimit"), "%s", load.errors);
    program_stop(&server);
}

Test(load, another_status_than_2xx_is_counted_and_fails) {
    program_start(&server, "04-pass", "--stats", NULL);
    load_run_at(server.port, "/nowhere", "--requests 50 --warmup-ms 0", 1);
    EXPECT("requests", 50);
    EXPECT("non_2xx", 50);
    EXPECT("errors", 0);
    stop_and_compare();
}

Test(load, posts_a_body_and_reads_it_back) {
    program_start(&server, "05-executor", "--stats", NULL);
    load_run_at(server.port, "/echo",
                "--method POST --body-bytes 300000 --requests 40 --warmup-ms 0 "
                "--connections 4",
                0);
    EXPECT("requests", 40);
    cr_assert_gt(load_number("bytes"), 40 * 300000);
    stop_and_compare();
}

Test(load, asks_by_head_for_an_answer_without_its_body) {
    program_start(&server, "05-executor", "--stats", NULL);
    load_run_at(server.port, "/fanout?n=2",
                "--method HEAD --requests 100 --warmup-ms 0", 0);
    EXPECT("requests", 100);
    EXPECT("reconnects", 0);
    stop_and_compare();
}

/* Which requests are due is arithmetic; how many of them the warm-up has, too. */
Test(load, an_open_loop_asks_for_all_that_is_due) {
    program_start(&server, "04-pass", "--stats", NULL);
    load_run_at(server.port, "/", "--rate 500 --ms 600 --warmup-ms 200", 0);
    EXPECT("requests", 300);
    EXPECT("warmup_requests", 100);
    EXPECT("rate", 500);
    stop_and_compare();
}

/* The server is quick; whether the machine lets it, we may have to ask again. */
Test(load, an_open_loop_keeps_its_rate) {
    program_start(&server, "04-pass", NULL);
    double rate = 0;
    for (int tries = 0; tries < 10 && (rate < 1980 || rate > 2020); tries++) {
        load_run_at(server.port, "/", "--rate 2000 --ms 1000 --warmup-ms 0", 0);
        EXPECT("requests", 2000);
        rate = load_number("per_second");
    }
    cr_assert(rate >= 1980 && rate <= 2020, "%f requests/s", rate);
    program_stop(&server);
}

static int order(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

Test(load, writes_every_latency_and_its_percentiles_are_of_these) {
    enum { MANY = 500 };
    static double ns[MANY + 1];
    char raw[] = "/tmp/load-test.XXXXXX", options[128];
    int fd = mkstemp(raw), count = 0;
    cr_assert(fd >= 0);
    program_start(&server, "04-pass", NULL);
    snprintf(options, sizeof options, "--requests %d --warmup-ms 5 --raw %s", MANY,
             raw);
    load_run_at(server.port, "/", options, 0);
    program_stop(&server);
    FILE *file = fdopen(fd, "r");
    while (count <= MANY && fscanf(file, "%lf", &ns[count]) == 1)
        count++;
    fclose(file);
    unlink(raw);
    cr_assert_eq(count, MANY);
    qsort(ns, MANY, sizeof *ns, order);
    EXPECT("p50", ns[249]);
    EXPECT("p90", ns[449]);
    EXPECT("p99", ns[494]);
    EXPECT("p999", ns[499]);
    EXPECT("max", ns[499]);
}

Test(load, prints_a_table_whose_lines_say_their_units) {
    program_start(&server, "04-pass", NULL);
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d", server.port); /* the path is / */
    program_run(&load, "load", "--requests", "10", "--warmup-ms", "0", url, NULL);
    program_stop(&server);
    cr_assert_eq(load.status, 0, "%s", load.errors);
    static const char *const parts[] = {"closed loop: 16 connections",
                                        " 10 answers in ",
                                        " requests/s\n",
                                        " bytes read\n",
                                        " us, ",
                                        " cores used"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert_not_null(strstr(load.output, parts[i]), "no '%s' in: %s", parts[i],
                           load.output);
}

Test(load, what_cannot_be_is_one_line_and_exit_2) {
    static const char *const cases[][3] = {
        {"--connections", "0", "http://127.0.0.1:8080/"},
        {"--rate", "1000001", "http://127.0.0.1:8080/"},
        {"--method", "PUT", "http://127.0.0.1:8080/"},
        {"--body-bytes", "3", "http://127.0.0.1:8080/"},
        {"--backend", "none", "http://127.0.0.1:8080/"},
        {"--raw", "no-such-folder/raw", "http://127.0.0.1:8080/"},
        {"--what", "3", "http://127.0.0.1:8080/"},
        {"--ms", "10", NULL},
        {"--ms", "10", "127.0.0.1:8080"},
        {"--ms", "10", "https://127.0.0.1:8080/"},
        {"--ms", "10", "http://:8080/"},
        {"--ms", "10", "http://127.0.0.1:0/"},
        {"--ms", "10", "http://127.0.0.1:70000/"},
        {"--ms", "10", "http://127.0.0.1:80x/"},
        {"--ms", "10", "http://[::1/"},
        {"--ms", "10", "http://127.0.0.1:8080/a b"},
        {"--ms", "10", "http://127.0.0.1:8080/a\r\nX: y"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program_run(&load, "load", cases[i][0], cases[i][1], cases[i][2], NULL);
        cr_assert_eq(load.status, 2, "%s %s: %s", cases[i][0], cases[i][1],
                     load.errors);
        cr_assert_str_eq(load.output, "");
        cr_assert_eq(strncmp(load.errors, "load: ", 6), 0, "%s", load.errors);
    }
}

Test(load, a_server_that_refuses_connections_is_exit_2) {
    char url[64];
    program_start(&server, "04-pass", NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", server.port);
    program_stop(&server);
    program_run(&load, "load", url, NULL);
    cr_assert_eq(load.status, 2);
    cr_assert_eq(strncmp(load.errors, "load: can't connect: ", 21), 0, "%s",
                 load.errors);
}
