#include "02-readiness/listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/descriptor.h"
#include "00-ground/error.h"

enum { DESCRIPTORS = 4096 }; /* for 1,024 slots, with room to spare */

static void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit); /* refused: we serve fewer clients at a time */
}

static int listen_on(const struct addrinfo *address) {
    int fd = socket(address->ai_family, SOCK_STREAM, 0);
    int on = 1;
    if (fd < 0)
        return -1;
    if (descriptor_prepare(fd) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
        listen(fd, SOMAXCONN) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static void announce(int fd) {
    struct sockaddr_storage bound = {0};
    socklen_t length = sizeof bound;
    char host[128], port[16];
    if (getsockname(fd, (struct sockaddr *)&bound, &length) != 0 ||
        getnameinfo((struct sockaddr *)&bound, length, host, sizeof host, port,
                    sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        die("can't read back the address it listens on: %s", strerror(errno));
    bool brackets = bound.ss_family == AF_INET6; /* RFC 3986, section 3.2.2 */
    printf("listening on http://%s%s%s:%s\n", brackets ? "[" : "", host,
           brackets ? "]" : "", port);
    output_flushed();
}

int listener_open(const char *host, uint64_t port) {
    raise_descriptor_limit();
    char service[24];
    snprintf(service, sizeof service, "%llu", (unsigned long long)port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found;
    int failed = getaddrinfo(host, service, &hints, &found);
    if (failed == EAI_MEMORY || failed == EAI_SYSTEM)
        die("can't look up %s: %s", host, gai_strerror(failed));
    if (failed)
        die_of_usage("--host %s: %s; give an address of this machine", host,
                     gai_strerror(failed));
    int fd = listen_on(found);
    freeaddrinfo(found);
    if (fd < 0 && errno == EADDRNOTAVAIL)
        die_of_usage("--host %s: not an address of this machine", host);
    if (fd < 0 && (errno == EADDRINUSE || errno == EACCES))
        die_of_usage("can't listen on port %s: %s; choose another by --port", service,
                     strerror(errno));
    if (fd < 0)
        die("can't listen on %s port %s: %s", host, service, strerror(errno));
    announce(fd);
    return fd;
}

static int accept_ready(int listener) {
#ifdef __linux__
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    int fd = accept(listener, NULL, NULL);
    if (fd >= 0 && descriptor_prepare(fd) != 0) {
        close(fd);
        errno = ECONNABORTED;
        return -1;
    }
    return fd;
#endif
}

int listener_accept(int listener) {
    for (;;) {
        int fd = accept_ready(listener);
        if (fd >= 0) {
            int on = 1; /* a refusal here costs latency, not correctness */
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            return fd;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            return ACCEPT_NONE;
        if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK || errno == EFAULT)
            die("accept: %s", strerror(errno)); /* a fault of ours, not of a client's */
        if (errno != EINTR && errno != ECONNABORTED && errno != EPROTO &&
            errno != ENETDOWN && errno != ENETUNREACH && errno != EHOSTUNREACH)
            return ACCEPT_EXHAUSTED;
    }
}
