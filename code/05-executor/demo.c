/* ANCHOR: top */
#include "05-executor/demo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "03-request/hello.h"

enum { SLOW_MOST_MS = 60000, FANOUT_MOST = 1000, WORK_MOST_US = 1000000 };

static void answer_text(struct exchange *exchange, const char *text) {
    exchange_answer(exchange, 200, "text/plain", text, strlen(text));
}

/* The number that the query gives for `name`; answers 400 and says so if it gives
 * none. */
static bool take_number(struct exchange *exchange, const char *name, uint64_t low,
                        uint64_t high, uint64_t *number) {
    struct text value;
    if (text_parameter(exchange->request.query, name, &value) &&
        text_number(value, high, number) && *number >= low)
        return true;
    char body[80];
    int n = snprintf(body, sizeof body,
                     "%s has to be a number from %" PRIu64 " to %" PRIu64 "\n", name,
                     low, high);
    exchange_answer(exchange, 400, "text/plain", body, (size_t)n);
    return false;
}
/* ANCHOR_END: top */

/* ANCHOR: slow */
static void slow_done(void *argument) {
    struct demo_task *task = argument;
    task->timer = 0;
    char body[40];
    snprintf(body, sizeof body, "slept %" PRIu64 " ms\n", task->asked);
    answer_text(task->exchange, body);
}

static void slow(struct demo_task *task) {
    const struct executor *executor = task->demo->executor;
    if (!take_number(task->exchange, "ms", 0, SLOW_MOST_MS, &task->asked))
        return;
    task->timer =
        executor->call_later(executor->self, task->asked * NS_PER_MS, slow_done, task);
    if (!task->timer)
        die("can't set a timer: out of memory");
}
/* ANCHOR_END: slow */

/* ANCHOR: fanout */
static void fanout_part(void *argument) {
    struct demo_task *task = argument;
    task->sum += task->left--;
    if (task->left > 0)
        return;
    char body[64];
    snprintf(body, sizeof body, "%" PRIu64 " callbacks, sum %" PRIu64 "\n", task->asked,
             task->sum);
    answer_text(task->exchange, body);
}

static void fanout(struct demo_task *task) {
    const struct executor *executor = task->demo->executor;
    if (!take_number(task->exchange, "n", 1, FANOUT_MOST, &task->asked))
        return;
    task->left = task->asked;
    task->sum = 0;
    for (uint64_t i = 0; i < task->asked; i++)
        if (executor->call_soon(executor->self, fanout_part, task) != 0)
            die("can't schedule a callback: %s", strerror(errno));
}
/* ANCHOR_END: fanout */

/* ANCHOR: work */
/* Work whose result somebody keeps, so that the compiler can't leave it out: a xorshift
 * generator (Marsaglia, 2003). `x` isn't 0. */
static uint64_t spin(uint64_t turns, uint64_t x) {
    for (uint64_t i = 0; i < turns; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

/* By the thread's own CPU time; the best of five, for a disturbed run is only
 * slower. */
uint64_t demo_measure_spins_per_us(uint64_t *noise) {
    enum { TURNS = 1000000 };
    uint64_t best = NEVER;
    for (int i = 0; i < 5; i++) {
        uint64_t began = clock_thread_cpu();
        *noise = spin(TURNS, *noise);
        uint64_t took = clock_thread_cpu() - began;
        if (took < best)
            best = took;
    }
    uint64_t per_us = TURNS * NS_PER_US / best;
    return per_us > 0 ? per_us : 1;
}

static void work(struct demo_task *task) {
    struct demo *demo = task->demo;
    if (!take_number(task->exchange, "us", 0, WORK_MOST_US, &task->asked))
        return;
    if (demo->spins_per_us == 0)
        demo->spins_per_us = demo_measure_spins_per_us(&demo->noise);
    demo->noise = spin(task->asked * demo->spins_per_us, demo->noise);
    char body[40];
    snprintf(body, sizeof body, "worked %" PRIu64 " us\n", task->asked);
    answer_text(task->exchange, body);
}
/* ANCHOR_END: work */

/* ANCHOR: routes */
static bool is_route(struct text path) {
    return text_is(path, "/") || text_is(path, "/slow") || text_is(path, "/fanout") ||
           text_is(path, "/work");
}

static void begin(void *self, struct exchange *exchange) {
    struct demo *demo = self;
    struct demo_task *task = &demo->tasks[exchange->slot];
    *task = (struct demo_task){.demo = demo, .exchange = exchange};
    struct text path = exchange->request.path;
    if (text_is(path, "/echo"))
        echo_begin(&task->echo, exchange);
    else if (!is_route(path))
        answer_not_found(exchange);
    else if (!only_get(exchange))
        return;
    else if (text_is(path, "/"))
        answer_hello(exchange);
    else if (text_is(path, "/slow"))
        slow(task);
    else if (text_is(path, "/fanout"))
        fanout(task);
    else
        work(task);
}
/* ANCHOR_END: routes */

/* ANCHOR: others */
/* Only /echo reads a body, or gives an answer that can't go out at once. */
static void body(void *self, struct exchange *exchange) {
    echo_body(&((struct demo *)self)->tasks[exchange->slot].echo);
}

static void on_room(void *self, struct exchange *exchange) {
    echo_on_room(&((struct demo *)self)->tasks[exchange->slot].echo);
}

/* The others have nothing to do: whoever stopped sending may still read, so the answer
 * goes on. */
static void disconnect(void *self, struct exchange *exchange) {
    struct echo *echo = &((struct demo *)self)->tasks[exchange->slot].echo;
    if (echo->exchange)
        echo_disconnect(echo);
}

static void shut_down(void *self) {
    struct demo *demo = self;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        echo_forget(&demo->tasks[slot].echo);
        if (demo->tasks[slot].timer)
            demo->executor->cancel(demo->executor->self, demo->tasks[slot].timer);
    }
}

void demo_init(struct demo *demo, const struct executor *executor,
               uint64_t spins_per_us) {
    demo->executor = executor;
    demo->spins_per_us = spins_per_us;
    demo->noise = 88172645463325252ULL;
    demo->application = (struct application){
        .self = demo,
        .begin = begin,
        .body = body,
        .on_room = on_room,
        .disconnect = disconnect,
        .shutdown = shut_down,
    };
}

struct option_row demo_option(uint64_t *spins_per_us) {
    return (struct option_row){
        "--spins-per-us", OPTION_NUMBER,
        spins_per_us,     0,
        1000000,          "turns of a loop that /work takes for 1 us; 0: measure"};
}
/* ANCHOR_END: others */
