/* Readers and writers: who is called, and who no more. */
#include "05-executor/test_bench.h"

#include <sys/socket.h>

#include "02-readiness/backend.h"

TestSuite(watchers, .timeout = 300);

static int one[2], two[2], other[2];

static void open_pipes(void) {
    make_pipe(one);
    make_pipe(two);
    make_pipe(other);
}

static void close_ends(int ends[2]) {
    unwatch(ends[0]);
    close(ends[0]);
    close(ends[1]);
}

static void close_pipes(void) {
    close_ends(one);
    close_ends(two);
    close_ends(other);
}

static void stop_at_the_third(void *argument) {
    run_note(argument);
    if (bench.waits == 3)
        run_stop(NULL);
}

EACH_BACKEND(watchers, a_reader_runs_in_each_iteration_while_there_is_input) {
    open_pipes();
    make_readable(one);
    watch(one[0], stop_at_the_third, LETTER('a'));
    watch(two[0], run_note, LETTER('b')); /* which has none */
    run();
    cr_assert_str_eq(bench.log, "|a|a|a");
    close_pipes();
}

static void remove_both(void *argument) {
    run_note(argument);
    unwatch(one[0]);
    unwatch(two[0]);
    later(0, run_stop, NULL);
}

EACH_BACKEND(watchers, a_removed_reader_is_not_run_though_its_input_was_seen) {
    open_pipes();
    make_readable(one);
    make_readable(two);
    watch(one[0], remove_both, LETTER('a'));
    watch(two[0], remove_both, LETTER('a'));
    run();
    cr_assert_str_eq(bench.log, "|a|");
    close_pipes();
}

/* Whichever comes first closes the other's descriptor, and gives its number to a pipe
 * that has no input. */
static void recycle_the_other(void *argument) {
    int *ends = argument, *doomed = ends == one ? two : one;
    note('a');
    unwatch(ends[0]);
    unwatch(doomed[0]);
    cr_assert_eq(dup2(other[0], doomed[0]), doomed[0]); /* closes it first */
    watch(doomed[0], run_note, LETTER('x'));
    later(0, run_stop, NULL);
}

EACH_BACKEND(watchers, a_new_reader_of_a_reused_number_gets_nothing_of_the_old_one) {
    open_pipes();
    make_readable(one);
    make_readable(two);
    watch(one[0], recycle_the_other, one);
    watch(two[0], recycle_the_other, two);
    run();
    cr_assert_str_eq(bench.log, "|a|");
    close_pipes();
}

static void replace_both(void *argument) {
    run_note(argument);
    watch(one[0], stop_at_the_third, LETTER('n'));
    watch(two[0], stop_at_the_third, LETTER('n'));
}

EACH_BACKEND(watchers, a_second_reader_replaces_the_first_also_when_that_is_queued) {
    open_pipes();
    make_readable(one);
    make_readable(two);
    watch(one[0], run_note, LETTER('x'));
    watch(one[0], replace_both, LETTER('o'));
    watch(two[0], replace_both, LETTER('o'));
    run();
    cr_assert_str_eq(bench.log, "|o|nn|nn");
    close_pipes();
}

EACH_BACKEND(watchers, a_descriptor_has_a_reader_and_a_writer) {
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    make_readable(pair);
    watch(pair[0], run_note, LETTER('r'));
    cr_assert_eq(c_executor_add_writer(bench.c, pair[0], run_note, LETTER('w')), 0);
    run_stop(NULL);
    run();
    cr_assert(!strcmp(bench.log, "|rw") || !strcmp(bench.log, "|wr"), "%s", bench.log);
    unwatch(pair[0]);
    memset(bench.log, 0, sizeof bench.log);
    run_stop(NULL);
    run();
    cr_assert_str_eq(bench.log, "|w");
    cr_assert_eq(c_executor_remove_writer(bench.c, pair[0]), 0);
    cr_assert_eq(c_executor_remove_writer(bench.c, pair[0]), 0);
    close(pair[0]);
    close(pair[1]);
}

/* A pipe, unlike a socket, reports the hang-up and nothing beside it. */
EACH_BACKEND(watchers, a_hang_up_calls_the_reader) {
    make_pipe(one);
    watch(one[0], stop_at_the_third, LETTER('r'));
    close(one[1]);
    run();
    cr_assert_str_eq(bench.log, "|r|r|r");
    unwatch(one[0]);
    close(one[0]);
}

EACH_BACKEND(watchers, a_hang_up_calls_a_writer_that_has_no_room) {
    char bytes[4096] = {0};
    make_pipe(one);
    cr_assert_eq(fcntl(one[1], F_SETFL, O_NONBLOCK), 0);
    while (write(one[1], bytes, sizeof bytes) > 0)
        ;
    cr_assert_eq(c_executor_add_writer(bench.c, one[1], stop_at_the_third, LETTER('w')),
                 0);
    close(one[0]);
    run();
    cr_assert_str_eq(bench.log, "|w|w|w");
    cr_assert_eq(c_executor_remove_writer(bench.c, one[1]), 0);
    close(one[1]);
}

/* F1 in the small: the descriptor of a backend stands for all that it watches. */
EACH_BACKEND(watchers, a_reader_on_the_descriptor_of_another_backend_runs) {
    struct backend *inner = backend_open(NULL);
    struct readiness seen;
    cr_assert_not_null(inner);
    open_pipes();
    cr_assert_eq(backend_watch(inner, one[0], READABLE, 7), 0);
    watch(backend_fd(inner), stop_at_the_third, LETTER('i'));
    run_stop(NULL);
    run();
    cr_assert_str_eq(bench.log, "|");
    make_readable(one);
    run();
    cr_assert_str_eq(bench.log, "||i|i");
    cr_assert_eq(backend_wait(inner, &seen, 1, 0), 1);
    cr_assert_eq(seen.token, 7);
    unwatch(backend_fd(inner));
    backend_close(inner);
    close_pipes();
}

static void count_run(void *argument) {
    ++*(int *)argument;
}

EACH_BACKEND(watchers, more_descriptors_than_a_batch_all_get_their_turn) {
    enum { MANY = 300 };
    static int counts[MANY], ends[MANY][2];
    for (int i = 0; i < MANY; i++) {
        counts[i] = 0;
        make_pipe(ends[i]);
        make_readable(ends[i]);
        watch(ends[i][0], count_run, &counts[i]);
    }
    for (int i = 0; i < 3; i++) { /* 768 turns for 300 */
        run_stop(NULL);
        run();
    }
    for (int i = 0; i < MANY; i++) {
        cr_assert_geq(counts[i], 1);
        cr_assert_leq(counts[i], 3);
        close_ends(ends[i]);
    }
}

EACH_BACKEND(watchers, no_descriptor_is_an_error_and_nothing_else_is_changed) {
    cr_assert_eq(bench.executor->add_reader(bench.self, -1, run_note, NULL), -1);
    cr_assert_eq(errno, EBADF);
    errno = 0;
    cr_assert_eq(bench.executor->remove_reader(bench.self, -1), -1);
    cr_assert_eq(errno, EBADF);
    errno = 0;
    cr_assert_eq(c_executor_add_writer(bench.c, -1, run_note, NULL), -1);
    cr_assert_eq(errno, EBADF);
    cr_assert_eq(bench.executor->remove_reader(bench.self, 900), 0, "none was there");
}

Test(watchers, a_closed_descriptor_is_refused_where_the_kernel_looks_at_once) {
    struct c_executor *c = c_executor_open(NULL, NULL);
    const struct executor *executor = c_executor_functions(c);
    make_pipe(one);
    close(one[0]);
    cr_assert_eq(executor->add_reader(executor->self, one[0], run_note, NULL), -1);
    cr_assert_eq(errno, EBADF);
    cr_assert_eq(executor->remove_reader(executor->self, one[0]), 0);
    close(one[1]);
    c_executor_close(c);
}
