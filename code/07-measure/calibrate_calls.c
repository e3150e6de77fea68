/* What the kernel charges a server on one thread: clocks, waits, reads and writes. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "02-readiness/backend.h"
#include "07-measure/calibrate.h"

enum { CLOCKS = 2000, WATCHED = 256, READY = 64, WAITS = 400, PAIRS = 16, TURNS = 40 };

static double each(uint64_t spent, int times) {
    return (double)spent / times;
}

static _Noreturn void die_of(const char *what) {
    die("can't %s: %s", what, strerror(errno));
}

void calibrate_clocks(double ns[CONSTANTS]) {
    uint64_t began = clock_thread_cpu();
    for (int i = 0; i < CLOCKS; i++)
        clock_now();
    ns[CLOCK] = each(clock_thread_cpu() - began, CLOCKS);
    began = clock_thread_cpu();
    for (int i = 0; i < CLOCKS; i++)
        clock_thread_cpu();
    ns[CPU_CLOCK] = each(clock_thread_cpu() - began, CLOCKS);
}

/* --- waits ----------------------------------------------------------------------------- */

static double time_waits(struct backend *backend, int ready) {
    struct readiness events[WATCHED];
    uint64_t began = clock_thread_cpu();
    for (int i = 0; i < WAITS; i++)
        if (backend_wait(backend, events, WATCHED, -1) != ready)
            die("a wait found another number of descriptors than the %d ready", ready);
    return each(clock_thread_cpu() - began, WAITS);
}

/* One of 256 descriptors is ready, then 64 are: the difference is the price of one. */
void calibrate_waits(double ns[CONSTANTS]) {
    struct wake wakes[WATCHED];
    struct backend *backend = backend_open(NULL);
    if (!backend)
        die_of("open a backend");
    for (int i = 0; i < WATCHED; i++)
        if (wake_open(&wakes[i], WAKE_DEFAULT) != 0 ||
            backend_watch(backend, wakes[i].watched, READABLE, (watch_token)i) != 0)
            die_of("watch 256 descriptors; `ulimit -n` should say 600 or more");
    wake_send(&wakes[0]);
    double one = time_waits(backend, 1);
    for (int i = 1; i < READY; i++)
        wake_send(&wakes[i]);
    double many = time_waits(backend, READY);
    ns[WAIT_READY] = (many - one) / (READY - 1);
    ns[WAIT] = one - ns[WAIT_READY];
    for (int i = 0; i < WATCHED; i++)
        wake_close(&wakes[i]);
    backend_close(backend);
}

/* --- a request and its response -------------------------------------------------------- */

static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"
                               "Content-Type: text/plain\r\n"
                               "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\nhello\n";

static void connect_pairs(int clients[PAIRS], int servers[PAIRS]) {
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&at, size) != 0 ||
        listen(listener, PAIRS) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &size) != 0)
        die_of("listen on the loopback");
    for (int i = 0; i < PAIRS; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (clients[i] < 0 || connect(clients[i], (struct sockaddr *)&at, size) != 0)
            die_of("connect to the loopback");
        servers[i] = accept(listener, NULL, NULL);
        if (servers[i] < 0 ||
            setsockopt(servers[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
            setsockopt(clients[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
            die_of("accept a connection");
    }
    close(listener);
}

static void read_all(const int fds[PAIRS], size_t length) {
    char bytes[4096];
    for (int i = 0; i < PAIRS; i++)
        if (read(fds[i], bytes, sizeof bytes) != (ssize_t)length)
            die("a small message didn't come whole over the loopback");
}

static void write_all(const int fds[PAIRS], const char *text, size_t length) {
    for (int i = 0; i < PAIRS; i++)
        if (write(fds[i], text, length) != (ssize_t)length)
            die_of("write to the loopback");
}

/* Sixteen connections in turns, so that one reading of the clock is shared by them. */
void calibrate_tcp(double ns[CONSTANTS]) {
    int clients[PAIRS], servers[PAIRS];
    uint64_t reading = 0, writing = 0;
    connect_pairs(clients, servers);
    for (int i = 0; i < TURNS; i++) {
        write_all(clients, request, sizeof request - 1);
        uint64_t began = clock_thread_cpu();
        read_all(servers, sizeof request - 1);
        uint64_t read_by = clock_thread_cpu();
        write_all(servers, response, sizeof response - 1);
        writing += clock_thread_cpu() - read_by;
        reading += read_by - began;
        read_all(clients, sizeof response - 1);
    }
    for (int i = 0; i < PAIRS; i++) {
        close(clients[i]);
        close(servers[i]);
    }
    ns[TCP_READ] = each(reading, TURNS * PAIRS) - ns[CPU_CLOCK] / PAIRS;
    ns[TCP_WRITE] = each(writing, TURNS * PAIRS) - ns[CPU_CLOCK] / PAIRS;
}
