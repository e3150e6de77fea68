/* The submit channel: first in, first out, across two threads. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "06-pump/channel.h"

static struct channel channel;

static void start(void) {
    channel_init(&channel);
}

TestSuite(channel, .init = start, .timeout = 300);

static void push(uint32_t number) {
    channel_push(&channel, (struct notice){NOTICE_BEGIN, number % SLOTS, number});
}

/* Takes the first notice, which has to be the one that was pushed as `number`. */
static void expect(uint32_t number) {
    struct notice notice;
    cr_assert(channel_pop(&channel, &notice), "notice %u is missing", number);
    cr_assert_eq(notice.tag, number, "notice %u came instead of %u", notice.tag,
                 number);
    cr_assert_eq(notice.slot, number % SLOTS);
    cr_assert_eq(notice.kind, NOTICE_BEGIN);
}

static void expect_none(void) {
    struct notice notice = {NOTICE_ROOM, 1, 2};
    cr_assert(!channel_pop(&channel, &notice));
    cr_assert(notice.kind == NOTICE_ROOM && notice.slot == 1 && notice.tag == 2);
}

Test(channel, an_empty_one_gives_nothing_and_touches_nothing) {
    expect_none();
    push(1);
    expect(1);
    expect_none();
}

Test(channel, gives_what_was_pushed_in_its_order) {
    for (uint32_t i = 0; i < 100; i++)
        push(i);
    for (uint32_t i = 0; i < 100; i++)
        expect(i);
    expect_none();
}

Test(channel, takes_as_many_as_it_says_at_every_place_of_its_ring) {
    for (uint32_t round = 0, pushed = 0, popped = 0; round < 20; round++) {
        while (pushed - popped < CHANNEL)
            push(pushed++);
        for (uint32_t n = 0; n < CHANNEL - round * 200; n++)
            expect(popped++);
        if (round % 2)
            while (popped < pushed)
                expect(popped++);
    }
}

/* The counts of pushes and pops are 32 bits wide. */
Test(channel, goes_on_when_its_counts_overflow) {
    atomic_store(&channel.pushed, UINT32_MAX - 2);
    atomic_store(&channel.popped, UINT32_MAX - 2);
    for (uint32_t i = 0; i < 10; i++)
        push(i);
    for (uint32_t i = 0; i < 10; i++)
        expect(i);
    expect_none();
}

Test(channel, a_full_one_keeps_every_notice_when_its_counts_overflow) {
    uint32_t before = (uint32_t)0 - CHANNEL / 2;
    atomic_store(&channel.pushed, before);
    atomic_store(&channel.popped, before);
    for (uint32_t i = 0; i < CHANNEL; i++)
        push(i);
    for (uint32_t i = 0; i < CHANNEL; i++)
        expect(i);
    expect_none();
}

Test(channel, a_push_too_many_is_a_fault_and_loses_nothing_silently) {
    int status;
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        close(STDERR_FILENO);
        for (uint32_t i = 0; i <= CHANNEL; i++)
            push(i);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

enum { MANY = 1000000 };

static void *push_many(void *unused) {
    for (uint32_t i = 0; i < MANY; i++) {
        while (i - atomic_load_explicit(&channel.popped, memory_order_acquire) ==
               CHANNEL)
            sched_yield();
        push(i);
    }
    return unused;
}

Test(channel, between_two_threads_none_is_lost_and_none_comes_twice) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, push_many, NULL), 0);
    for (uint32_t i = 0; i < MANY;) {
        struct notice notice;
        if (!channel_pop(&channel, &notice)) {
            sched_yield();
            continue;
        }
        cr_assert_eq(notice.tag, i);
        i++;
    }
    pthread_join(thread, NULL);
    expect_none();
}

/* What a notice is about lies elsewhere, and is written before the push. */
static uint32_t payload[CHANNEL];
static _Atomic uint32_t read_up_to; /* payloads that may be written anew */

static void *push_payloads(void *unused) {
    for (uint32_t i = 0; i < MANY; i++) {
        while (i - atomic_load_explicit(&read_up_to, memory_order_acquire) >= CHANNEL)
            sched_yield();
        payload[i % CHANNEL] = i; /* plain: the channel alone hands it over */
        push(i);
    }
    return unused;
}

Test(channel, what_was_written_before_a_push_is_seen_after_its_pop) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, push_payloads, NULL), 0);
    for (uint32_t i = 0; i < MANY;) {
        struct notice notice;
        if (!channel_pop(&channel, &notice)) {
            sched_yield();
            continue;
        }
        cr_assert_eq(payload[i % CHANNEL], i);
        i++;
        atomic_store_explicit(&read_up_to, i, memory_order_release);
    }
    pthread_join(thread, NULL);
}
