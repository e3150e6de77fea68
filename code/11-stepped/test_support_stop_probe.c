#include "11-stepped/test_support_stop_probe.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/signals.h"
#include "02-readiness/listener.h"

enum { CLIENTS = 8, SLOW_MS = 1200, TURN_MS = 5 };

struct fake_client {
    int fd; /* 0: none */
    bool streams;
    uint64_t due; /* when its answer goes; 0: it asked for none */
};

static struct fake_client clients[CLIENTS];
static const char *manner;
static bool stopping;

static bool is(const char *name) {
    return !strcmp(manner, name);
}

static void leave(struct fake_client *client) {
    close(client->fd);
    *client = (struct fake_client){0};
}

static void answer(struct fake_client *client) {
    bool last = stopping && !is("unannounced"), told = last && !is("terse");
    const char *text =
        told ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
             : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    if (is("error") && stopping)
        text = "HTTP/1.1 503 Later\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno";
    size_t length = strlen(text) - (stopping && is("half"));
    if (send(client->fd, text, length, 0) != (ssize_t)length)
        _exit(4);
    client->due = 0;
    if (last)
        leave(client);
}

static void read_request(struct fake_client *client) {
    char head[1024] = "";
    ssize_t n = recv(client->fd, head, sizeof head - 1, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN) || (n > 0 && stopping && is("curt")))
        leave(client);
    else if (n > 0 && strstr(head, " /stream ")) {
        static const char begin[] =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        client->streams = send(client->fd, begin, sizeof begin - 1, 0) > 0;
    } else if (n > 0)
        client->due = clock_now() + (strstr(head, " /slow ") ? SLOW_MS : 0) * NS_PER_MS;
}

/* Is there something to be read? Looked at before the signal: what came with it, while we
 * were halted, isn't read as if it had come before. */
static bool is_asked(const struct fake_client *client) {
    char byte;
    return recv(client->fd, &byte, 1, MSG_PEEK) > 0;
}

static void go_on(struct fake_client *client) {
    if (client->streams && stopping && is("cut")) {
        leave(client);
    } else if (client->streams) {
        const char *chunk = stopping ? "0\r\n\r\n" : "2\r\nok\r\n";
        (void)!send(client->fd, chunk, strlen(chunk), 0);
        if (stopping)
            leave(client);
    } else if (client->due == 0)
        read_request(client);
    if (client->due > 0 && client->due <= clock_now())
        answer(client);
    else if (client->fd > 0 && stopping && client->due == 0 && !is("unannounced") &&
             !is("clinging"))
        leave(client);
}

static void let_in(int listener) {
    for (int i = 0; i < CLIENTS; i++)
        if (clients[i].fd == 0) {
            int fd = listener_accept(listener);
            if (fd >= 0)
                clients[i].fd = fd;
        }
}

static void reset_all(void) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    for (int i = 0; i < CLIENTS; i++)
        if (clients[i].fd > 0)
            setsockopt(clients[i].fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    _exit(0);
}

static void half_close_all(void) {
    for (int i = 0; i < CLIENTS; i++)
        if (clients[i].fd > 0)
            shutdown(clients[i].fd, SHUT_WR);
    _exit(0);
}

/* The end first, and then a read of what has come and of the client's end. */
static void linger_all(void) {
    char bytes[1024];
    for (int i = 0; i < CLIENTS; i++)
        if (clients[i].fd > 0) {
            shutdown(clients[i].fd, SHUT_WR);
            while (recv(clients[i].fd, bytes, sizeof bytes, 0) > 0)
                continue;
        }
    _exit(0);
}

static void begin_stop(int *listener) {
    stopping = true;
    if (is("half-closing"))
        half_close_all();
    if (is("lingering"))
        linger_all();
    if (is("resetting"))
        reset_all();
    if (!is("backlog-dropping"))
        let_in(*listener);
    close(*listener);
    *listener = -1;
}

void fake_serve(const char *how, uint64_t port) {
    manner = how;
    program_named("fake");
    if (is("dead"))
        _exit(0);
    if (is("deaf-at-first")) {
        signal(SIGTERM, SIG_IGN);
        poll(NULL, 0, 100);
    }
    int listener = listener_open("127.0.0.1", port), stop = signals_open();
    const char *tell = getenv("FAKE_TELLS"); /* a descriptor: somebody counts us */
    if (tell)
        (void)!write(atoi(tell), "+", 1);
    if (is("forking") && fork() == 0) {
        signal(SIGTERM, SIG_IGN);
        for (;;)
            pause();
    }
    for (bool busy = true; busy;) {
        unsigned signals = signals_take(stop);
        if (signals > 0 && stopping && !is("deaf-to-the-second"))
            _exit(1);
        if (signals > 0 && !stopping && !is("deaf"))
            begin_stop(&listener);
        if (listener >= 0)
            let_in(listener);
        busy = !stopping;
        for (int i = 0; i < CLIENTS; i++) {
            if (clients[i].fd > 0 && !stopping && is_asked(&clients[i]) &&
                signals_take(stop) > 0 && !is("deaf"))
                begin_stop(&listener); /* both came while we were halted */
            if (clients[i].fd > 0)
                go_on(&clients[i]);
            busy |= clients[i].fd > 0;
        }
        poll(NULL, 0, TURN_MS);
    }
    _exit(is("faulty") ? 3 : 0);
}
