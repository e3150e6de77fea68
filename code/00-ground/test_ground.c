/* The ground: what every room relies on. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "00-ground/buffer.h"
#include "00-ground/clock.h"
#include "00-ground/descriptor.h"
#include "00-ground/error.h"
#include "00-ground/options.h"
#include "00-ground/signals.h"
#include "00-ground/stats.h"
#include "00-ground/test_support.h"

TestSuite(ground, .timeout = 300);

/* Tells the leak checker of the address sanitizer, where there is one, to let a forked
 * child alone: it would add a line of its own to the child's errors. */
static bool apart;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
    return apart;
}

/* What `body` leaves behind in a process of its own: exit status, output, errors. */
struct traces {
    int status;
    char output[8192], errors[8192];
};

static void run_apart(void (*body)(void), struct traces *left) {
    int out[2], err[2], status;
    cr_assert(pipe(out) == 0 && pipe(err) == 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        apart = true;
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        body();
        fflush(stdout);
        _exit(0);
    }
    close(out[1]);
    close(err[1]);
    read_to_end(out[0], left->output, sizeof left->output);
    read_to_end(err[0], left->errors, sizeof left->errors);
    close(out[0]);
    close(err[0]);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status));
    left->status = WEXITSTATUS(status);
}

/* Errors. */

static void die_of_disk(void) {
    program_named("build/06-pump");
    die("can't write %s; make room", "trace.json");
}

static void die_of_port(void) {
    program_named("06-pump");
    die_of_usage("port %d is taken", 80);
}

Test(ground, a_death_is_one_line_and_says_whose_fault_it_is) {
    struct traces left;
    run_apart(die_of_disk, &left);
    cr_assert_eq(left.status, 1);
    cr_assert_str_eq(left.errors, "06-pump: can't write trace.json; make room\n");
    run_apart(die_of_port, &left);
    cr_assert_eq(left.status, 2);
    cr_assert_str_eq(left.errors, "06-pump: port 80 is taken\n");
}

/* Options. */

static char *arguments[4]; /* after the program's name, NULL at the end */
static bool flag;
static uint64_t number;
static const char *text;

static void read_options(void) {
    char *argv[6] = {"build/06-pump"};
    int argc = 1;
    flag = false;
    number = 7;
    text = NULL;
    const struct option_row rows[] = {
        {"--flag", OPTION_FLAG, &flag, 0, 0, "a flag"},
        {"--number", OPTION_NUMBER, &number, 5, 20, "a number"},
        {"--text", OPTION_TEXT, &text, 0, 0, "a text"},
    };
    for (int i = 0; arguments[i]; i++)
        argv[argc++] = arguments[i];
    options_read(argc, argv, "Does nothing.", rows, 3);
}

Test(ground, an_option_of_a_list_is_given_as_often_as_there_is_room) {
    static struct option_list list;
    static const struct option_row row = {"--one", OPTION_LIST, &list, 0, 0, "a text"};
    char *argv[] = {"build/06-pump", "--one", "a", "--one=b"};
    options_read(4, argv, "Does nothing.", &row, 1);
    cr_assert_eq(list.count, 2);
    cr_expect_str_eq(list.texts[0], "a");
    cr_expect_str_eq(list.texts[1], "b");
}

Test(ground, an_option_of_a_list_is_refused_beyond_its_room, .exit_code = 2) {
    static struct option_list list = {.count = sizeof list.texts / sizeof *list.texts};
    static const struct option_row row = {"--one", OPTION_LIST, &list, 0, 0, "a text"};
    char *argv[] = {"build/06-pump", "--one=a"};
    options_read(2, argv, "Does nothing.", &row, 1);
}

static void set_arguments(char *first, char *second, char *third) {
    arguments[0] = first;
    arguments[1] = second;
    arguments[2] = third;
}

Test(ground, options_keep_their_defaults) {
    set_arguments(NULL, NULL, NULL);
    read_options();
    cr_assert(!flag && number == 7 && !text);
}

Test(ground, options_take_a_value_after_a_space_or_an_equals_sign) {
    set_arguments("--flag", "--number=20", "--text=a=b");
    read_options();
    cr_assert(flag && number == 20);
    cr_assert_str_eq(text, "a=b");
    set_arguments("--text", "--flag", NULL);
    read_options();
    cr_assert(!flag);
    cr_assert_str_eq(text, "--flag");
    set_arguments("--number", "5", "--flag");
    read_options();
    cr_assert(flag && number == 5);
}

Test(ground, wrong_options_are_one_line_that_names_them_and_exit_2) {
    static char *const cases[][3] = {
        {"--number", "--number", "4"},
        {"--number", "--number", "21"},
        {"--number", "--number", "-7"},
        {"--number", "--number", "+7"},
        {"--number", "--number", " 7"},
        {"--number", "--number", "7x"},
        {"--number", "--number", ""},
        {"--number", "--number", NULL},
        {"--number", "--number=", NULL},
        {"--number", "--number=99999999999999999999", NULL},
        {"--text", "--text", NULL},
        {"--flag", "--flag=1", NULL},
        {"--flags", "--flags", NULL},
        {"--fla", "--fla", NULL},
        {"flag", "flag", NULL},
        {"--", "--", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct traces left;
        set_arguments(cases[i][1], cases[i][2], NULL);
        run_apart(read_options, &left);
        cr_assert_eq(left.status, 2, "%s %s", cases[i][1], cases[i][2]);
        cr_assert_str_eq(left.output, "");
        cr_assert_eq(strncmp(left.errors, "06-pump: ", 9), 0);
        cr_assert_not_null(strstr(left.errors, cases[i][0]));
        cr_assert_eq(strchr(left.errors, '\n') + 1, strchr(left.errors, '\0'));
    }
}

Test(ground, help_lists_every_option_and_its_default) {
    struct traces left;
    set_arguments("--flag", "--help", NULL);
    run_apart(read_options, &left);
    cr_assert_eq(left.status, 0);
    cr_assert_str_eq(left.errors, "");
    cr_assert_eq(strncmp(left.output, "Does nothing.\n", 14), 0);
    for (int i = 0; i < 4; i++) {
        static const char *const parts[] = {"--flag", "--number N", "--text TEXT",
                                            "(7)"};
        cr_assert_not_null(strstr(left.output, parts[i]), "%s", parts[i]);
    }
}

/* The clock. */

Test(ground, a_wait_is_rounded_up_so_that_it_never_ends_early) {
    cr_assert_eq(clock_wait_ms(NEVER, 0), -1);
    cr_assert_eq(clock_wait_ms(NEVER, NEVER - 1), -1);
    cr_assert_eq(clock_wait_ms(5, 5), 0);
    cr_assert_eq(clock_wait_ms(5, 6), 0);
    cr_assert_eq(clock_wait_ms(0, UINT64_MAX - 1), 0);
    cr_assert_eq(clock_wait_ms(6, 5), 1);
    cr_assert_eq(clock_wait_ms(NS_PER_MS, 0), 1);
    cr_assert_eq(clock_wait_ms(NS_PER_MS + 1, 0), 2);
    cr_assert_eq(clock_wait_ms(1500 * NS_PER_MS, 0), 1500);
}

Test(ground, a_wait_too_long_for_a_number_of_ms_is_the_longest_there_is) {
    cr_assert_eq(clock_wait_ms((uint64_t)INT_MAX * NS_PER_MS, 0), INT_MAX);
    cr_assert_eq(clock_wait_ms((uint64_t)INT_MAX * NS_PER_MS + 1, 0), INT_MAX);
    cr_assert_eq(clock_wait_ms(NEVER - 1, 0), INT_MAX);
    cr_assert_eq(clock_wait_ms(NEVER - 1, 1), INT_MAX);
}

Test(ground, the_clocks_go_on) {
    uint64_t now = clock_now(), cpu = clock_cpu();
    while (clock_cpu() == cpu)
        ;
    cr_assert_gt(clock_now(), now);
    cr_assert_gt(clock_cpu(), cpu);
}

/* The buffer. */

Test(ground, a_buffer_gives_back_what_was_put_in_and_starts_again_when_empty) {
    char bytes[8];
    struct buffer buffer = {.bytes = bytes, .capacity = sizeof bytes};
    cr_assert(buffer_used(&buffer) == 0 && buffer_room(&buffer) == 8);
    memcpy(bytes, "abcdefgh", 8);
    buffer.end = 8;
    cr_assert(buffer_used(&buffer) == 8 && buffer_room(&buffer) == 0);
    buffer_take(&buffer, 5);
    cr_assert(buffer_used(&buffer) == 3 && buffer_room(&buffer) == 0);
    buffer_pack(&buffer);
    cr_assert(buffer_used(&buffer) == 3 && buffer_room(&buffer) == 5);
    cr_assert_eq(memcmp(buffer.bytes + buffer.start, "fgh", 3), 0);
    buffer_pack(&buffer);
    buffer_take(&buffer, 0);
    cr_assert(buffer_used(&buffer) == 3 && buffer_room(&buffer) == 5);
    buffer_take(&buffer, 3);
    cr_assert(buffer_used(&buffer) == 0 && buffer_room(&buffer) == 8);
}

Test(ground, a_pipe_is_not_inherited_and_may_sleep) {
    int ends[2];
    char byte;
    descriptor_pipe(ends);
    cr_assert_eq(write(ends[1], "x", 1), 1);
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(fcntl(ends[i], F_GETFD), FD_CLOEXEC);
        cr_assert_not(fcntl(ends[i], F_GETFL) & O_NONBLOCK);
    }
}

/* Signals. */

Test(ground, a_signal_makes_a_descriptor_readable) {
    int fd = signals_open();
    char byte;
    cr_assert_geq(fd, 0);
    cr_assert_not(readable_within(fd, 0));
    cr_assert(read(fd, &byte, 1) == -1 && errno == EAGAIN, "it never blocks");
    for (int i = 0; i < 2; i++) {
        kill(getpid(), i ? SIGINT : SIGTERM);
        cr_assert(readable_within(fd, WAIT_MS));
        cr_assert_eq(read(fd, &byte, 1), 1);
        cr_assert_not(readable_within(fd, 0));
    }
}

Test(ground, any_number_of_signals_is_taken) {
    int fd = signals_open();
    for (int i = 0; i < 100000; i++) /* more than a pipe holds */
        raise(SIGTERM);
    cr_assert(readable_within(fd, WAIT_MS));
}

Test(ground, a_write_to_a_closed_pipe_is_an_error_and_no_death) {
    int ends[2];
    signals_open();
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    cr_assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);
}

/* Counters. */

static void print_stats(void) {
    struct counters sum = {.requests = 1, .responses = 2, .passes = 3, .events = 4};
    const struct counters more = {.requests = 10,
                                  .submits = 5,
                                  .wakes_to_executor = 6,
                                  .wakes_to_loop = 7,
                                  .slots_swept = 8,
                                  .stale_events = UINT64_MAX,
                                  .rss_kb_first = 9};
    counters_add(&sum, &more);
    stats_print(&sum, clock_now() - 5 * NS_PER_MS);
}

Test(ground, the_stats_are_one_line_with_every_field) {
    static const struct {
        const char *name;
        uint64_t value;
    } fields[] = {
        {"requests", 11},     {"responses", 2},   {"passes", 3},
        {"events", 4},        {"submits", 5},     {"wakes_to_executor", 6},
        {"wakes_to_loop", 7}, {"slots_swept", 8}, {"stale_events", UINT64_MAX},
        {"rss_kb_first", 9}};
    struct traces left;
    run_apart(print_stats, &left);
    cr_assert_eq(left.output[0], '{');
    cr_assert_eq(strchr(left.output, '\n') - 1, strchr(left.output, '}'));
    cr_assert_eq(strchr(left.output, '\n') + 1, strchr(left.output, '\0'));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        cr_assert_eq(json_number(left.output, fields[i].name), fields[i].value, "%s",
                     fields[i].name);
    cr_assert_geq(json_number(left.output, "wall_us"), 5000);
    cr_assert_gt(json_number(left.output, "rss_kb_last"), 0);
    json_number(left.output, "cpu_us");
}

Test(ground, the_first_request_notes_the_memory) {
    struct counters counters = {0};
    count_request(&counters);
    uint64_t first = counters.rss_kb_first;
    cr_assert_gt(first, 0);
    cr_assert_lt(first, 1024 * 1024, "in KiB");
    counters.rss_kb_first = 1;
    count_request(&counters);
    cr_assert(counters.rss_kb_first == 1 && counters.requests == 2);
}
