#include "02-readiness/test_support_backend.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/test_support.h"

static const char *tried;

static void name_what_was_tried(void) {
    if (tried)
        fprintf(stderr, "it was the backend %s\n", tried);
}

bool has_backend(const char *name) {
    struct backend *backend = backend_open(name);
    if (backend)
        backend_close(backend);
    return backend != NULL;
}

void on_every_backend(void (*body)(struct backend *backend, const char *name)) {
    static const char *const names[] = {"epoll", "kqueue", "poll"};
    int count = 0;
    atexit(name_what_was_tried);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tried = names[i];
        struct backend *backend = backend_open(names[i]);
        if (!backend) {
            cr_assert_eq(errno, ENOTSUP);
            continue;
        }
        body(backend, names[i]);
        backend_close(backend);
        count++;
    }
    tried = NULL;
    cr_assert_geq(count, 2, "%d backends: each system has poll and one better", count);
}

int reported(struct backend *backend, watch_token token, int ms) {
    struct readiness events[16];
    int n = backend_wait(backend, events, 16, ms), ready = 0;
    cr_assert_geq(n, 0, "wait: %s", strerror(errno));
    for (int i = 0; i < n; i++) {
        cr_assert_eq(events[i].token, token, "an event for %llx",
                     (unsigned long long)events[i].token);
        cr_assert_neq(events[i].ready, 0);
        ready |= events[i].ready;
    }
    return ready;
}

static void make_non_blocking(int fd) {
    cr_assert(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
}

void local_pair(int ends[2]) {
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "%s", strerror(errno));
    make_non_blocking(ends[0]);
    make_non_blocking(ends[1]);
}

void tcp_pair(int ends[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert(bind(listener, (struct sockaddr *)&address, length) == 0 &&
              listen(listener, 1) == 0 &&
              getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    ends[0] = connect_to(ntohs(address.sin_port));
    ends[1] = accept(listener, NULL, NULL);
    cr_assert_geq(ends[1], 0);
    make_non_blocking(ends[0]);
    make_non_blocking(ends[1]);
    close(listener);
}

int connect_narrowly(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), in = 4096, out = 16384;
    cr_assert(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &in, sizeof in) == 0);
    cr_assert(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &out, sizeof out) == 0);
    cr_assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0, "%s",
              strerror(errno));
    return fd;
}

void close_pair(const int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

void fill_output(int fd) {
    static const char bytes[4096];
    while (write(fd, bytes, sizeof bytes) > 0) {
    }
    cr_assert(errno == EAGAIN || errno == EWOULDBLOCK, "%s", strerror(errno));
}

void empty_input(int fd) {
    char bytes[4096];
    while (read(fd, bytes, sizeof bytes) > 0) {
    }
    cr_assert(errno == EAGAIN || errno == EWOULDBLOCK, "%s", strerror(errno));
}

void allow_descriptors(unsigned most) {
    struct rlimit limit;
    cr_assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (limit.rlim_cur < most)
        limit.rlim_cur = most;
    cr_assert(setrlimit(RLIMIT_NOFILE, &limit) == 0, "this test needs %u descriptors",
              most);
}
