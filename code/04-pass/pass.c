/* ANCHOR: top */
#include "04-pass/pass.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/signals.h"
#include "02-readiness/listener.h"
#include "03-request/transport.h"
#include "04-pass/pass_inside.h"

enum { BATCH = 256 };

/* 0, or -1 with errno: then the backend watches it for what it did before. */
static int watch_for(struct loop_state *loop, uint32_t slot, int wanted) {
    if (backend_update(loop->backend, loop->sockets[slot], loop->interests[slot],
                       wanted, token_of(slot, loop->slots.tag[slot])) != 0)
        return -1;
    loop->interests[slot] = wanted;
    return 0;
}
/* ANCHOR_END: top */

/* ANCHOR: note */
static void note(struct loop_state *loop, enum notice_kind kind,
                 const struct exchange *exchange) {
    assert(loop->notice_count < NOTICES_MOST);
    loop->notices[loop->notice_count++] =
        (struct notice){kind, exchange->slot, exchange->tag};
}
/* ANCHOR_END: note */

/* ANCHOR: notes */
static void note_begin(void *self, struct exchange *exchange) {
    struct loop_state *loop = self;
    loop->counters.submits++;
    note(loop, NOTICE_BEGIN, exchange);
}

static void note_body(void *self, struct exchange *exchange) {
    note(self, NOTICE_BODY, exchange);
}

static void note_room(void *self, struct exchange *exchange) {
    note(self, NOTICE_ROOM, exchange);
}

static void note_disconnect(void *self, struct exchange *exchange) {
    note(self, NOTICE_DISCONNECT, exchange);
}
/* ANCHOR_END: notes */

/* ANCHOR: close */
/* Unwatch before close, and both before the number can be given to somebody else. */
void loop_close_socket(struct loop_state *loop, uint32_t slot) {
    if (watch_for(loop, slot, 0) != 0)
        die("can't unwatch a connection: %s", strerror(errno));
    slots_close_later(&loop->slots, loop->sockets[slot]);
    loop->sockets[slot] = -1;
}
/* ANCHOR_END: close */

/* ANCHOR: stays */
static void stays(struct loop_state *loop, uint32_t slot) {
    const struct conn *conn = &loop->conns[slot];
    if (conn->deadline < loop->earliest)
        loop->earliest = conn->deadline;
    if (conn_is_idle(conn))
        slots_idle(&loop->slots, slot, loop->now);
    else
        slots_busy(&loop->slots, slot);
}

static void leaves(struct loop_state *loop, uint32_t slot) {
    if (loop->sockets[slot] >= 0)
        loop_close_socket(loop, slot);
    if (loop->conns[slot].phase == CONN_OVER)
        slots_leave(&loop->slots, slot);
}
/* ANCHOR_END: stays */

/* ANCHOR: move */
/* What the connection has to tell the application becomes notices, so that one exchange
 * at most begins here: nothing unread is left behind it. */
void loop_move(struct loop_state *loop, uint32_t slot, bool readable) {
    const struct application notices = {
        .self = loop,
        .begin = note_begin,
        .body = note_body,
        .on_room = note_room,
        .disconnect = note_disconnect,
    };
    struct conn *conn = &loop->conns[slot];
    bool open =
        transport_move(loop->sockets[slot], conn, readable, &notices, loop->now);
    if (open && watch_for(loop, slot, conn_interest(conn)) != 0) {
        conn_broken(conn); /* the kernel has no memory left for this one */
        open = transport_move(-1, conn, false, &notices, loop->now);
    }
    if (open)
        stays(loop, slot);
    else
        leaves(loop, slot);
}
/* ANCHOR_END: move */

/* ANCHOR: on_event */
static void on_event(struct loop_state *loop, const struct readiness *event) {
    uint32_t slot = token_slot(event->token);
    if (slot == STOP_SLOT)
        loop->stops += signals_take(loop->stop);
    else if (slot == WAKE_SLOT)
        loop->links.on_wake(loop->links.argument);
    else if (slot == LISTENER_SLOT)
        loop->knocked = true; /* who is here already comes first */
    else if (!slots_current(&loop->slots, event->token) || loop->sockets[slot] < 0)
        loop->counters.stale_events++;
    else
        loop_move(loop, slot,
                  loop->interests[slot] & READABLE &&
                      event->ready & (READABLE | HANGUP));
}
/* ANCHOR_END: on_event */

/* ANCHOR: check */
/* Once the earliest deadline may have come, looks at all of them and finds the next.
 * Most deadlines are put off before they come, so `earliest` is early, never late. */
static void check_deadlines(struct loop_state *loop) {
    if (loop->now < loop->earliest)
        return;
    loop->earliest = NEVER;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        struct conn *conn = &loop->conns[slot];
        if (!loop->slots.taken[slot])
            continue;
        if (conn->deadline <= loop->now) {
            transport_expired(loop->sockets[slot], conn, loop->now);
            loop_move(loop, slot, false);
        } else if (conn->deadline < loop->earliest)
            loop->earliest = conn->deadline;
    }
}
/* ANCHOR_END: check */

/* ANCHOR: deliver */
static void deliver(void *argument, uint32_t slot) {
    struct loop_state *loop = argument;
    if (loop->slots.taken[slot])
        loop_move(loop, slot, false);
    else
        loop->counters.stale_events++;
}
/* ANCHOR_END: deliver */

/* ANCHOR: submit */
static void submit_notices(struct loop_state *loop) {
    int count = loop->notice_count;
    if (count == 0)
        return;
    loop->notice_count = 0;
    loop->links.submit(loop->links.argument, loop->notices, count);
}
/* ANCHOR_END: submit */

/* ANCHOR: wait */
static int wait_ms(const struct loop_state *loop, int ms) {
    if (ms == 0)
        return 0;
    int due = clock_wait_ms(loop_next_deadline(loop), clock_now());
    return ms < 0 || (due >= 0 && due < ms) ? due : ms;
}
/* ANCHOR_END: wait */

/* ANCHOR: pass */
void loop_pass(struct loop_state *loop, int ms) {
    assert(!loop->in_pass);
    loop->in_pass = true;
    struct readiness events[BATCH];
    int n =
        gate_wait(loop->links.gate, loop->backend, events, BATCH, wait_ms(loop, ms));
    if (n < 0)
        die("can't wait: %s", strerror(errno));
    loop->now = clock_now();
    loop->counters.passes++;
    loop->counters.events += (uint64_t)n;
    for (int i = 0; i < n; i++)
        on_event(loop, &events[i]);
    check_deadlines(loop);
    submit_notices(loop);
    loop->links.outbox->flush(loop->links.outbox, deliver, loop, &loop->counters);
    if (loop->knocked)
        loop_let_in(loop);
    loop->knocked = false;
    loop_free_what_left(loop);
    loop->in_pass = false;
}
/* ANCHOR_END: pass */

/* ANCHOR: deadline */
uint64_t loop_next_deadline(const struct loop_state *loop) {
    if (loop->notice_count > 0)
        return 0; /* a flushed answer was followed by a request that was here already */
    if (loop->knocked && loop->slots.free_count > 0)
        return 0; /* the server stops, and somebody may be in the backlog */
    return loop->retry < loop->earliest ? loop->retry : loop->earliest;
}
/* ANCHOR_END: deadline */

/* ANCHOR: prepare */
int loop_fd(const struct loop_state *loop) {
    return backend_fd(loop->backend);
}

void loop_prepare(struct loop_state *loop, const struct server_options *options,
                  const struct loop_links *links) {
    loop->links = *links;
    loop->http = server_http(options, &loop->counters);
    loop->retry = loop->earliest = NEVER;
    slots_init(&loop->slots);
    loop->backend = backend_open(options->backend);
    if (!loop->backend)
        backend_refused(options->backend);
    if (links->nested && loop_fd(loop) < 0)
        die_of_usage("--backend %s has no descriptor that another loop could watch; "
                     "choose epoll or kqueue",
                     options->backend ? options->backend : "poll");
    loop->stop = signals_open();
    if (loop->stop < 0 ||
        backend_watch(loop->backend, loop->stop, READABLE, token_of(STOP_SLOT, 0)) != 0)
        die("can't watch for signals: %s", strerror(errno));
    if (links->wake >= 0 && backend_watch(loop->backend, links->wake, READABLE,
                                          token_of(WAKE_SLOT, 0)) != 0)
        die("can't watch the wake descriptor: %s", strerror(errno));
    loop->listener = listener_open(options->host, options->port);
    loop_listen(loop, true);
}
/* ANCHOR_END: prepare */
