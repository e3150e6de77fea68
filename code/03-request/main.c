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

static void nothing_to_wake(void *argument, uint32_t slot) {
    (void)argument;
    (void)slot; /* the application has answered before begin returns */
}

static void leave(uint32_t slot) {
    if (backend_update(backend, sockets[slot], interests[slot], 0, 0) != 0)
        die("can't unwatch a connection: %s", strerror(errno));
    slots_close_later(&slots, sockets[slot]);
    slots_leave(&slots, slot);
}

/* Moves a connection on as far as it goes, then watches it for what it lacks. */
static void move(uint32_t slot, bool readable, uint64_t now) {
    struct conn *conn = &conns[slot];
    if (!transport_move(sockets[slot], conn, readable, application, now)) {
        leave(slot);
        return;
    }
    int wanted = conn_interest(conn);
    if (backend_update(backend, sockets[slot], interests[slot], wanted,
                       token_of(slot, slots.tag[slot])) != 0) {
        leave(slot); /* the kernel has no memory left for this one */
        return;
    }
    interests[slot] = wanted;
    if (conn->deadline < earliest)
        earliest = conn->deadline;
}

static void listen_again(bool wanted) {
    if (backend_update(backend, listener, listening ? READABLE : 0,
                       wanted ? READABLE : 0, token_of(LISTENER_SLOT, 0)) != 0)
        die("can't watch the listener: %s", strerror(errno));
    listening = wanted;
}

static void on_listener(uint64_t now) {
    while (slots.free_count > 0) {
        int fd = listener_accept(listener);
        if (fd == ACCEPT_NONE)
            return;
        if (fd == ACCEPT_EXHAUSTED) {
            retry = now + RETRY_MS * NS_PER_MS;
            break;
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
    listen_again(false); /* until a slot or a descriptor frees */
}

/* Looks at the deadlines once the earliest may have come, and finds the next one. */
static void check_deadlines(uint64_t now) {
    if (now < earliest)
        return;
    earliest = NEVER;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!slots.taken[slot])
            continue;
        if (conns[slot].deadline <= now) {
            conn_expired(&conns[slot], now);
            move(slot, false, now);
        } else if (conns[slot].deadline < earliest)
            earliest = conns[slot].deadline;
    }
}
/* ANCHOR_END: before */

/* ANCHOR: turn */
/* Waits, then handles all that was ready. False when it is time to stop. */
static bool turn(void) {
    struct readiness events[BATCH];
    bool go_on = true;
    int ms = clock_wait_ms(retry < earliest ? retry : earliest, clock_now());
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
            on_listener(now);
        else if (slots_current(&slots, events[i].token))
            move(slot,
                 interests[slot] & READABLE && events[i].ready & (READABLE | HANGUP),
                 now);
        else
            counters.stale_events++;
    }
    check_deadlines(now);
    bool freed = slots.closing_count > 0;
    slots_end_batch(&slots);
    if (!listening && (freed || now >= retry)) {
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
