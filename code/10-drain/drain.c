/* ANCHOR: top */
#include "10-drain/drain.h"

#include <inttypes.h>
#include <stdio.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/trace.h"

enum { BUDGET_MS = 5000, WAIT_MS = 100 };

/* Whose answer isn't sent yet, and could still be? */
static uint64_t count_in_flight(const struct loop_state *loop) {
    uint64_t count = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        count += loop->slots.taken[slot] && loop->conns[slot].open &&
                 loop->conns[slot].phase == CONN_ANSWERING;
    return count;
}
/* ANCHOR_END: top */

/* ANCHOR: begin */
void drain_begin(struct drain *drain, struct loop_state *loop,
                 void (*done)(void *argument), void *argument) {
    drain->loop = loop;
    drain->done = done;
    drain->argument = argument;
    drain->ending = false;
    drain->span = trace_begin();
    drain->began = clock_now();
    drain->deadline = drain->began + drain->budget_ms * NS_PER_MS;
    drain->in_flight = count_in_flight(loop);
    drain->requests_before = loop->counters.requests;
    drain->responses_before = loop->counters.responses;
    drain->given_up_before = loop->counters.given_up;
    loop_take_leave(loop);
    loop_pass(loop, 0); /* lets in the backlog, and closes the listener behind it */
}
/* ANCHOR_END: begin */

/* ANCHOR: over */
static bool anybody_there(const struct loop_state *loop) {
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (loop->slots.taken[slot] && loop->sockets[slot] >= 0)
            return true;
    return loop->listener >= 0; /* a full table: somebody may be in the backlog */
}

bool drain_is_over(struct drain *drain) {
    loop_take_leave(drain->loop);
    return drain->loop->stops > 1 || clock_now() >= drain->deadline ||
           !anybody_there(drain->loop);
}
/* ANCHOR_END: over */

/* ANCHOR: step */
bool drain_step(struct drain *drain, int ms) {
    int left = clock_wait_ms(drain->deadline, clock_now());
    loop_pass(drain->loop, ms < 0 || left < ms ? left : ms);
    return drain_is_over(drain);
}
/* ANCHOR_END: step */

/* ANCHOR: half */
/* Requests of which a byte was read, and that never began: a head that has come in part,
 * and what lies behind a request in flight, which counts as one, however much it is. */
static uint64_t count_not_begun(const struct loop_state *loop) {
    uint64_t count = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        count += loop->slots.taken[slot] && loop->sockets[slot] >= 0 &&
                 (conn_is_followed(&loop->conns[slot]) ||
                  (loop->conns[slot].phase == CONN_READING &&
                   !conn_is_silent(&loop->conns[slot])));
    return count;
}
/* ANCHOR_END: half */

/* ANCHOR: finish */
void drain_finish(struct drain *drain) {
    struct loop_state *loop = drain->loop;
    loop_pass(loop, 0);
    uint64_t not_begun = count_not_begun(loop);
    drain->in_flight += not_begun + loop->counters.requests - drain->requests_before;
    drain->answered = loop->counters.responses - drain->responses_before;
    drain->cut = not_begun + count_in_flight(loop) + loop->counters.given_up -
                 drain->given_up_before;
    drain->took_ms = (clock_now() - drain->began) / NS_PER_MS;
    trace_end(drain->span, "drain", NO_SLOT, 0);
    fprintf(stderr,
            "drain: %" PRIu64 " in flight, %" PRIu64 " answered, %" PRIu64
            " cut, %" PRIu64 " ms\n",
            drain->in_flight, drain->answered, drain->cut, drain->took_ms);
    drain->done(drain->argument);
}
/* ANCHOR_END: finish */

/* ANCHOR: blocking */
static void finish(void *argument) {
    drain_finish(argument);
}

void drain_end(struct drain *drain) {
    const struct executor *host = drain->host;
    if (drain->ending)
        return;
    drain->ending = true;
    if (!host || drain->loop->stops > 1 || !anybody_there(drain->loop))
        drain_finish(drain);
    else if (!host->call_later(host->self, 0, finish, drain))
        die("can't set a timer: out of memory");
}

static void stop(void *self, struct loop_state *loop, void (*done)(void *argument),
                 void *argument) {
    struct drain *drain = self;
    drain_begin(drain, loop, done, argument);
    bool over = drain_is_over(drain);
    while (!over)
        over = drain_step(drain, WAIT_MS);
    drain_end(drain);
}
/* ANCHOR_END: blocking */

/* ANCHOR: init */
void drain_init(struct drain *drain, uint64_t budget_ms, const struct executor *host) {
    *drain = (struct drain){
        .budget_ms = budget_ms,
        .host = host,
        .blocking = {.self = drain, .stop = stop},
    };
}

struct option_row drain_option(uint64_t *budget_ms) {
    enum { DAY_MS = 86400000 };
    *budget_ms = BUDGET_MS;
    return (struct option_row){
        "--drain-budget-ms",        OPTION_NUMBER, budget_ms, 0, DAY_MS,
        "how long the end may take"};
}
/* ANCHOR_END: init */
