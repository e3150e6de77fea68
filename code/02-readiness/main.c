/* ANCHOR: try */
/* One thread, many clients: nobody waits for anybody, for the thread waits for all.
 *
 * Try it in two terminals (the second a bash):
 *     build/02-readiness --port 8080
 *     sleep 60 > /dev/tcp/127.0.0.1/8080 & curl http://127.0.0.1:8080/
 * The client that says nothing stops no one now. Every head is answered by hello,
 * whatever it asks: chapter 03 reads requests. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/options.h"
#include "00-ground/signals.h"
#include "00-ground/stats.h"
#include "02-readiness/backend.h"
#include "02-readiness/listener.h"
#include "02-readiness/slots.h"
/* ANCHOR_END: try */

/* ANCHOR: answer */
static const char answer[] = "HTTP/1.1 200 OK\r\n"
                             "Content-Length: 6\r\n"
                             "Content-Type: text/plain\r\n"
                             "\r\n"
                             "hello\n";

enum {
    ANSWER = sizeof answer - 1,
    OWED_MOST = 64, /* a client who asks on without reading is left unread from here */
    BATCH = 256,
};
/* ANCHOR_END: answer */

/* ANCHOR: client */
/* What the server knows of one client between two events. */
struct client {
    int fd;
    int interest;  /* what the backend watches it for */
    int matched;   /* how much of "\r\n\r\n" the input ended with */
    unsigned owed; /* answers that are due */
    size_t sent;   /* bytes of the first of them that have gone */
    bool ended;    /* the client sends no more */
};
/* ANCHOR_END: client */

/* ANCHOR: state */
static struct backend *backend;
static struct slots slots;
static struct client clients[SLOTS];
static struct counters counters;
static int listener;
static bool listening; /* the listener is watched */
static uint64_t retry; /* when to watch it again after descriptors ran out, or NEVER */
/* ANCHOR_END: state */

/* ANCHOR: leave */
static void leave(uint32_t slot) {
    struct client *client = &clients[slot];
    if (backend_update(backend, client->fd, client->interest, 0, 0) != 0)
        die("can't unwatch a connection: %s", strerror(errno));
    slots_close_later(&slots, client->fd);
    slots_leave(&slots, slot);
}
/* ANCHOR_END: leave */

/* ANCHOR: heads */
/* Counts the blank lines that end heads, also when they arrive in pieces. */
static void find_heads(struct client *client, const char *bytes, size_t n) {
    static const char blank_line[] = "\r\n\r\n";
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != blank_line[client->matched])
            client->matched = bytes[i] == '\r'; /* it may begin another blank line */
        else if (++client->matched == 4) {
            client->matched = 0;
            client->owed++;
            count_request(&counters);
        }
    }
}
/* ANCHOR_END: heads */

/* ANCHOR: input */
/* Reads once. False when the connection is broken. */
static bool take_input(struct client *client) {
    char bytes[4096];
    ssize_t n = read(client->fd, bytes, sizeof bytes);
    if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (n == 0)
        client->ended = true;
    find_heads(client, bytes, (size_t)n);
    return true;
}
/* ANCHOR_END: input */

/* ANCHOR: output */
/* Writes until nothing is owed or the socket is full. False when it is broken. */
static bool give_answers(struct client *client) {
    while (client->owed > 0) {
        ssize_t n = write(client->fd, answer + client->sent, ANSWER - client->sent);
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        client->sent += (size_t)n;
        if (client->sent == ANSWER) {
            client->sent = 0;
            client->owed--;
            counters.responses++;
        }
    }
    return true;
}
/* ANCHOR_END: output */

/* ANCHOR: on_client */
static void on_client(uint32_t slot, watch_token token, int ready) {
    struct client *client = &clients[slot];
    bool reads = client->interest & READABLE && ready & (READABLE | HANGUP);
    if ((reads && !take_input(client)) || !give_answers(client) ||
        (client->ended && client->owed == 0)) {
        leave(slot);
        return;
    }
    int wanted = 0;
    if (!client->ended && client->owed < OWED_MOST)
        wanted |= READABLE;
    if (client->owed > 0)
        wanted |= WRITABLE;
    if (backend_update(backend, client->fd, client->interest, wanted, token) != 0) {
        leave(slot); /* the kernel has no memory left for this one */
        return;
    }
    client->interest = wanted;
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

/* ANCHOR: on_listener */
/* Takes in everybody who waits. With no slot or no descriptor left the listener isn't
 * watched, or it would report them at every wait; they stay in the backlog. */
static void on_listener(void) {
    while (slots.free_count > 0) {
        int fd = listener_accept(listener);
        if (fd == ACCEPT_NONE)
            return;
        if (fd == ACCEPT_EXHAUSTED) {
            retry = clock_now() + RETRY_MS * NS_PER_MS;
            break;
        }
        watch_token token;
        slots_take(&slots, &token);
        clients[token_slot(token)] = (struct client){.fd = fd, .interest = READABLE};
        if (backend_watch(backend, fd, READABLE, token) != 0) {
            clients[token_slot(token)].interest = 0;
            leave(token_slot(token));
        }
    }
    listen_again(false);
}
/* ANCHOR_END: on_listener */

/* ANCHOR: start */
int main(int argc, char **argv) {
    const char *host = "127.0.0.1", *backend_name = NULL;
    uint64_t port = 8080, began = clock_now();
    bool stats = false, stopping = false;
    const struct option_row rows[] = {
        {"--host", OPTION_TEXT, &host, 0, 0, "address to listen on"},
        {"--port", OPTION_NUMBER, &port, 0, 65535, "port; 0 picks a free one"},
        {"--backend", OPTION_TEXT, &backend_name, 0, 0, "epoll, kqueue or poll"},
        {"--stats", OPTION_FLAG, &stats, 0, 0, "print what was counted, at exit"},
    };
    options_read(argc, argv, "Serves hello to many clients on one thread.", rows,
                 sizeof rows / sizeof rows[0]);
    int stop = signals_open();
    backend = backend_open(backend_name);
    if (!backend)
        backend_refused(backend_name);
    slots_init(&slots);
    listener = listener_open(host, port);
    retry = NEVER;
    listen_again(true);
    if (stop < 0 || backend_watch(backend, stop, READABLE, token_of(STOP_SLOT, 0)) != 0)
        die("can't watch for signals: %s", strerror(errno));
    /* ANCHOR_END: start */

    /* ANCHOR: loop */
    while (!stopping) {
        struct readiness events[BATCH];
        int n = backend_wait(backend, events, BATCH, clock_wait_ms(retry, clock_now()));
        if (n < 0)
            die("can't wait: %s", strerror(errno));
        counters.passes++;
        counters.events += (uint64_t)n;
        for (int i = 0; i < n; i++) {
            uint32_t slot = token_slot(events[i].token);
            if (slot == STOP_SLOT)
                stopping = true;
            else if (slot == LISTENER_SLOT)
                on_listener();
            else if (slots_current(&slots, events[i].token))
                on_client(slot, events[i].token, events[i].ready);
            else
                counters.stale_events++;
        }
        bool freed = slots.closing_count > 0;
        slots_end_batch(&slots);
        if (!listening && (freed || clock_now() >= retry)) {
            retry = NEVER;
            listen_again(true);
        }
    }
    /* ANCHOR_END: loop */

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
