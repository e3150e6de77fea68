/* ANCHOR: top */
#include "03-request/transport.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/sockios.h>
#endif

#include "00-ground/trace.h"

static bool try_again(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* One read, so that a client who sends without end takes no more than its turn. False
 * when the socket is broken. */
static bool take_input(int socket, struct conn *conn, uint64_t now) {
    char *at;
    size_t room = conn_input_room(conn, &at);
    if (room == 0)
        return true;
    uint64_t began = trace_begin();
    ssize_t n = read(socket, at, room);
    if (n < 0)
        return try_again();
    trace_end(began, "read", conn->exchange.slot, conn->exchange.tag);
    if (n == 0)
        conn_input_ended(conn, now);
    else
        conn_took_input(conn, (size_t)n, now);
    return true;
}
/* ANCHOR_END: top */

/* ANCHOR: output */
/* Writes until all is sent or the socket is full. False when it is broken. */
static bool give_output(int socket, struct conn *conn, uint64_t now) {
    const char *at;
    for (size_t n = conn_output(conn, &at); n > 0; n = conn_output(conn, &at)) {
        uint64_t began = trace_begin();
        ssize_t written = write(socket, at, n);
        if (written < 0 && !try_again())
            return false;
        if (written < 0)
            break;
        trace_end(began, "write", conn->exchange.slot, conn->exchange.tag);
        conn_sent(conn, (size_t)written, now);
    }
    conn_sent(conn, 0, now);
    if (conn_half_closes(conn))
        shutdown(socket, SHUT_WR); /* it fails only for a client who is gone */
    return true;
}
/* ANCHOR_END: output */

/* ANCHOR: move */
enum { TURNS = 16 }; /* requests of one client, before it is others' turn */

bool transport_move(int socket, struct conn *conn, bool readable,
                    const struct application *application, uint64_t now) {
    if (socket < 0)
        conn_sent(conn, 0, now);
    bool sound = !readable || take_input(socket, conn, now);
    int turns = 0;
    do {
        if (sound && conn_begins(conn, now))
            application->begin(application->self, &conn->exchange);
        while (sound && conn_has_body(conn, now))
            application->body(application->self, &conn->exchange);
        if (sound && socket >= 0)
            sound = give_output(socket, conn, now);
    } while (sound && conn_has_unread(conn) && ++turns < TURNS);
    if (!sound)
        conn_broken(conn);
    bool room = conn_has_room(conn);
    if (room)
        application->on_room(application->self, &conn->exchange);
    bool disconnects = conn_disconnects(conn);
    if (disconnects)
        application->disconnect(application->self, &conn->exchange);
    /* It may have ended there, with nothing more to send. */
    if (room || disconnects)
        conn_sent(conn, 0, now);
    return conn->phase != CONN_GONE && conn->phase != CONN_OVER;
}
/* ANCHOR_END: move */

/* ANCHOR: expired */
/* Bytes that were written to `socket` and aren't acknowledged: each system has a name of
 * its own for the question, or none. */
static size_t held_by(int socket) {
    int bytes = -1;
#if defined(SIOCOUTQ) /* Linux: tcp(7) */
    int failed = ioctl(socket, SIOCOUTQ, &bytes);
#elif defined(SO_NWRITE) /* macOS */
    socklen_t length = sizeof bytes;
    int failed = getsockopt(socket, SOL_SOCKET, SO_NWRITE, &bytes, &length);
#elif defined(FIONWRITE) /* FreeBSD, NetBSD */
    int failed = ioctl(socket, FIONWRITE, &bytes);
#else
    (void)socket;
    int failed = -1;
#endif
    return failed || bytes < 0 ? HELD_UNKNOWN : (size_t)bytes;
}

void transport_expired(int socket, struct conn *conn, uint64_t now) {
    conn_expired(conn, held_by(socket), now);
}

bool transport_has_unsent(int socket) {
    size_t held = held_by(socket);
    return held > 0 && held != HELD_UNKNOWN;
}
/* ANCHOR_END: expired */
