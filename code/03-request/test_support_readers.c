/* What every server does for clients who are slow to read what they asked for: whoever
 * goes on reading is given time, and who doesn't is left. */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "02-readiness/test_support_backend.h"
#include "03-request/test_support_checks.h"
#include "03-request/test_support_http.h"

#define GET          "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define STALL_OPTION "--stall-timeout-ms=400"

enum { STALL_MS = 400, GET_LENGTH = sizeof GET - 1, ASKED_MOST = 100000 };

/* Sends what the server takes now; true if it took anything. */
static bool ask_on(int client, size_t *sent) {
    size_t before = *sent;
    while (*sent < (size_t)ASKED_MOST * GET_LENGTH) {
        size_t from = *sent % GET_LENGTH;
        ssize_t n = send(client, &GET[from], GET_LENGTH - from, MSG_DONTWAIT);
        if (n < 0)
            break;
        *sent += (size_t)n;
    }
    return *sent > before;
}

/* Reads once, up to `most` bytes, and counts the lines. False at the end of input. */
static bool read_lines(int client, size_t most, size_t *lines) {
    static char bytes[1 << 16];
    cr_assert(readable_within(client, WAIT_MS));
    ssize_t n = read(client, bytes, most);
    cr_assert_geq(n, 0, "it was cut after %zu lines: %s", *lines, strerror(errno));
    for (ssize_t i = 0; i < n; i++)
        *lines += bytes[i] == '\n';
    return n > 0;
}

/* It asks and asks and reads steadily, far more slowly than it could be answered. So the
 * server's socket fills up, and then the server can't send a byte, nor does it read one,
 * for several stall timeouts. (If the system keeps too little for that, the client reads
 * so for a while.) In the end it has every answer. */
static void gives_time_to_who_reads_slowly(struct served *served) {
    enum { LINES = 6, TIMEOUTS = 5, EVERY_MS = 20, PIECE = 2000 };
    int client = connect_narrowly(served->program.port);
    size_t sent = 0, lines = 0;
    uint64_t now = clock_now(), end = now + 20 * NS_PER_S, taken = now;
    while (now < end && now - taken < TIMEOUTS * STALL_MS * NS_PER_MS) {
        if (ask_on(client, &sent))
            taken = clock_now();
        cr_assert(read_lines(client, PIECE, &lines), "it was cut");
        poll(NULL, 0, EVERY_MS);
        now = clock_now();
    }
    cr_assert(shutdown(client, SHUT_WR) == 0);
    while (read_lines(client, 1 << 16, &lines)) {
    }
    cr_assert_eq(lines, sent / GET_LENGTH * LINES,
                 "%zu lines for %zu bytes of requests", lines, sent);
    served->answered += sent / GET_LENGTH;
    close(client);
}

/* How long ago the server took something isn't known to the byte, so the wait is only
 * bounded from above, with room for a machine that is busy. */
static void leaves_who_reads_nothing(struct served *served) {
    int client = connect_narrowly(served->program.port);
    struct pollfd room = {.fd = client, .events = POLLOUT};
    size_t sent = 0;
    uint64_t taken = clock_now();
    do {
        if (ask_on(client, &sent))
            taken = clock_now();
        cr_assert_eq(poll(&room, 1, WAIT_MS), 1, "the server waits on");
    } while (!(room.revents & (POLLERR | POLLHUP)));
    cr_assert_lt(clock_now() - taken, WAIT_MS * NS_PER_MS);
    served->perhaps += sent / GET_LENGTH + 1;
    close(client);
}

void check_readers(const char *program, const char *backend) {
    static const struct check all[] = {
        {"gives time to who reads slowly", gives_time_to_who_reads_slowly},
        {"leaves who reads nothing", leaves_who_reads_nothing},
    };
    signal(SIGPIPE, SIG_IGN); /* who is cut while it sends shall hear of it */
    run_checks(program, backend, STALL_OPTION, all, sizeof all / sizeof all[0]);
}
