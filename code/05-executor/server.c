/* ANCHOR: top */
#include "05-executor/server.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "02-readiness/listener.h"
#include "03-request/transport.h"

static void move(struct server *server, uint32_t slot, bool readable);

static void on_readable(void *argument) {
    struct server_connection *connection = argument;
    connection->server->counters.events++;
    move(connection->server, connection->conn.exchange.slot, true);
}

static void on_writable(void *argument) {
    struct server_connection *connection = argument;
    connection->server->counters.events++;
    move(connection->server, connection->conn.exchange.slot, false);
}

/* Gives the socket the reader and the writer that it wants and hasn't got, and takes
 * away those that it has and doesn't want. */
static int watch_for(struct server *server, uint32_t slot, int wanted) {
    int socket = server->sockets[slot], changes = wanted ^ server->interests[slot];
    struct server_connection *connection = &server->connections[slot];
    const struct executor *executor = server->executor;
    if (changes & READABLE) {
        int failed =
            wanted & READABLE
                ? executor->add_reader(executor->self, socket, on_readable, connection)
                : executor->remove_reader(executor->self, socket);
        if (failed)
            return -1;
        server->interests[slot] ^= READABLE;
    }
    if (changes & WRITABLE) {
        int failed = wanted & WRITABLE
                         ? c_executor_add_writer(server->c_executor, socket,
                                                 on_writable, connection)
                         : c_executor_remove_writer(server->c_executor, socket);
        if (failed)
            return -1;
        server->interests[slot] ^= WRITABLE;
    }
    return 0;
}
/* ANCHOR_END: top */

/* ANCHOR: soon */
static void deliver_soon(struct server *server, enum notice_kind kind,
                         struct exchange *exchange) {
    struct notice notice = {kind, exchange->slot, exchange->tag};
    soon_deliver(&server->soon, notice, exchange);
}

static void begin_soon(void *self, struct exchange *exchange) {
    struct server *server = self;
    server->counters.submits++;
    deliver_soon(server, NOTICE_BEGIN, exchange);
}
/* ANCHOR_END: soon */

/* ANCHOR: notices */
static void body_soon(void *self, struct exchange *exchange) {
    deliver_soon(self, NOTICE_BODY, exchange);
}

static void room_soon(void *self, struct exchange *exchange) {
    deliver_soon(self, NOTICE_ROOM, exchange);
}

static void disconnect_soon(void *self, struct exchange *exchange) {
    deliver_soon(self, NOTICE_DISCONNECT, exchange);
}

static void listen_again(struct server *server, bool wanted);

/* A removed reader is never called again, so slot and descriptor are free at once. */
static void leaves(struct server *server, uint32_t slot) {
    if (server->sockets[slot] >= 0) {
        if (watch_for(server, slot, 0) != 0)
            die("can't unwatch a connection: %s", strerror(errno));
        slots_close_later(&server->slots, server->sockets[slot]);
        server->sockets[slot] = -1;
    }
    if (server->connections[slot].conn.phase == CONN_OVER)
        slots_leave(&server->slots, slot);
    slots_end_batch(&server->slots);
    listen_again(server, true);
}
/* ANCHOR_END: notices */

/* ANCHOR: stays */
static void stays(struct server *server, uint32_t slot, uint64_t now) {
    const struct conn *conn = &server->connections[slot].conn;
    if (conn_is_idle(conn)) {
        slots_idle(&server->slots, slot, now);
        if (server->retry.at == NEVER)
            listen_again(server, true); /* the table is full, but this one may go */
    } else
        slots_busy(&server->slots, slot);
    if (conn->deadline < server->earliest) {
        server->earliest = conn->deadline;
        alarm_by(&server->alarm, server->earliest);
    }
}
/* ANCHOR_END: stays */

/* ANCHOR: move */
/* Moves a connection on as far as it goes, then waits for what it lacks. */
static void move(struct server *server, uint32_t slot, bool readable) {
    const struct application later = {
        .self = server,
        .begin = begin_soon,
        .body = body_soon,
        .on_room = room_soon,
        .disconnect = disconnect_soon,
    };
    struct conn *conn = &server->connections[slot].conn;
    uint64_t now = clock_now();
    bool open = transport_move(server->sockets[slot], conn, readable, &later, now);
    if (open && watch_for(server, slot, conn_interest(conn)) != 0) {
        conn_broken(conn); /* the kernel has no memory left for this one */
        open = transport_move(-1, conn, false, &later, now);
    }
    if (open)
        stays(server, slot, now);
    else
        leaves(server, slot);
}
/* ANCHOR_END: move */

/* ANCHOR: on_answered */
/* The application has output: as uvicorn does, write it there and then. */
static void on_answered(void *argument, uint32_t slot) {
    move(argument, slot, false);
}
/* ANCHOR_END: on_answered */

/* ANCHOR: listener */
/* The table is full and somebody knocks: whoever has been idle longest has to go, or is
 * served if the next request has just come. False if nobody is idle. */
static bool make_room(struct server *server) {
    uint32_t slot;
    char byte;
    if (!slots_longest_idle(&server->slots, &slot))
        return false;
    bool silent =
        recv(server->sockets[slot], &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
    if (silent)
        conn_broken(&server->connections[slot].conn);
    move(server, slot, !silent);
    return true;
}

static void on_listener(void *argument) {
    struct server *server = argument;
    if (server->slots.free_count == 0 && !make_room(server))
        listen_again(server, false); /* until a slot frees or somebody is idle */
    while (server->slots.free_count > 0) {
        int fd = listener_accept(server->listener);
        if (fd == ACCEPT_NONE)
            return;
        if (fd == ACCEPT_EXHAUSTED) {
            alarm_by(&server->retry, clock_now() + RETRY_MS * NS_PER_MS);
            listen_again(server, false); /* until one frees, or for 100 ms */
            return;
        }
        watch_token token;
        slots_take(&server->slots, &token);
        uint32_t slot = token_slot(token);
        server->sockets[slot] = fd;
        server->interests[slot] = 0;
        server->connections[slot].server = server;
        conn_open(&server->connections[slot].conn, &server->http, slot,
                  token_tag(token), on_answered, server, clock_now());
        move(server, slot, false);
    }
}

static void listen_again(struct server *server, bool wanted) {
    const struct executor *executor = server->executor;
    if (wanted == server->listening)
        return;
    int failed = wanted ? executor->add_reader(executor->self, server->listener,
                                               on_listener, server)
                        : executor->remove_reader(executor->self, server->listener);
    if (failed)
        die("can't watch the listener: %s", strerror(errno));
    server->listening = wanted;
}
/* ANCHOR_END: listener */

/* ANCHOR: rest */
static void on_retry(void *argument) {
    listen_again(argument, true);
}

static void on_deadline(void *argument) {
    struct server *server = argument;
    uint64_t now = clock_now(), earliest = NEVER;
    server->earliest = NEVER;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        struct conn *conn = &server->connections[slot].conn;
        if (!server->slots.taken[slot])
            continue;
        if (conn->deadline <= now) {
            transport_expired(server->sockets[slot], conn, now);
            move(server, slot, false);
        } else if (conn->deadline < earliest)
            earliest = conn->deadline;
    }
    if (earliest < server->earliest)
        server->earliest = earliest;
    alarm_by(&server->alarm, server->earliest);
}

void server_start(struct server *server, struct c_executor *c_executor, int listener,
                  struct http http, const struct application *application) {
    server->c_executor = c_executor;
    server->executor = c_executor_functions(c_executor);
    server->http = http;
    server->http.counters = &server->counters;
    server->listener = listener;
    server->earliest = NEVER;
    slots_init(&server->slots);
    soon_init(&server->soon, server->executor, application, &server->counters);
    alarm_init(&server->alarm, server->executor, on_deadline, server);
    alarm_init(&server->retry, server->executor, on_retry, server);
    listen_again(server, true);
}

void server_close(struct server *server) {
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!server->slots.taken[slot] || server->sockets[slot] < 0)
            continue;
        if (watch_for(server, slot, 0) != 0)
            die("can't unwatch a connection: %s", strerror(errno));
        close(server->sockets[slot]);
    }
    alarm_off(&server->alarm);
    alarm_off(&server->retry);
    listen_again(server, false);
    close(server->listener);
}
/* ANCHOR_END: rest */
