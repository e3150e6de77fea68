/* ANCHOR: top */
/* The native loop, taken apart so that somebody else can turn it: prepare it, let it
 * make a pass when you like, shut it down. One thread does all three. */
#ifndef PASS_PASS_H
#define PASS_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "00-ground/stats.h"
#include "02-readiness/backend.h"
#include "02-readiness/slots.h"
#include "03-request/conn.h"
#include "03-request/server_options.h"
#include "04-pass/gate.h"
#include "04-pass/notice.h"
#include "04-pass/outbox.h"
/* ANCHOR_END: top */

/* ANCHOR: stopper */
struct loop_state;

/* What a server does once it is told to stop: ends what is under way in its own manner,
 * with passes if it likes, and calls `done(argument)` when no pass is wanted any more.
 * Called once, outside a pass, on the native loop's thread. Where another loop turns
 * this one, `done` may come later; on a thread of its own, before `stop` returns. */
struct stopper {
    void *self;
    void (*stop)(void *self, struct loop_state *loop, void (*done)(void *argument),
                 void *argument);

    /* Where another loop turns this one: called after each pass between `stop` and
     * `done`. NULL: nobody wants to know. */
    void (*passed)(void *self);
};

/* The shortest of them: there is nothing to do. */
extern const struct stopper stop_at_once;
/* ANCHOR_END: stopper */

/* ANCHOR: links */
/* What a topology plugs in. The functions get `argument`. */
struct loop_links {
    void *argument;

    /* In a pass, after the batch: hands `count` notices (at least 1) to the
     * application. */
    void (*submit)(void *argument, const struct notice *notices, int count);

    /* On the application's thread: `slot` has output. Puts it into the outbox and sees
     * to it that a pass follows. */
    void (*answered)(void *argument, uint32_t slot);

    /* A descriptor that ends the loop's wait when it becomes readable, and what clears
     * it; -1 for none. It stays the topology's. */
    int wake;
    void (*on_wake)(void *argument);

    struct outbox *outbox;
    const struct gate *gate; /* at the loop's wait; NULL for none */
    bool nested;             /* another loop is going to watch loop_fd() */
};
/* ANCHOR_END: links */

/* ANCHOR: state */
enum { NOTICES_MOST = NOTICES_PER_SLOT * SLOTS };

struct loop_state {
    struct loop_links links;
    struct http http;
    struct counters counters; /* of the native loop's thread */
    struct backend *backend;
    int listener;      /* the listening socket; -1: closed, since the server stops */
    int stop;          /* readable when a signal has come */
    unsigned stops;    /* signals to stop that have come; more than one says: now */
    bool listening;    /* the listener is watched */
    bool knocked;      /* in this batch somebody wants to connect */
    uint64_t retry;    /* when to accept again after descriptors ran out, or NEVER */
    uint64_t earliest; /* no connection's deadline comes before it */
    uint64_t now;      /* the time of this pass */
    bool in_pass;      /* passes never nest */
    struct notice notices[NOTICES_MOST]; /* for the next submit */
    int notice_count;
    struct slots slots;
    int interests[SLOTS]; /* what each socket is watched for */
    int sockets[SLOTS]; /* -1: closed, but the application hasn't ended the exchange */
    struct conn conns[SLOTS];
};
/* ANCHOR_END: state */

/* ANCHOR: calls */
/* Opens the backend, the listener and the stop signals, and prints where it listens.
 * `links` is copied; what it points to has to outlive the loop. Dies with a line if the
 * options ask for something that can't be had. */
void loop_prepare(struct loop_state *loop, const struct server_options *options,
                  const struct loop_links *links);

/* One pass: waits until something is ready or due, at most `ms` milliseconds (-1: for
 * ever; 0: not at all), handles what is ready, submits, flushes the outbox. */
void loop_pass(struct loop_state *loop, int ms);
/* ANCHOR_END: calls */

/* ANCHOR: deadline */
/* When the next pass is due even if nothing becomes ready: ns of clock_now(), 0 for at
 * once, NEVER. For a host who does the waiting himself. */
uint64_t loop_next_deadline(const struct loop_state *loop);
/* ANCHOR_END: deadline */

/* ANCHOR: rest */
/* Readable while a pass would find something ready; -1 if the backend has no such
 * thing. */
int loop_fd(const struct loop_state *loop);

/* For a server that stops, again and again between its last passes: lets in who is in
 * the backlog, by the next pass, which then closes the listener; closes every connection
 * of which nothing has come; makes each answer the last of its connection. */
void loop_take_leave(struct loop_state *loop);

/* Closes the listener, every connection and the backend, whatever is under way. An
 * application on another thread may still end its exchanges: their memory stays. */
void loop_shutdown(struct loop_state *loop);

#endif
/* ANCHOR_END: rest */
