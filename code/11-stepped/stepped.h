/* ANCHOR: top */
/* The drain of chapter 10 once more, turned by whom it waits for: the executor makes a
 * step and goes on with its own work, or makes none and is told when it is over. */
#ifndef STEPPED_STEPPED_H
#define STEPPED_STEPPED_H

#include "05-executor/alarm.h"
#include "10-drain/drain.h"
/* ANCHOR_END: top */

/* ANCHOR: stepped */
enum drain_kind {
    DRAIN_BLOCKING, /* waits of 100 ms, and nothing else runs on this thread */
    DRAIN_STEPPED,  /* a pass that doesn't wait, and the executor's sleep between */
    DRAIN_EVENTED,  /* no step at all: passes that have a reason, and one timer */
};

struct stepped {
    struct drain drain;
    const struct executor *host; /* NULL in the pump */
    uint64_t sleep_ns;           /* the executor's, between two steps */
    int wait_ms;                 /* in the pump: the native loop's, in each step */
    struct alarm deadline;       /* of the evented drain */
    struct stopper stopper;      /* hand this to a topology */
};
/* ANCHOR_END: stepped */

/* ANCHOR: calls */
/* "blocking", "stepped" or "evented"; dies of any other name. */
enum drain_kind drain_kind_named(const char *name);

/* As drain_init(). `step_ms` is the executor's sleep between two steps. In the pump the
 * native loop's thread waits by itself: for `step_ms`, or until something happens. */
void stepped_init(struct stepped *stepped, enum drain_kind kind, uint64_t step_ms,
                  uint64_t budget_ms, const struct executor *host);

#endif
/* ANCHOR_END: calls */
