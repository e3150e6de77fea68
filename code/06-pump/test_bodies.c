/* Bodies under load: the loop's thread fills what the application's thread empties, for
 * many clients at once, some of whom leave in the middle. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "03-request/body.h"
#include "03-request/test_sequences.h"
#include "05-executor/test_load.h"

TestSuite(bodies, .timeout = 300);

enum {
    PIECE_MOST = 20011, /* bytes that a client sends at once */
    END_MOST = 5,       /* bytes of the last chunk */
};

enum end { STAYS, CLOSES, RESETS, SENDS_NO_MORE };

/* One client and its request, which it sends a piece at a time. */
struct client {
    int fd;          /* -1 once it has left */
    unsigned number; /* says what is in the body, and how large pieces are */
    enum end end;
    size_t length; /* of the body */
    size_t wire_length, sent;
    char *body, *wire; /* the wire's bytes: the head, and the body in its framing */
};

static unsigned next_number(unsigned *number) {
    return (*number = *number * 1664525U + 1013904223U) >> 8;
}

static void frame_by_length(struct client *client) {
    client->wire_length = (size_t)sprintf(client->wire,
                                          "POST /echo HTTP/1.1\r\nHost: a\r\n"
                                          "Content-Length: %zu\r\n\r\n",
                                          client->length);
    memcpy(client->wire + client->wire_length, client->body, client->length);
    client->wire_length += client->length;
}

/* Chunks of all sizes: many of few bytes, and some that are larger than the buffer. */
static void frame_in_chunks(struct client *client) {
    char *at = client->wire;
    at += sprintf(at, "POST /echo HTTP/1.1\r\nHost: a\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n");
    for (size_t done = 0, n; done < client->length; done += n) {
        unsigned number = next_number(&client->number);
        n = 1 + number % (number % 4 ? 97 : 2 * BODY_ROOM);
        n = n < client->length - done ? n : client->length - done;
        at += sprintf(at, "%zx\r\n", n);
        memcpy(at, client->body + done, n);
        at += n;
        at += sprintf(at, "\r\n");
    }
    at += sprintf(at, "0\r\n\r\n");
    client->wire_length = (size_t)(at - client->wire);
}

static void arrive(struct client *client, int port, unsigned number, size_t length,
                   bool chunked, enum end end) {
    *client = (struct client){.number = number, .length = length, .end = end};
    client->fd = connect_to(port);
    client->body = malloc(length + 1);
    client->wire = malloc(7 * length + 256); /* a chunk of one byte has six beside it */
    for (size_t i = 0; i < length; i++)
        client->body[i] = (char)next_number(&client->number);
    if (chunked)
        frame_in_chunks(client);
    else
        frame_by_length(client);
    if (end != STAYS)
        client->wire_length = client->wire_length / 2; /* it won't come to its end */
}

/* Sends the next piece; false if there is none. */
static bool send_piece(struct client *client) {
    size_t left = client->wire_length - client->sent;
    size_t n = 1 + next_number(&client->number) % PIECE_MOST;
    if (left > END_MOST) /* the end of chunks comes alone, when all else was taken */
        left -= END_MOST;
    n = n < left ? n : left;
    send_bytes(client->fd, client->wire + client->sent, n);
    client->sent += n;
    return n > 0;
}

static void expect_body(struct client *client) {
    static struct response response;
    static char echoed[BODY_MOST];
    char length[64];
    snprintf(length, sizeof length, "\r\nContent-Length: %zu\r\n", client->length);
    read_response_to_head(client->fd, &response);
    cr_assert_eq(response.status, 200);
    cr_assert(strstr(response.head, length), "not%s%s", length, response.head);
    read_bytes(client->fd, echoed, client->length);
    cr_assert_eq(memcmp(echoed, client->body, client->length), 0, "%zu bytes",
                 client->length);
}

/* It has sent all that it is going to send. */
static void leave(struct client *client) {
    static struct response response;
    char more[2];
    if (client->end == STAYS)
        expect_body(client);
    if (client->end == SENDS_NO_MORE) {
        cr_assert_eq(shutdown(client->fd, SHUT_WR), 0);
        read_response(client->fd, &response);
        cr_assert_eq(response.status, 400);
        cr_assert_eq(read_to_end(client->fd, more, sizeof more), 0);
    }
    if (client->end == RESETS)
        load_reset(client->fd);
    else
        close(client->fd);
    client->fd = -1;
    free(client->body);
    free(client->wire);
}

static void echo_many_at_once(const char *name, const char *backend) {
    static const size_t lengths[] = {0, 1, BODY_ROOM, BODY_ROOM + 1, 100000, BODY_MOST};
    enum { ROUNDS = 6, LENGTHS = 6, STAYERS = 2 * LENGTHS, LEAVERS = 6 };
    enum { CLIENTS = STAYERS + LEAVERS };
    struct client clients[CLIENTS];
    struct program program;
    load_start(&program, name, backend);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < CLIENTS; i++)
            arrive(&clients[i], program.port, round * CLIENTS + i,
                   i < STAYERS ? lengths[i % LENGTHS] : 60000, i / LENGTHS % 2,
                   i < STAYERS ? STAYS : (enum end)(CLOSES + i % 3));
        for (bool more = true; more;) {
            more = false;
            for (unsigned i = 0; i < CLIENTS; i++) {
                bool sends = clients[i].fd >= 0 && send_piece(&clients[i]);
                if (clients[i].fd >= 0 && !sends && clients[i].end != STAYS)
                    leave(&clients[i]); /* while the others send on */
                more |= sends;
            }
        }
        for (unsigned i = 0; i < STAYERS; i++)
            leave(&clients[i]);
    }
    int last = connect_to(program.port);
    send_text(last, LOAD_GET("/"));
    load_expect(last, "hello\n");
    close(last);
    load_stop(&program);
    cr_assert_geq(json_number(program.output, "responses"), ROUNDS * STAYERS + 1);
}

#define ECHOES_OVER(backend)                                                           \
    Test(bodies, of_many_clients_arrive_whole_over_##backend) {                        \
        if (has_backend(#backend))                                                     \
            echo_many_at_once("06-pump", #backend);                                    \
    }

ECHOES_OVER(epoll)
ECHOES_OVER(kqueue)
ECHOES_OVER(poll)
