/* The half of test_support.h that talks to a server. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"

bool readable_within(int fd, int ms) {
    uint64_t bound = (uint64_t)ms;
    uint64_t deadline = clock_now() + bound * NS_PER_MS;
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, clock_wait_ms(deadline, clock_now()));
        cr_assert(ready >= 0 || errno == EINTR, "poll: %s", strerror(errno));
        if (ready >= 0)
            return ready > 0;
    }
}

/* One read, after a bounded wait; `for_what` names it in the test's failure. */
static size_t read_some(int fd, void *into, size_t size, const char *for_what) {
    cr_assert(readable_within(fd, WAIT_MS), "nothing came while waiting for %s",
              for_what);
    ssize_t n = read(fd, into, size);
    cr_assert(n >= 0, "waiting for %s: %s", for_what, strerror(errno));
    return (size_t)n;
}

int connect_to(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    signal(SIGPIPE, SIG_IGN); /* a send to a peer who left shall fail with EPIPE */
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert(fd >= 0, "socket: %s", strerror(errno));
    cr_assert(fcntl(fd, F_SETFD, FD_CLOEXEC) == 0);
    cr_assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0,
              "connect to port %d: %s", port, strerror(errno));
    return fd;
}

void send_bytes(int fd, const void *bytes, size_t length) {
    const char *from = bytes;
    while (length > 0) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        cr_assert(poll(&wait, 1, WAIT_MS) > 0, "the peer takes no more bytes");
        ssize_t n = send(fd, from, length, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        cr_assert(n > 0, "send: %s", strerror(errno));
        from += n;
        length -= (size_t)n;
    }
}

void send_text(int fd, const char *text) {
    send_bytes(fd, text, strlen(text));
}

void read_bytes(int fd, void *bytes, size_t length) {
    char *into = bytes;
    for (size_t have = 0; have < length;) {
        size_t n = read_some(fd, into + have, length - have, "more bytes");
        cr_assert(n > 0, "the input ended after %zu of %zu bytes", have, length);
        have += n;
    }
}

static bool ends_with(const char *bytes, size_t length, const char *text) {
    size_t want = strlen(text);
    return length >= want && !memcmp(bytes + length - want, text, want);
}

/* How many bytes may be taken at once, so that none is too many: to the end of `text`, or
 * all that have come. We look at them in their place, behind the `have` bytes before. A
 * pipe can't be looked into, so there it is one. */
static size_t bytes_until(int fd, const char *text, char *into, size_t have,
                          size_t size) {
    (void)readable_within(fd, WAIT_MS);
    ssize_t come = recv(fd, into + have, size - 1 - have, MSG_PEEK | MSG_DONTWAIT);
    for (ssize_t n = 1; n < come; n++)
        if (ends_with(into, have + (size_t)n, text))
            return (size_t)n;
    return come > 0 ? (size_t)come : 1;
}

void read_until(int fd, const char *text, char *into, size_t size) {
    for (size_t have = 0; have + 1 < size;) {
        size_t n =
            read_some(fd, into + have, bytes_until(fd, text, into, have, size), text);
        have += n;
        into[have] = '\0';
        cr_assert(n > 0, "the input ended before '%s', after: %s", text, into);
        if (ends_with(into, have, text))
            return;
    }
    cr_assert_fail("%zu bytes came without '%s'", size, text);
}

size_t read_to_end(int fd, char *into, size_t size) {
    size_t have = 0;
    for (;;) {
        char beyond;
        bool full = have + 1 == size;
        size_t n = read_some(fd, full ? &beyond : into + have,
                             full ? 1 : size - 1 - have, "the end of input");
        if (n == 0)
            break;
        cr_assert(!full, "more than %zu bytes came", size - 1);
        have += n;
    }
    into[have] = '\0';
    return have;
}

void read_response_to_head(int fd, struct response *response) {
    response->body_length = 0;
    response->body[0] = '\0';
    read_until(fd, "\r\n\r\n", response->head, sizeof response->head);
    cr_assert(sscanf(response->head, "HTTP/1.%*1[01] %3d ", &response->status) == 1,
              "not a status line: %s", response->head);
}

void read_response(int fd, struct response *response) {
    read_response_to_head(fd, response);
    unsigned long length = 0;
    bool found = false;
    for (const char *line = strstr(response->head, "\r\n"); line && !found;
         line = strstr(line + 2, "\r\n"))
        if (!strncasecmp(line + 2, "Content-Length:", 15))
            found = sscanf(line + 17, "%lu", &length) == 1;
    cr_assert(found, "no Content-Length in: %s", response->head);
    cr_assert(length < sizeof response->body, "a body of %lu bytes", length);
    read_bytes(fd, response->body, length);
    response->body[length] = '\0';
    response->body_length = length;
}
