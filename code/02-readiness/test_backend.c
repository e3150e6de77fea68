/* The backends: what is watched, and what is reported of it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "02-readiness/test_support_backend.h"

TestSuite(backend, .timeout = 300);

enum { BOTH = READABLE | WRITABLE };

static void reports_input(struct backend *backend, const char *name) {
    int ends[2];
    (void)name;
    local_pair(ends);
    cr_assert_eq(backend_watch(backend, ends[0], READABLE, 7), 0);
    cr_assert_eq(reported(backend, 7, 0), 0, "nothing has come");
    cr_assert_eq(write(ends[1], "ab", 2), 2);
    cr_assert_eq(reported(backend, 7, -1), READABLE);
    cr_assert_eq(reported(backend, 7, -1), READABLE, "nobody has read it yet");
    char byte;
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    cr_assert_eq(reported(backend, 7, -1), READABLE, "half of it is still there");
    empty_input(ends[0]);
    cr_assert_eq(reported(backend, 7, 0), 0, "all has been read");
    close_pair(ends);
}

Test(backend, reports_input_for_as_long_as_it_lies_there) {
    on_every_backend(reports_input);
}

static void reports_room(struct backend *backend, const char *name) {
    int ends[2];
    (void)name;
    local_pair(ends);
    cr_assert_eq(backend_watch(backend, ends[0], WRITABLE, 7), 0);
    cr_assert_eq(write(ends[1], "a", 1), 1); /* nobody asked for that */
    cr_assert_eq(reported(backend, 7, -1), WRITABLE);
    cr_assert_eq(reported(backend, 7, -1), WRITABLE);
    fill_output(ends[0]);
    cr_assert_eq(reported(backend, 7, 0), 0, "it is full");
    empty_input(ends[1]);
    cr_assert_eq(reported(backend, 7, -1), WRITABLE);
    close_pair(ends);
}

Test(backend, reports_room_for_output_for_as_long_as_there_is_any) {
    on_every_backend(reports_room);
}

static void reports_both(struct backend *backend, const char *name) {
    int ends[2];
    (void)name;
    local_pair(ends);
    cr_assert_eq(backend_watch(backend, ends[0], BOTH, 7), 0);
    cr_assert_eq(reported(backend, 7, -1), WRITABLE);
    cr_assert_eq(write(ends[1], "a", 1), 1);
    cr_assert_eq(reported(backend, 7, -1), BOTH);
    fill_output(ends[0]);
    cr_assert_eq(reported(backend, 7, -1), READABLE);
    empty_input(ends[0]);
    cr_assert_eq(reported(backend, 7, 0), 0);
    close_pair(ends);
}

Test(backend, reports_both_directions_of_one_descriptor) {
    on_every_backend(reports_both);
}

/* A pair whose first end is readable and writable. */
static void ready_pair(int ends[2]) {
    local_pair(ends);
    cr_assert_eq(write(ends[1], "a", 1), 1);
}

static void rewatches(struct backend *backend, const char *name) {
    int ends[2];
    (void)name;
    ready_pair(ends);
    cr_assert_eq(backend_watch(backend, ends[0], READABLE, 1), 0);
    cr_assert_eq(backend_rewatch(backend, ends[0], WRITABLE, 2), 0);
    cr_assert_eq(reported(backend, 2, -1), WRITABLE);
    cr_assert_eq(backend_rewatch(backend, ends[0], BOTH, 3), 0);
    cr_assert_eq(reported(backend, 3, -1), BOTH);
    cr_assert_eq(backend_rewatch(backend, ends[0], READABLE, 4), 0);
    cr_assert_eq(reported(backend, 4, -1), READABLE);
    close_pair(ends);
}

Test(backend, rewatch_changes_interest_and_token) {
    on_every_backend(rewatches);
}

static void unwatches(struct backend *backend, const char *name) {
    int ends[2];
    (void)name;
    ready_pair(ends);
    for (int interest = READABLE; interest <= BOTH; interest++) {
        cr_assert_eq(backend_watch(backend, ends[0], interest, 7), 0);
        cr_assert_eq(reported(backend, 7, -1), interest);
        cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
        cr_assert_eq(reported(backend, 7, 0), 0, "it isn't watched");
    }
    close_pair(ends);
}

Test(backend, says_nothing_of_what_is_no_longer_watched) {
    on_every_backend(unwatches);
}

static void updates(struct backend *backend, const char *name) {
    (void)name;
    for (int had = 0; had <= BOTH; had++)
        for (int wanted = 0; wanted <= BOTH; wanted++) {
            int ends[2];
            ready_pair(ends);
            cr_assert_eq(backend_update(backend, ends[0], 0, had, 7), 0);
            cr_assert_eq(reported(backend, 7, 0), had);
            cr_assert_eq(backend_update(backend, ends[0], had, wanted, 7), 0);
            cr_assert_eq(reported(backend, 7, 0), wanted, "from %d to %d", had, wanted);
            cr_assert_eq(backend_update(backend, ends[0], wanted, 0, 7), 0);
            cr_assert_eq(reported(backend, 7, 0), 0);
            close_pair(ends);
        }
}

Test(backend, update_goes_from_any_interest_to_any_other) {
    on_every_backend(updates);
}

static void reports_ends(struct backend *backend, const char *name) {
    int ends[2];
    (void)name;
    tcp_pair(ends);
    cr_assert_eq(backend_watch(backend, ends[0], READABLE, 7), 0);
    cr_assert(shutdown(ends[1], SHUT_WR) == 0);
    cr_assert_eq(reported(backend, 7, -1), READABLE, "a half-close is input: its end");
    cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
    close_pair(ends);

    local_pair(ends);
    cr_assert_eq(backend_watch(backend, ends[0], READABLE, 7), 0);
    close(ends[1]);
    cr_assert(reported(backend, 7, -1) & READABLE, "the peer has closed");
    cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
    close(ends[0]);
}

Test(backend, reports_the_end_of_input) {
    on_every_backend(reports_ends);
}

static void reports_resets(struct backend *backend, const char *name) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    (void)name;
    for (int interest = READABLE; interest <= BOTH; interest++) {
        int ends[2];
        tcp_pair(ends);
        fill_output(ends[0]);
        cr_assert_eq(backend_watch(backend, ends[0], interest, 7), 0);
        cr_assert(
            setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
        close(ends[1]);
        cr_assert(reported(backend, 7, -1) & HANGUP, "interest %d", interest);
        cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
        cr_assert_eq(reported(backend, 7, 0), 0, "a hang-up can be left, too");
        close(ends[0]);
    }
}

Test(backend, reports_a_reset_as_a_hang_up_whatever_was_asked) {
    on_every_backend(reports_resets);
}

static void keeps_resets_back(struct backend *backend, const char *name) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    int ends[2];
    (void)name;
    tcp_pair(ends);
    cr_assert_eq(backend_update(backend, ends[0], 0, READABLE, 7), 0);
    cr_assert_eq(backend_update(backend, ends[0], READABLE, 0, 7), 0);
    cr_assert(setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) ==
              0);
    close(ends[1]); /* on this machine the other end knows at once */
    for (int i = 0; i < 100; i++)
        cr_assert_eq(reported(backend, 7, 0), 0, "a loop would spin");
    cr_assert_eq(backend_update(backend, ends[0], 0, WRITABLE, 7), 0);
    cr_assert(reported(backend, 7, -1) & HANGUP, "who asks again is told");
    cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
    close(ends[0]);
}

Test(backend, does_not_tell_of_a_reset_who_asked_for_nothing) {
    on_every_backend(keeps_resets_back);
}

static void hands_tokens_back(struct backend *backend, const char *name) {
    static const watch_token tokens[] = {
        0,         1, UINT32_MAX, 1ULL << 32, 0x8000000000000001, 0x0123456789abcdef,
        UINT64_MAX};
    int ends[2];
    (void)name;
    ready_pair(ends);
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        cr_assert_eq(backend_watch(backend, ends[0], READABLE, tokens[i]), 0);
        cr_assert_eq(reported(backend, tokens[i], -1), READABLE);
        cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
    }
    close_pair(ends);
}

Test(backend, hands_all_64_bits_of_a_token_back) {
    on_every_backend(hands_tokens_back);
}

static void gives_a_number_to_the_next(struct backend *backend, const char *name) {
    (void)name;
    for (watch_token token = 0; token < 20; token++) {
        int ends[2];
        local_pair(ends); /* the same two numbers each time */
        cr_assert_eq(backend_watch(backend, ends[0], READABLE, token), 0);
        cr_assert_eq(reported(backend, token, 0), 0, "the one before is heard of");
        cr_assert_eq(write(ends[1], "a", 1), 1);
        cr_assert_eq(reported(backend, token, -1), READABLE);
        cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
        close_pair(ends);
    }
}

Test(backend, watches_a_number_anew_after_it_was_unwatched_and_closed) {
    on_every_backend(gives_a_number_to_the_next);
}

static void tells_errors(struct backend *backend, const char *name) {
    int ends[2];
    local_pair(ends);
    cr_assert_eq(backend_watch(backend, -1, READABLE, 7), -1);
    cr_assert_eq(errno, EBADF);
    if (strcmp(name, "kqueue") != 0) { /* which adds what is there and the reverse */
        cr_assert_eq(backend_rewatch(backend, ends[0], READABLE, 7), -1);
        cr_assert_eq(errno, ENOENT);
        cr_assert_eq(backend_unwatch(backend, ends[0]), -1);
        cr_assert_eq(errno, ENOENT);
        cr_assert_eq(backend_watch(backend, ends[0], READABLE, 7), 0);
        cr_assert_eq(backend_watch(backend, ends[0], READABLE, 7), -1);
        cr_assert_eq(errno, EEXIST);
        cr_assert_eq(backend_unwatch(backend, ends[0]), 0);
        cr_assert_eq(backend_unwatch(backend, ends[0]), -1);
        cr_assert_eq(errno, ENOENT);
        cr_assert_eq(backend_unwatch(backend, 1 << 20), -1, "a number never seen");
    }
    cr_assert_eq(reported(backend, 7, 0), 0);
    close_pair(ends);
}

Test(backend, tells_wrong_calls_from_right_ones) {
    on_every_backend(tells_errors);
}

Test(backend, opens_by_name_or_the_best_there_is) {
    static const char *const unknown[] = {"", "select", "EPOLL", "epol", "epolll"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        errno = 0;
        cr_assert_null(backend_open(unknown[i]), "'%s'", unknown[i]);
        cr_assert_eq(errno, ENOTSUP);
    }
    struct backend *best = backend_open(NULL);
    cr_assert_not_null(best);
    cr_assert_geq(backend_fd(best), 0, "poll isn't the best of any system");
    backend_close(best);
}
