/* ANCHOR: top */
/* The recycled-slot probe: clients who leave in the middle of a streamed answer, half of
 * them by a FIN and half by a reset, and clients who come after them and get their
 * slots. Each asks for a word of its own, and has to get an answer that says this word.
 *
 * Try it:
 *     build/09-traps --port 8080 &
 *     build/recycle-probe --port 8080 --recycles 10000
 *     kill %1
 * It ends with 1 when an answer is late or wrong, and says whose it was. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/options.h"

/* Clients at a time. A slot that frees is the next to be taken, so all who ever come
 * share about twice as many slots. */
enum { LANES = 64 };

static uint64_t port = 8080, recycles = 2000, limit_ms = 2000;

struct client {
    int fd;
    uint64_t number; /* of the recycle */
    uint64_t limit;  /* when its answer is late: ns of clock_now() */
    char word[32];
    char text[4096]; /* what has come */
    size_t length;
};
/* ANCHOR_END: top */

/* ANCHOR: come */
/* From an address of its own, so that ports don't run out: on Linux all of 127/8 is this
 * machine. Elsewhere it is the one address that there is. */
static int connect_from(uint32_t number) {
    struct sockaddr_in from = {.sin_family = AF_INET,
                               .sin_addr.s_addr =
                                   htonl(INADDR_LOOPBACK + number % 1000000)};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        die("can't make a socket: %s", strerror(errno));
    if (bind(fd, (struct sockaddr *)&from, sizeof from) != 0 && errno != EADDRNOTAVAIL)
        die("can't bind: %s", strerror(errno));
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
        die("can't connect to port %" PRIu64 ": %s", port, strerror(errno));
    return fd;
}

static void come(struct client *client, uint64_t number, bool tenant,
                 const char *query) {
    char head[160];
    client->number = number;
    client->length = 0;
    client->limit = clock_now() + limit_ms * NS_PER_MS;
    uint64_t visit = 2 * number + tenant;
    snprintf(client->word, sizeof client->word, "w%09" PRIu64, visit);
    client->fd = connect_from((uint32_t)visit);
    int n = snprintf(head, sizeof head,
                     "GET /stream?%s&word=%s HTTP/1.1\r\nHost: probe\r\n\r\n", query,
                     client->word);
    if (send(client->fd, head, (size_t)n, MSG_NOSIGNAL) != n)
        die("recycle %" PRIu64 ": can't ask: %s", number, strerror(errno));
}
/* ANCHOR_END: come */

/* ANCHOR: hear */
/* Reads until `end` has come. */
static void hear(struct client *client, const char *end) {
    client->text[client->length] = '\0';
    while (!strstr(client->text, end)) {
        struct pollfd readable = {.fd = client->fd, .events = POLLIN};
        int ms = clock_wait_ms(client->limit, clock_now());
        if (poll(&readable, 1, ms) == 0)
            die("hung at recycle %" PRIu64 ": after %" PRIu64
                " ms the client of the word %s has %zu bytes of its answer",
                client->number, limit_ms, client->word, client->length);
        size_t room = sizeof client->text - 1 - client->length;
        ssize_t n = recv(client->fd, client->text + client->length, room, 0);
        if (n <= 0)
            die("recycle %" PRIu64 ": the client of the word %s got %s after %zu "
                "bytes, or more than it asked for",
                client->number, client->word, n < 0 ? strerror(errno) : "an end",
                client->length);
        client->length += (size_t)n;
        client->text[client->length] = '\0';
    }
}

/* Its word three times, a chunk each, and nothing else. */
static void check_answer(const struct client *client) {
    char chunk[64], wanted[256];
    snprintf(chunk, sizeof chunk, "\r\nb\r\n%s\n", client->word);
    snprintf(wanted, sizeof wanted, "\r\n%s%s%s\r\n0\r\n\r\n", chunk, chunk, chunk);
    const char *body = strstr(client->text, "\r\n\r\n");
    if (!body || strcmp(body, wanted) != 0)
        die("recycle %" PRIu64 ": the client of the word %s got this:\n%s",
            client->number, client->word, client->text);
}
/* ANCHOR_END: hear */

/* ANCHOR: leave */
/* In the middle: there are chunks still to come. */
static void leave(struct client *client) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (client->number % 2)
        setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    else
        shutdown(client->fd, SHUT_WR);
    close(client->fd);
}
/* ANCHOR_END: leave */

/* ANCHOR: recycle */
/* Some who leave by a reset have asked for more than an output holds. */
static void recycle(uint64_t first, uint64_t count) {
    static struct client leavers[LANES], tenants[LANES];
    for (uint64_t i = 0; i < count; i++)
        come(&leavers[i], first + i, false,
             i % 8 == 1 ? "chunks=2&ms=1&bytes=200000" : "chunks=2&ms=1&bytes=11");
    for (uint64_t i = 0; i < count; i++)
        hear(&leavers[i], leavers[i].word);
    for (uint64_t i = 0; i < count; i++)
        leave(&leavers[i]);
    if (first / LANES % 2) /* every second time the slots have a moment to free */
        poll(NULL, 0, 2);
    for (uint64_t i = 0; i < count; i++)
        come(&tenants[i], first + i, true, "chunks=3&ms=4&bytes=11");
    for (uint64_t i = 0; i < count; i++) {
        hear(&tenants[i], "\r\n0\r\n\r\n");
        check_answer(&tenants[i]);
        close(tenants[i].fd);
    }
}
/* ANCHOR_END: recycle */

/* ANCHOR: main */
int main(int argc, char **argv) {
    const struct option_row rows[] = {
        {"--port", OPTION_NUMBER, &port, 1, 65535, "of the server, on 127.0.0.1"},
        {"--recycles", OPTION_NUMBER, &recycles, 1, 999999999,
         "how many clients leave and are followed"},
        {"--limit-ms", OPTION_NUMBER, &limit_ms, 1, 600000,
         "for an answer, before it is late"},
    };
    options_read(argc, argv, "Leaves a server in the middle, and comes again.", rows,
                 sizeof rows / sizeof *rows);
    uint64_t began = clock_now();
    for (uint64_t done = 0; done < recycles; done += LANES)
        recycle(done, recycles - done < LANES ? recycles - done : LANES);
    printf("%" PRIu64 " recycles, half by a FIN and half by a reset: each got its own "
           "answer, in %.1f s\n",
           recycles, (double)(clock_now() - began) / (double)NS_PER_S);
    output_flushed();
    return 0;
}
/* ANCHOR_END: main */
