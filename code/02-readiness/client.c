/* ANCHOR: answer */
#include "02-readiness/client.h"

#include <errno.h>
#include <unistd.h>

#include "02-readiness/backend.h"

static const char answer[] = "HTTP/1.1 200 OK\r\n"
                             "Content-Length: 6\r\n"
                             "Content-Type: text/plain\r\n"
                             "\r\n"
                             "hello\n";

enum {
    ANSWER = sizeof answer - 1,
    OWED_MOST = 64, /* a client who asks on without reading is left unread from here */
    TURN = 16,      /* answers that one client gets before the others have their turn */
};

struct client client_new(int fd) {
    return (struct client){.fd = fd, .in_head = true};
}
/* ANCHOR_END: answer */

/* ANCHOR: heads */
/* Counts the blank lines that end heads, also when they arrive in pieces. */
static void find_heads(struct client *client, const char *bytes, size_t n,
                       struct counters *counters) {
    static const char blank_line[] = "\r\n\r\n";
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == blank_line[client->matched])
            client->matched++;
        else
            client->matched = bytes[i] == '\r'; /* it may begin another blank line */
        client->in_head = client->matched < 4;
        if (!client->in_head) {
            client->matched = 0;
            client->owed++;
            count_request(counters);
        }
    }
}
/* ANCHOR_END: heads */

/* ANCHOR: read */
bool client_read(struct client *client, struct counters *counters) {
    char bytes[4096];
    ssize_t n = read(client->fd, bytes, sizeof bytes);
    if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (n == 0)
        client->ended = true;
    find_heads(client, bytes, (size_t)n, counters);
    return true;
}
/* ANCHOR_END: read */

/* ANCHOR: write */
bool client_write(struct client *client, struct counters *counters, bool *moved) {
    for (int writes = 0; client->owed > 0 && writes < TURN; writes++) {
        ssize_t n = write(client->fd, answer + client->sent, ANSWER - client->sent);
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        *moved = true;
        client->sent += (size_t)n;
        if (client->sent == ANSWER) {
            client->sent = 0;
            client->owed--;
            counters->responses++;
        }
    }
    return true;
}
/* ANCHOR_END: write */

/* ANCHOR: interest */
int client_interest(const struct client *client) {
    int interest = 0;
    if (!client->ended && client->owed < OWED_MOST)
        interest |= READABLE;
    if (client->owed > 0)
        interest |= WRITABLE;
    return interest;
}
/* ANCHOR_END: interest */
