/* ANCHOR: before */
/* The unsplit loop: one thread waits, reads requests, runs the application, answers.
 *
 * Try it:
 *     build/03-request --port 8080 &
 *     curl -v http://127.0.0.1:8080/ http://127.0.0.1:8080/nowhere
 *     curl -v -X BREW http://127.0.0.1:8080/
 * Chapter 04 takes this loop apart. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/signals.h"
#include "00-ground/trace.h"
#include "02-readiness/backend.h"
#include "02-readiness/listener.h"
#include "02-readiness/slots.h"
#include "03-request/hello.h"
#include "03-request/server_options.h"
#include "03-request/transport.h"

enum { BATCH = 256 };

static const struct application *application = &hello_application;
static struct http http;
static struct counters counters;
static struct backend *backend;
static struct slots slots;
static struct conn conns[SLOTS];
static int sockets[SLOTS], interests[SLOTS];
static int listener;
static bool listening;
static uint64_t retry = NEVER;    /* when to accept again after descriptors ran out */
static uint64_t earliest = NEVER; /* no connection's deadline comes before it */
static bool unread; /* somebody has had his turn, and there is more of his to read */

static void nothing_to_wake(void *argument, uint32_t slot) {
    (void)argument;
    (void)slot; /* the application acts only while it is called: we look after that */
}
/* ANCHOR_END: before */

/* ANCHOR: leave */
static void leave(uint32_t slot) {
    if (backend_update(backend, sockets[slot], interests[slot], 0, 0) != 0)
        die("can't unwatch a connection: %s", strerror(errno));
    slots_close_later(&slots, sockets[slot]);
    slots_leave(&slots, slot);
}

/* The connection is broken or over. The slot is somebody else's only when the
 * application has ended too, so it is called until it has. */
static void give_up(uint32_t slot, uint64_t now) {
    struct conn *conn = &conns[slot];
    conn_broken(conn);
    while (conn->phase == CONN_GONE)
        transport_move(-1, conn, false, application, now);
    leave(slot);
}
/* ANCHOR_END: leave */

/* ANCHOR: step */
/* Moves a connection on as far as it goes, then watches it for what it lacks. */
static void move(uint32_t slot, bool readable, uint64_t now) {
    struct conn *conn = &conns[slot];
    if (!transport_move(sockets[slot], conn, readable, application, now)) {
        give_up(slot, now);
        return;
    }
    int wanted = conn_interest(conn);
    if (backend_update(backend, sockets[slot], interests[slot], wanted,
                       token_of(slot, slots.tag[slot])) != 0) {
        give_up(slot, now); /* the kernel has no memory left for this one */
        return;
    }
    interests[slot] = wanted;
    if (conn->deadline < earliest)
        earliest = conn->deadline;
    if (conn_is_idle(conn))
        slots_idle(&slots, slot, now);
    else
        slots_busy(&slots, slot);
    unread |= conn_has_unread(conn);
}

/* The next turn for those who sent more requests at once than make one turn. */
static void move_unread(uint64_t now) {
    if (!unread)
        return;
    unread = false;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (slots.taken[slot] && conn_has_unread(&conns[slot]))
            move(slot, false, now);
}
/* ANCHOR_END: step */

/* ANCHOR: listener */
static void listen_again(bool wanted) {
    if (backend_update(backend, listener, listening ? READABLE : 0,
                       wanted ? READABLE : 0, token_of(LISTENER_SLOT, 0)) != 0)
        die("can't watch the listener: %s", strerror(errno));
    listening = wanted;
}

/* The table is full and somebody knocks: whoever has been idle longest has to go, or is
 * served if the next request has just come. False if nobody is idle. */
static bool make_room(uint64_t now) {
    uint32_t slot;
    char byte;
    if (!slots_longest_idle(&slots, &slot))
        return false;
    if (recv(sockets[slot], &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN)
        leave(slot);
    else
        move(slot, true, now);
    return true;
}

/* Takes in everybody who waits. While that can't be done the listener isn't watched, or
 * it would report them at every wait; they stay in the backlog. */
static void on_listener(uint64_t now) {
    if (slots.free_count == 0) { /* a slot that frees now is taken in the next turn */
        if (slots.leaving_count == 0 && !make_room(now))
            listen_again(false);
        return;
    }
    while (slots.free_count > 0) {
        int fd = listener_accept(listener);
        if (fd == ACCEPT_NONE)
            return;
        if (fd == ACCEPT_EXHAUSTED) {
            retry = now + RETRY_MS * NS_PER_MS;
            listen_again(false);
            return;
        }
        watch_token token;
        slots_take(&slots, &token);
        uint32_t slot = token_slot(token);
        sockets[slot] = fd;
        interests[slot] = 0;
        conn_open(&conns[slot], &http, slot, token_tag(token), nothing_to_wake, NULL,
                  now);
        move(slot, false, now);
    }
}

/* Is it worth while to watch the listener again, though nobody has left? */
static bool may_accept(uint64_t now) {
    uint32_t slot;
    return retry == NEVER ? slots_longest_idle(&slots, &slot) : now >= retry;
}
/* ANCHOR_END: listener */

/* ANCHOR: deadlines */
/* Looks at the deadlines once the earliest may have come, and finds the next one. */
static void check_deadlines(uint64_t now) {
    if (now < earliest)
        return;
    earliest = NEVER;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!slots.taken[slot])
            continue;
        if (conns[slot].deadline <= now) {
            transport_expired(sockets[slot], &conns[slot], now);
            move(slot, false, now);
        } else if (conns[slot].deadline < earliest)
            earliest = conns[slot].deadline;
    }
}
/* ANCHOR_END: deadlines */

/* ANCHOR: turn */
/* Waits, then handles all that was ready. False when it is time to stop. */
static bool turn(void) {
    struct readiness events[BATCH];
    bool go_on = true, knocked = false;
    int ms =
        unread ? 0 : clock_wait_ms(retry < earliest ? retry : earliest, clock_now());
    uint64_t slept = trace_begin();
    int n = backend_wait(backend, events, BATCH, ms);
    if (n < 0)
        die("can't wait: %s", strerror(errno));
    trace_end(slept, "sleep", NO_SLOT, 0);
    uint64_t now = clock_now();
    counters.passes++;
    counters.events += (uint64_t)n;
    for (int i = 0; i < n; i++) {
        uint32_t slot = token_slot(events[i].token);
        if (slot == STOP_SLOT)
            go_on = false;
        else if (slot == LISTENER_SLOT)
            knocked = true; /* who is here already comes first */
        else if (slots_current(&slots, events[i].token))
            move(slot,
                 interests[slot] & READABLE && events[i].ready & (READABLE | HANGUP),
                 now);
        else
            counters.stale_events++;
    }
    move_unread(now);
    check_deadlines(now);
    if (knocked)
        on_listener(now);
    bool freed = slots.closing_count > 0;
    slots_end_batch(&slots);
    if (!listening && (freed || may_accept(now))) {
        retry = NEVER;
        listen_again(true);
    }
    return go_on;
}
/* ANCHOR_END: turn */

/* ANCHOR: main */
int main(int argc, char **argv) {
    uint64_t began = clock_now();
    struct server_options options;
    struct option_row rows[SERVER_OPTIONS];
    server_options_rows(&options, rows);
    options_read(argc, argv, "Serves HTTP from one loop on one thread.", rows,
                 SERVER_OPTIONS);
    http = server_http(&options, &counters);
    backend = backend_open(options.backend);
    if (!backend)
        backend_refused(options.backend);
    server_trace(&options, "loop");
    int stop = signals_open();
    if (stop < 0 || backend_watch(backend, stop, READABLE, token_of(STOP_SLOT, 0)) != 0)
        die("can't watch for signals: %s", strerror(errno));
    slots_init(&slots);
    listener = listener_open(options.host, options.port);
    listen_again(true);

    while (turn()) {
    }

    application->shutdown(application->self);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (slots.taken[slot])
            leave(slot);
    slots_end_batch(&slots);
    close(listener);
    backend_close(backend);
    server_report(&options, &counters, began);
    return 0;
}
/* ANCHOR_END: main */
