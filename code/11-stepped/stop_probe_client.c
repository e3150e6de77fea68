/* ANCHOR: includes */
#include "11-stepped/stop_probe_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/descriptor.h"
/* ANCHOR_END: includes */

/* ANCHOR: open */
void client_open(struct probe_client *client, int port, int limit_ms) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int error = 0;
    socklen_t size = sizeof error;
    *client = (struct probe_client){.port = port, .saw = SAW_REFUSED};
    answer_begin(&client->answer, false);
    client->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (client->fd < 0 || descriptor_prepare(client->fd) != 0)
        return;
    if (connect(client->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        struct pollfd wait = {.fd = client->fd, .events = POLLOUT};
        if (errno != EINPROGRESS || poll(&wait, 1, limit_ms) != 1 ||
            getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error)
            return;
    }
    client->saw = SAW_NOTHING;
}

void client_close(struct probe_client *client) {
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
}
/* ANCHOR_END: open */

/* ANCHOR: ask */
void client_ask(struct probe_client *client, const char *path) {
    char head[1024];
    int length =
        snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                 path, client->port);
    if (client->saw == SAW_REFUSED)
        return;
    answer_begin(&client->answer, false);
    client->saw = SAW_NOTHING;
    client->asked = true;
    /* It fits into an empty socket. A server that has closed is seen by the next look. */
    (void)!send(client->fd, head, (size_t)length, 0);
}
/* ANCHOR_END: ask */

/* ANCHOR: look */
static void look_at_end(struct probe_client *client, bool reset) {
    if (!reset && answer_ended(&client->answer) == ANSWER_WHOLE)
        client->saw = SAW_ANSWER;
    else if (client->answer.bytes > 0)
        client->saw = SAW_CUT;
    else
        client->saw = reset ? SAW_RESET : SAW_CLOSED;
}

void client_look(struct probe_client *client) {
    char bytes[4096];
    if (client->saw == SAW_CLOSED) { /* EPIPE is how a reset after the end is told */
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        client->reset_later |= error != 0;
    }
    for (int turn = 0; turn < 16 && client->saw == SAW_NOTHING; turn++) {
        enum answer_result result = ANSWER_PARTIAL;
        size_t used;
        ssize_t n = recv(client->fd, bytes, sizeof bytes, 0);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            return;
        if (n <= 0)
            look_at_end(client, n < 0);
        else
            result = answer_take(&client->answer, bytes, (size_t)n, &used);
        if (result == ANSWER_WHOLE)
            client->saw = SAW_ANSWER;
        else if (result == ANSWER_BAD)
            client->saw = SAW_NO_HTTP;
    }
}

void client_rest(struct probe_client *client) {
    answer_begin(&client->answer, false);
    client->saw = SAW_NOTHING;
    client->asked = false;
    client_look(client);
}
/* ANCHOR_END: look */

/* ANCHOR: linux */
#ifdef __linux__
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
/* ANCHOR_END: linux */
/* ANCHOR: question */
struct question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
};

static struct question question_of(const struct sockaddr_in *server,
                                   const struct sockaddr_in *client) {
    return (struct question){
        .head = {.nlmsg_len = sizeof(struct question),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = AF_INET,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = UINT32_MAX,
                 .id = {.idiag_sport = server->sin_port,
                        .idiag_dport = client->sin_port,
                        .idiag_src = {server->sin_addr.s_addr},
                        .idiag_dst = {client->sin_addr.s_addr},
                        .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
}
/* ANCHOR_END: question */

/* ANCHOR: find */
/* Asks the kernel for one connection by its two ends: the server's end, that is. Its
 * inode is 0 until the server has accepted it. */
static bool find(const struct sockaddr_in *server, const struct sockaddr_in *client,
                 struct inet_diag_msg *found) {
    const struct question ask = question_of(server, client);
    union {
        struct nlmsghdr head;
        char bytes[1024];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return false;
    bool good =
        send(fd, &ask, sizeof ask, 0) == (ssize_t)sizeof ask &&
        recv(fd, &answer, sizeof answer, 0) >= (ssize_t)NLMSG_LENGTH(sizeof *found) &&
        answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY;
    close(fd);
    if (good)
        memcpy(found, NLMSG_DATA(&answer.head), sizeof *found);
    return good && found->id.idiag_dport == client->sin_port; /* not the listener */
}
/* ANCHOR_END: find */

/* ANCHOR: place */
enum client_place client_place(const struct probe_client *client) {
    struct sockaddr_in ours = {0}, theirs = {0};
    socklen_t size = sizeof ours;
    struct inet_diag_msg found;
    if (getsockname(client->fd, (struct sockaddr *)&ours, &size) != 0 ||
        getpeername(client->fd, (struct sockaddr *)&theirs, &size) != 0 ||
        !find(&theirs, &ours, &found))
        return CLIENT_UNKNOWN;
    return found.idiag_inode == 0   ? CLIENT_IN_BACKLOG
           : found.idiag_rqueue > 0 ? CLIENT_UNREAD
                                    : CLIENT_READ;
}
#else
enum client_place client_place(const struct probe_client *client) {
    (void)client;
    return CLIENT_UNKNOWN;
}
#endif
/* ANCHOR_END: place */

/* ANCHOR: says */
const char *client_says(const struct probe_client *client) {
    bool failed = client->answer.status >= 500;
    switch (client->saw) {
    case SAW_REFUSED:
        return "not let in";
    case SAW_ANSWER:
        return failed ? "answered with an error" : "answered in full";
    case SAW_CUT:
        return "cut";
    case SAW_CLOSED:
        if (!client->asked)
            return "closed";
        return client->reset_later ? "closed unread" : "closed, read but not answered";
    case SAW_RESET:
        if (!client->asked)
            return "reset";
        return client->was_read ? "reset after it was read" : "reset unread";
    case SAW_NO_HTTP:
        return "not HTTP";
    default:
        return client->asked ? "hung" : "left open";
    }
}
/* ANCHOR_END: says */
