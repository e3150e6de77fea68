/* ANCHOR: try */
/* One thread, many clients: nobody waits for anybody, for the thread waits for all.
 *
 * Try it in two terminals (the second a bash):
 *     build/02-readiness --port 8080
 *     sleep 60 > /dev/tcp/127.0.0.1/8080 & curl http://127.0.0.1:8080/
 * The client that says nothing stops no one now. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/options.h"
#include "00-ground/signals.h"
#include "00-ground/stats.h"
#include "02-readiness/backend.h"
#include "02-readiness/client.h"
#include "02-readiness/listener.h"
#include "02-readiness/slots.h"
/* ANCHOR_END: try */

/* ANCHOR: limits */
/* What we wait for from a client, and how long at most. */
enum { NOTHING, HEAD, REQUEST, ROOM };
static uint64_t limit_ms[] = {[HEAD] = 10000, [REQUEST] = 75000, [ROOM] = 30000};
/* ANCHOR_END: limits */

/* ANCHOR: state */
enum { BATCH = 256 };

static struct backend *backend;
static struct slots slots;
static struct client clients[SLOTS];
static int interests[SLOTS];      /* what the backend watches each of them for */
static int awaits[SLOTS];         /* what we wait for from it: HEAD, REQUEST or ROOM */
static uint64_t deadlines[SLOTS]; /* until when */
static struct counters counters;
static int listener;
static bool listening;            /* the listener is watched */
static uint64_t retry = NEVER;    /* when to watch it again if descriptors ran out */
static uint64_t earliest = NEVER; /* no client's deadline comes before it */
/* ANCHOR_END: state */

/* ANCHOR: leave */
static void leave(uint32_t slot) {
    if (backend_update(backend, clients[slot].fd, interests[slot], 0, 0) != 0)
        die("can't unwatch a connection: %s", strerror(errno));
    slots_close_later(&slots, clients[slot].fd);
    slots_leave(&slots, slot);
}
/* ANCHOR_END: leave */

/* ANCHOR: deadline */
/* A client's time begins anew when we wait for something else, or when it takes bytes.
 * A head that comes byte by byte has no more time than one that comes at once. */
static void set_deadline(uint32_t slot, bool moved, uint64_t now) {
    const struct client *client = &clients[slot];
    int awaited = client->owed > 0 ? ROOM : client->in_head ? HEAD : REQUEST;
    if (awaited == awaits[slot] && !moved)
        return;
    awaits[slot] = awaited;
    deadlines[slot] = now + limit_ms[awaited] * NS_PER_MS;
    if (deadlines[slot] < earliest)
        earliest = deadlines[slot];
    if (awaited == REQUEST)
        slots_idle(&slots, slot, now);
    else
        slots_busy(&slots, slot);
}
/* ANCHOR_END: deadline */

/* ANCHOR: check */
/* Lets go of whose time is over, and finds out when to look next. */
static void check_deadlines(uint64_t now) {
    if (now < earliest)
        return;
    earliest = NEVER;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!slots.taken[slot])
            continue;
        if (deadlines[slot] <= now)
            leave(slot);
        else if (deadlines[slot] < earliest)
            earliest = deadlines[slot];
    }
}
/* ANCHOR_END: check */

/* ANCHOR: on_client */
static void on_client(uint32_t slot, int ready, uint64_t now) {
    struct client *client = &clients[slot];
    bool reads = interests[slot] & READABLE && ready & (READABLE | HANGUP);
    bool moved = false;
    if ((reads && !client_read(client, &counters)) ||
        !client_write(client, &counters, &moved)) {
        leave(slot); /* the connection is broken */
        return;
    }
    int wanted = client_interest(client);
    if (wanted == 0 || backend_update(backend, client->fd, interests[slot], wanted,
                                      token_of(slot, slots.tag[slot])) != 0) {
        leave(slot); /* all is said, or the kernel has no memory left for this one */
        return;
    }
    interests[slot] = wanted;
    set_deadline(slot, moved, now);
}
/* ANCHOR_END: on_client */

/* ANCHOR: listen */
static void listen_again(bool wanted) {
    if (backend_update(backend, listener, listening ? READABLE : 0,
                       wanted ? READABLE : 0, token_of(LISTENER_SLOT, 0)) != 0)
        die("can't watch the listener: %s", strerror(errno));
    listening = wanted;
}
/* ANCHOR_END: listen */

/* ANCHOR: make_room */
/* The table is full and somebody knocks: whoever has been idle longest has to go, or is
 * served if the next request has just come. False if nobody is idle. */
static bool make_room(uint64_t now) {
    uint32_t slot;
    char byte;
    if (!slots_longest_idle(&slots, &slot))
        return false;
    if (recv(clients[slot].fd, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN)
        leave(slot);
    else
        on_client(slot, READABLE, now);
    return true;
}
/* ANCHOR_END: make_room */

/* ANCHOR: may_accept */
/* Is it worth while to watch the listener again, though nobody has left? */
static bool may_accept(uint64_t now) {
    uint32_t slot;
    return retry == NEVER ? slots_longest_idle(&slots, &slot) : now >= retry;
}
/* ANCHOR_END: may_accept */

/* ANCHOR: on_listener */
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
        clients[slot] = client_new(fd);
        interests[slot] = awaits[slot] = NOTHING;
        on_client(slot, 0, now);
    }
}
/* ANCHOR_END: on_listener */

/* ANCHOR: start */
int main(int argc, char **argv) {
    const char *host = "127.0.0.1", *backend_name = NULL;
    uint64_t port = 8080, began = clock_now();
    bool stats = false, stopping = false;
    enum { DAY_MS = 86400000 };
    const struct option_row rows[] = {
        {"--host", OPTION_TEXT, &host, 0, 0, "address to listen on"},
        {"--port", OPTION_NUMBER, &port, 0, 65535, "port; 0 picks a free one"},
        {"--backend", OPTION_TEXT, &backend_name, 0, 0, "epoll, kqueue or poll"},
        {"--head-timeout-ms", OPTION_NUMBER, &limit_ms[HEAD], 1, DAY_MS,
         "for a head, from its first byte"},
        {"--idle-timeout-ms", OPTION_NUMBER, &limit_ms[REQUEST], 1, DAY_MS,
         "between two requests"},
        {"--stall-timeout-ms", OPTION_NUMBER, &limit_ms[ROOM], 1, DAY_MS,
         "for a client that doesn't read"},
        {"--stats", OPTION_FLAG, &stats, 0, 0, "print what was counted, at exit"},
    };
    options_read(argc, argv, "Serves hello to many clients on one thread.", rows,
                 sizeof rows / sizeof rows[0]);
    backend = backend_open(backend_name);
    if (!backend)
        backend_refused(backend_name);
    int stop = signals_open();
    if (stop < 0 || backend_watch(backend, stop, READABLE, token_of(STOP_SLOT, 0)) != 0)
        die("can't watch for signals: %s", strerror(errno));
    slots_init(&slots);
    listener = listener_open(host, port);
    listen_again(true);
    /* ANCHOR_END: start */

    /* ANCHOR: loop */
    while (!stopping) {
        struct readiness events[BATCH];
        uint64_t until = retry < earliest ? retry : earliest;
        int n = backend_wait(backend, events, BATCH, clock_wait_ms(until, clock_now()));
        if (n < 0)
            die("can't wait: %s", strerror(errno));
        uint64_t now = clock_now();
        bool knocked = false;
        counters.passes++;
        counters.events += (uint64_t)n;
        for (int i = 0; i < n; i++) {
            uint32_t slot = token_slot(events[i].token);
            if (slot == STOP_SLOT)
                stopping = true;
            else if (slot == LISTENER_SLOT)
                knocked = true; /* who is here already comes first */
            else if (slots_current(&slots, events[i].token))
                on_client(slot, events[i].ready, now);
            else
                counters.stale_events++;
        }
        /* ANCHOR_END: loop */
        /* ANCHOR: after */
        check_deadlines(now);
        if (knocked)
            on_listener(now);
        bool freed = slots.closing_count > 0;
        slots_end_batch(&slots);
        if (!listening && (freed || may_accept(now))) {
            retry = NEVER;
            listen_again(true);
        }
    }
    /* ANCHOR_END: after */

    /* ANCHOR: end */
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (slots.taken[slot])
            leave(slot);
    slots_end_batch(&slots);
    close(listener);
    backend_close(backend);
    if (stats)
        stats_print(&counters, began);
    return 0;
}
/* ANCHOR_END: end */
