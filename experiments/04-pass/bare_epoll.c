/* The least that can answer HTTP on epoll(7): what does chapter 04's server cost beside
 * it? It looks for blank lines, and each one is owed the answer that 04-pass
 * --no-date-header gives to GET /. No parser, no slots and tags, no deadlines, and nobody
 * else could turn this loop. It listens, counts and stops as every server here does. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/options.h"
#include "00-ground/signals.h"
#include "00-ground/stats.h"
#include "02-readiness/listener.h"

static const char answer[] = "HTTP/1.1 200 OK\r\n"
                             "Content-Length: 6\r\n"
                             "Content-Type: text/plain\r\n"
                             "\r\n"
                             "hello\n";

enum { ANSWER = sizeof answer - 1, INPUT = 16384, BATCH = 256, CLIENTS = 4096 };

struct client {
    int matched;   /* how much of "\r\n\r\n" the input ended with */
    unsigned owed; /* answers that are due */
    size_t sent;   /* bytes of the first of them that have gone */
    bool ended;    /* the client sends no more */
    bool blocked;  /* it reads no more: we wait until it does, and don't read either */
};

static struct client clients[CLIENTS]; /* by the number of the descriptor */
static struct counters counters;
static int epoll, stop, listener;

static bool not_now(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void watch(int operation, int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    if (epoll_ctl(epoll, operation, fd, &event) != 0)
        die("can't watch a descriptor: %s", strerror(errno));
}

/* A stretch between two blank lines is a request, whatever it says. */
static void scan(struct client *client, const char *bytes, size_t length) {
    static const char blank[] = "\r\n\r\n";
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == blank[client->matched])
            client->matched++;
        else
            client->matched = bytes[i] == '\r';
        if (client->matched < 4)
            continue;
        client->matched = 0;
        client->owed++;
        count_request(&counters);
    }
}

/* False when the socket is broken. */
static bool take_input(int fd, struct client *client) {
    static char input[INPUT];
    ssize_t n = read(fd, input, sizeof input);
    if (n < 0)
        return not_now();
    client->ended = n == 0;
    scan(client, input, (size_t)n);
    return true;
}

/* Sends what is owed until the socket is full. False when it is broken. */
static bool give_output(int fd, struct client *client) {
    while (client->owed > 0) {
        ssize_t n = write(fd, answer + client->sent, ANSWER - client->sent);
        if (n < 0)
            return not_now();
        client->sent += (size_t)n;
        if (client->sent < ANSWER)
            continue;
        client->sent = 0;
        client->owed--;
        counters.responses++;
    }
    return true;
}

static void move(int fd) {
    struct client *client = &clients[fd];
    bool sound = client->blocked || take_input(fd, client);
    if (!sound || !give_output(fd, client) || (client->ended && client->owed == 0)) {
        close(fd); /* which takes it out of the epoll, too */
        return;
    }
    bool blocked = client->owed > 0;
    if (blocked != client->blocked)
        watch(EPOLL_CTL_MOD, fd, blocked ? EPOLLOUT : EPOLLIN);
    client->blocked = blocked;
}

static void take_clients(void) {
    int fd;
    while ((fd = listener_accept(listener)) >= 0) {
        if (fd >= CLIENTS)
            die("there are more than %d descriptors", CLIENTS);
        clients[fd] = (struct client){.matched = 0};
        watch(EPOLL_CTL_ADD, fd, EPOLLIN);
    }
    if (fd == ACCEPT_EXHAUSTED)
        die("can't accept: %s", strerror(errno));
}

/* The signals that came to stop us. */
static unsigned turn(void) {
    struct epoll_event events[BATCH];
    unsigned stops = 0;
    int n = epoll_wait(epoll, events, BATCH, -1);
    if (n < 0 && errno != EINTR)
        die("can't wait: %s", strerror(errno));
    counters.passes++;
    for (int i = 0; i < n; i++) {
        counters.events++;
        if (events[i].data.fd == stop)
            stops += signals_take(stop);
        else if (events[i].data.fd == listener)
            take_clients();
        else
            move(events[i].data.fd);
    }
    return stops;
}

int main(int argc, char **argv) {
    uint64_t began = clock_now(), port = 8080;
    bool stats = false;
    const struct option_row options[] = {
        {"--port", OPTION_NUMBER, &port, 0, 65535, "port; 0 picks a free one"},
        {"--stats", OPTION_FLAG, &stats, 0, 0, "print what was counted, at exit"},
    };
    options_read(argc, argv, "A bare epoll loop that answers every blank line.",
                 options, sizeof options / sizeof *options);
    stop = signals_open();
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (stop < 0 || epoll < 0)
        die("can't open what it needs: %s", strerror(errno));
    listener = listener_open("127.0.0.1", port);
    watch(EPOLL_CTL_ADD, stop, EPOLLIN);
    watch(EPOLL_CTL_ADD, listener, EPOLLIN);
    while (turn() == 0)
        continue;
    if (stats)
        stats_print(&counters, began);
    return 0;
}
