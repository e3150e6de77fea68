/* The slot table: tenants and their tags, and what waits for the end of a batch. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "02-readiness/slots.h"
#include "02-readiness/test_support_backend.h"

TestSuite(slots, .timeout = 300);

static struct slots slots;

static watch_token take(void) {
    watch_token token;
    cr_assert(slots_take(&slots, &token));
    return token;
}

static void leave(watch_token token) {
    slots_leave(&slots, token_slot(token));
}

Test(slots, a_token_holds_a_slot_and_a_tag) {
    static const uint32_t numbers[] = {0, 1, SLOTS - 1, WAKE_SLOT, UINT32_MAX};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            watch_token token = token_of(numbers[i], numbers[j]);
            cr_assert_eq(token_slot(token), numbers[i]);
            cr_assert_eq(token_tag(token), numbers[j]);
        }
}

Test(slots, all_1024_are_given_once_and_no_more) {
    bool given[SLOTS] = {false};
    watch_token none;
    slots_init(&slots);
    for (int i = 0; i < SLOTS; i++) {
        uint32_t slot = token_slot(take());
        cr_assert_lt(slot, SLOTS);
        cr_assert_not(given[slot]);
        given[slot] = true;
    }
    cr_assert_not(slots_take(&slots, &none));
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        slots_leave(&slots, slot);
    cr_assert_not(slots_take(&slots, &none), "the batch hasn't ended");
    slots_end_batch(&slots);
    for (int i = 0; i < SLOTS; i++)
        take();
    cr_assert_not(slots_take(&slots, &none));
}

Test(slots, a_tenant_is_current_until_it_leaves) {
    slots_init(&slots);
    watch_token first = take(), second = take();
    cr_assert(slots_current(&slots, first) && slots_current(&slots, second));
    leave(first);
    cr_assert_not(slots_current(&slots, first));
    cr_assert(slots_current(&slots, second));
    slots_end_batch(&slots);
    cr_assert_not(slots_current(&slots, first));
    watch_token next = take();
    cr_assert_eq(token_slot(next), token_slot(first), "the slot that was free");
    cr_assert_neq(token_tag(next), token_tag(first));
    cr_assert(slots_current(&slots, next));
    cr_assert_not(slots_current(&slots, first), "the tenant before isn't the next one");
}

Test(slots, numbers_past_the_table_are_nobody) {
    slots_init(&slots);
    cr_assert_not(slots_current(&slots, token_of(0, 0)), "nobody has come yet");
    cr_assert_not(slots_current(&slots, token_of(LISTENER_SLOT, 0)));
    cr_assert_not(slots_current(&slots, token_of(STOP_SLOT, 0)));
    cr_assert_not(slots_current(&slots, token_of(WAKE_SLOT, 0)));
    cr_assert_not(slots_current(&slots, UINT64_MAX));
}

Test(slots, tags_tell_many_tenants_of_one_slot_apart) {
    enum { TENANTS = 10000 };
    static watch_token tokens[TENANTS];
    slots_init(&slots);
    for (int i = 0; i < TENANTS; i++) {
        tokens[i] = take();
        cr_assert_eq(token_slot(tokens[i]), token_slot(tokens[0]));
        cr_assert_eq(token_tag(tokens[i]), token_tag(tokens[0]) + (uint32_t)i);
        leave(tokens[i]);
        slots_end_batch(&slots);
    }
}

Test(slots, a_slot_has_no_new_tenant_in_the_batch_in_which_one_left) {
    slots_init(&slots);
    watch_token first = take();
    leave(first);
    cr_assert_neq(token_slot(take()), token_slot(first));
    slots_end_batch(&slots);
    cr_assert_eq(token_slot(take()), token_slot(first));
}

Test(slots, a_descriptor_keeps_its_number_until_the_batch_ends) {
    int ends[2], next[2];
    slots_init(&slots);
    local_pair(ends);
    slots_close_later(&slots, ends[0]);
    cr_assert_neq(fcntl(ends[0], F_GETFD), -1, "it is open");
    local_pair(next);
    cr_assert(next[0] != ends[0] && next[1] != ends[0]);
    slots_end_batch(&slots);
    cr_assert_eq(fcntl(ends[0], F_GETFD), -1);
    cr_assert_eq(errno, EBADF);
    close(ends[1]);
    close_pair(next);
}

Test(slots, who_was_idle_first_has_been_idle_longest) {
    uint32_t slot;
    slots_init(&slots);
    cr_assert_not(slots_longest_idle(&slots, &slot), "nobody is there");
    watch_token tokens[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        tokens[i] = take();
    cr_assert_not(slots_longest_idle(&slots, &slot), "a new tenant isn't idle");
    for (uint32_t i = 0; i < SLOTS; i++) /* 7 has no divisor in common with 1,024 */
        slots_idle(&slots, token_slot(tokens[7 * i % SLOTS]), i);
    for (uint32_t i = 0; i < SLOTS; i++) {
        cr_assert(slots_longest_idle(&slots, &slot));
        cr_assert_eq(slot, token_slot(tokens[7 * i % SLOTS]));
        if (i % 2)
            slots_busy(&slots, slot);
        else
            slots_leave(&slots, slot);
    }
    cr_assert_not(slots_longest_idle(&slots, &slot), "all are busy or have left");
    slots_end_batch(&slots);
    take();
    cr_assert_not(slots_longest_idle(&slots, &slot), "nor is who comes after one");
}

Test(slots, idle_again_is_idle_anew) {
    uint32_t slot;
    slots_init(&slots);
    watch_token first = take(), second = take();
    slots_idle(&slots, token_slot(first), 1);
    slots_idle(&slots, token_slot(second), 2);
    slots_idle(&slots, token_slot(first), 3);
    cr_assert(slots_longest_idle(&slots, &slot));
    cr_assert_eq(slot, token_slot(second));
}

/* Two are ready in one batch. The first one's handler ends the second and takes in a
 * third, who must not inherit the event that lies in the batch already. */
static void drops_stale_events(struct backend *backend, const char *name) {
    int pairs[2][2], third[2];
    watch_token tokens[2];
    (void)name;
    slots_init(&slots);
    for (int i = 0; i < 2; i++) {
        local_pair(pairs[i]);
        tokens[i] = take();
        cr_assert_eq(write(pairs[i][1], "a", 1), 1);
        cr_assert_eq(backend_watch(backend, pairs[i][0], READABLE, tokens[i]), 0);
    }
    struct readiness events[4];
    cr_assert_eq(backend_wait(backend, events, 4, -1), 2);
    int second = events[1].token == tokens[1];
    cr_assert_eq(events[1].token, tokens[second]);

    cr_assert(slots_current(&slots, events[0].token));
    cr_assert_eq(backend_unwatch(backend, pairs[second][0]), 0);
    slots_close_later(&slots, pairs[second][0]);
    leave(tokens[second]);
    local_pair(third);
    watch_token newcomer = take();
    cr_assert(third[0] != pairs[second][0] && third[1] != pairs[second][0]);
    cr_assert_neq(token_slot(newcomer), token_slot(tokens[second]));
    cr_assert_eq(backend_watch(backend, third[0], READABLE, newcomer), 0);

    cr_assert_not(slots_current(&slots, events[1].token), "the event is stale");
    slots_end_batch(&slots);

    /* In the next batch number and slot may be somebody's, and are told apart. */
    int fourth[2];
    local_pair(fourth);
    watch_token heir = take();
    cr_assert_eq(token_slot(heir), token_slot(tokens[second]));
    cr_assert_eq(fourth[0], pairs[second][0], "the lowest number that is free");
    cr_assert_eq(backend_watch(backend, fourth[0], READABLE, heir), 0);
    cr_assert_not(slots_current(&slots, events[1].token));
    cr_assert_eq(backend_unwatch(backend, pairs[!second][0]), 0);
    cr_assert_eq(backend_wait(backend, events, 4, 0), 0, "both newcomers are silent");
    cr_assert_eq(write(fourth[1], "a", 1), 1);
    cr_assert_eq(reported(backend, heir, -1), READABLE);
    close(pairs[second][1]);
    close_pair(pairs[!second]);
    close_pair(third);
    close_pair(fourth);
}

Test(slots, an_event_for_who_has_left_reaches_nobody_else) {
    on_every_backend(drops_stale_events);
}
