#include "11-stepped/test_support_stress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/signals.h"
#include "02-readiness/listener.h"

enum { CLIENTS = 256, ROOM = 65536, BUDGET_MS = 1000, FREEZE_MS = 3500, SLEEP_MS = 30 };

struct fake_client {
    int fd; /* 0: none */
    uint64_t due;
    bool ending; /* it only waits for the client's end */
    size_t length;
    char in[ROOM + 1];
};

static struct fake_client clients[CLIENTS];
static const char *manner;
static bool stopping;
static unsigned requests, responses, cut, leaves;

static bool is(const char *name) {
    return !strcmp(manner, name);
}

static void leave(struct fake_client *client, bool reset) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (reset)
        setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (!is("leaking") || ++leaves % 10 != 0)
        close(client->fd);
    client->fd = 0;
}

static void let_in(int listener) {
    for (int i = 0; i < CLIENTS; i++) {
        if (clients[i].fd != 0)
            continue;
        int fd = listener_accept(listener);
        if (fd < 0)
            return;
        clients[i].fd = fd;
        clients[i].due = clients[i].length = 0;
        clients[i].ending = false;
        clients[i].in[0] = '\0';
    }
}

/* All that lies in the socket. False when the client has gone. */
static bool read_client(struct fake_client *client) {
    for (;;) {
        ssize_t n =
            recv(client->fd, client->in + client->length, ROOM - client->length, 0);
        if (n <= 0)
            return n < 0 && errno == EAGAIN;
        client->length = client->ending ? 0 : client->length + (size_t)n;
        client->in[client->length] = '\0';
    }
}

/* The length of the first request if it is whole, else 0. */
static size_t whole(const struct fake_client *client, size_t *body, unsigned *ms) {
    const char *end = strstr(client->in, "\r\n\r\n");
    if (!end)
        return 0;
    *body = *ms = 0;
    if (sscanf(client->in, "GET /slow?ms=%u", ms) != 1)
        sscanf(client->in, "POST /echo HTTP/1.1\r\nContent-Length: %zu", body);
    size_t length = (size_t)(end + 4 - client->in) + *body;
    return length <= client->length ? length : 0;
}

static void give(struct fake_client *client, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = send(client->fd, bytes, length, 0);
        if (n < 0 && errno != EAGAIN)
            return; /* the client has gone, as we shall read */
        bytes += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
}

/* Returns its length. */
static size_t write_answer(char out[ROOM], const char *bytes, size_t body, bool last) {
    bool chunks = is("chunking");
    int n = snprintf(out, ROOM, "HTTP/1.1 200 OK\r\n%s",
                     last ? "Connection: close\r\n" : "");
    n += snprintf(out + n, ROOM - (size_t)n,
                  chunks ? "Transfer-Encoding: chunked\r\n\r\n%zx\r\n"
                         : "Content-Length: %zu\r\n\r\n",
                  body);
    memcpy(out + n, bytes, body);
    const char *end = !chunks ? "" : body ? "\r\n0\r\n\r\n" : "\r\n";
    strcpy(out + n + body, end);
    return (size_t)n + body + strlen(end);
}

static void answer(struct fake_client *client, size_t length, size_t body,
                   unsigned ms) {
    static char out[ROOM];
    bool last = stopping && client->length == length && !is("deaf");
    char text[40] = "";
    const char *bytes = client->in + length - body;
    if (body == 0 && strncmp(client->in, "GET", 3) == 0) {
        body = (size_t)snprintf(text, sizeof text, "slept %u ms\n", ms);
        bytes = text;
    }
    size_t all = write_answer(out, bytes, body, last);
    if (is("swapping") && requests % 50 == 0)
        out[all - 1] ^= 1;
    if (is("garbling") && requests % 50 == 0)
        out[0] ^= 1;
    if (is("talkative") && client->length == length) /* it has asked for no more */
        give(client, out, all);
    if (is("growing"))
        memset(malloc(4096), 1, 4096);
    give(client, out, stopping && is("halving") ? all / 2 : all);
    responses++;
    client->length -= length;
    memmove(client->in, client->in + length, client->length + 1);
    if (stopping && is("halving")) {
        leave(client, false);
    } else if (last) {
        client->ending = true;
        shutdown(client->fd, SHUT_WR);
    }
}

static void go_on(struct fake_client *client) {
    if (!(stopping && is("unread")) && !read_client(client)) {
        leave(client, false);
        return;
    }
    size_t body, length;
    unsigned ms;
    while (client->fd && !client->ending && (length = whole(client, &body, &ms)) > 0) {
        if (client->due == 0) {
            requests++;
            client->due = clock_now() + ms * NS_PER_MS;
        }
        if (client->due > clock_now())
            return;
        client->due = 0;
        answer(client, length, body, ms);
    }
    if (stopping && client->fd && !client->ending && client->length == 0 &&
        !is("clinging") && !is("deaf")) {
        client->ending = true;
        shutdown(client->fd, SHUT_WR);
    }
}

static void begin_stop(int listener) {
    stopping = true;
    if (is("deaf"))
        return;
    if (is("freezing"))
        poll(NULL, 0, FREEZE_MS);
    let_in(listener);
    for (int i = 0; i < CLIENTS; i++) {
        bool flying = clients[i].fd && clients[i].length > 0;
        bool idle = clients[i].fd && clients[i].length == 0;
        if ((flying && (is("losing") || is("resetting"))) || (idle && is("brusque")))
            leave(&clients[i], !is("losing"));
    }
}

static void cut_all(void) {
    for (int i = 0; i < CLIENTS; i++) {
        if (!clients[i].fd)
            continue;
        cut += clients[i].due > 0;
        leave(&clients[i], false);
    }
}

static bool anybody(void) {
    for (int i = 0; i < CLIENTS; i++)
        if (clients[i].fd)
            return true;
    return false;
}

void stress_fake_serve(const char *how) {
    manner = how;
    program_named("fake");
    signal(SIGPIPE, SIG_IGN);
    int listener = listener_open("127.0.0.1", 0), stop = signals_open();
    fflush(stdout);
    uint64_t deadline = NEVER;
    while (!stopping || (anybody() && clock_now() < deadline) || is("deaf")) {
        if (signals_take(stop) > 0 && !stopping) {
            begin_stop(listener);
            deadline = is("clinging") ? NEVER : clock_now() + BUDGET_MS * NS_PER_MS;
            if (!is("deaf"))
                close(listener);
        }
        if (!stopping || is("deaf"))
            let_in(listener);
        for (int i = 0; i < CLIENTS; i++)
            if (clients[i].fd)
                go_on(&clients[i]);
        poll(NULL, 0, is("unread") ? SLEEP_MS : 1);
    }
    cut_all();
    printf("{\"requests\":%u,\"responses\":%u}\n",
           is("bookless") ? 2 * requests : requests, responses);
    fflush(stdout);
    if (cut && !is("silent"))
        fprintf(stderr, "fake: %u cut\n", is("miscounting") ? 2 * cut : cut);
    if (is("crashing"))
        abort();
    _exit(cut && !is("silent") ? 1 : 0);
}
