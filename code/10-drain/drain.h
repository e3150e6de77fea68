/* ANCHOR: top */
/* The drain: how a server ends what is under way before it goes. In three parts, so that
 * others can compose them: begin, steps until it is over, finish. */
#ifndef DRAIN_DRAIN_H
#define DRAIN_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "00-ground/options.h"
#include "04-pass/pass.h"
#include "05-executor/executor.h"
/* ANCHOR_END: top */

/* ANCHOR: drain */
struct drain {
    uint64_t budget_ms;
    const struct executor *host; /* turns the loop on this thread; NULL in the pump */
    struct stopper blocking;     /* hand this to a topology: begin, step, finish */

    struct loop_state *loop;
    void (*done)(void *argument); /* what the topology wants called, and with what */
    void *argument;
    uint64_t began, deadline, span;
    bool ending; /* drain_finish() is on its way */
    uint64_t requests_before, responses_before, given_up_before;

    /* The record, after drain_finish(). A request in flight was answered, or was cut off
     * by us, or its client left (or was refused in the middle of its body). */
    uint64_t in_flight, answered, cut, took_ms;
};
/* ANCHOR_END: drain */

/* ANCHOR: calls */
/* `budget_ms` is how long the end may take. `host`: the executor, if the application
 * runs on the native loop's own thread, or NULL. The drain has to stay where it is. */
void drain_init(struct drain *drain, uint64_t budget_ms, const struct executor *host);

/* The row of --drain-budget-ms, for a server's table of options; 5,000 unless given. */
struct option_row drain_option(uint64_t *budget_ms);

/* Stops accepting, takes leave of the silent, stamps the deadline. `done` is called by
 * drain_finish(). Outside a pass, as all three. */
void drain_begin(struct drain *drain, struct loop_state *loop,
                 void (*done)(void *argument), void *argument);

/* One pass that waits at most `ms` milliseconds (-1: until the deadline), and not past
 * the deadline. True when the drain is over. */
bool drain_step(struct drain *drain, int ms);

/* The same without the pass, for after a pass that somebody else has made. */
bool drain_is_over(struct drain *drain);

/* Once it is over: drain_finish(), and before it one turn of the host if the budget is up
 * and somebody is still there. What was due on this thread comes first. */
void drain_end(struct drain *drain);

/* Sends what has been answered since the last pass, counts what is cut off, says on
 * standard error what became of everybody, and calls `done`. */
void drain_finish(struct drain *drain);

#endif
/* ANCHOR_END: calls */
