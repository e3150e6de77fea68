/* The loop that was split into prepare, pass and shutdown behaves as the unsplit one
 * did: the same input, in the same pieces, brings the same bytes (row F3). */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/test_support.h"
#include "03-request/test_support_http.h"

#define HOST "Host: x\r\n"

/* What one client sends. '|' stands for a pause: what follows is sent once the server
 * has had the time to read what came before. At the end the client sends no more. */
static const char *const scripts[] = {
    "GET / HTTP/1.1\r\n" HOST "\r\n",
    "GET / HTTP/1.1\r\n" HOST "\r\n|",
    "HEAD / HTTP/1.1\r\n" HOST "\r\n",
    "GET /nowhere HTTP/1.1\r\n" HOST "\r\nGET / HTTP/1.1\r\n" HOST "\r\n",
    "GET / HTTP/1.1\r\n" HOST "\r\n|HEAD / HTTP/1.1\r\n" HOST
    "\r\n|GET /?q HTTP/1.1\r\n" HOST "\r\n",
    "G|E|T| |/| |H|T|T|P|/|1|.|1|\r|\n|H|o|s|t|:|x|\r|\n|\r|\n",
    "\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n",
    "GET / HTTP/1.1\r\n" HOST "\r\nGET / HT|TP/1.1\r\n" HOST "\r\nHEAD / HTTP",
    "GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n|GET / HTTP/1.0\r\n\r\n",
    "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n",
    "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
    "BREW / HTTP/1.1\r\n" HOST "\r\n|GET / HTTP/1.1\r\n" HOST "\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
    "GET / HTTP/1.1\r\n" HOST "\r\nrubbish\r\n\r\n",
    "GET / HTTP/1.1\nHost: x\n\n",
    "\x16\x03\x01",
    "GET / HTTP/1.1\r\n",
    "|",
    "",
};

/* Plays one script to the end, and says all that came back. */
static size_t play(int port, const char *script, char *answers, size_t size) {
    int fd = connect_to(port);
    while (*script) {
        size_t piece = strcspn(script, "|");
        send_bytes(fd, script, piece);
        script += piece;
        if (*script == '|') {
            script++;
            readable_within(fd, 2);
        }
    }
    cr_assert(shutdown(fd, SHUT_WR) == 0 || errno == ENOTCONN);
    size_t length = read_to_end(fd, answers, size);
    close(fd);
    return length;
}

static void compare_over(const char *backend) {
    struct program unsplit, split;
    program_start(&unsplit, "03-request", "--no-date-header", "--backend", backend,
                  NULL);
    program_start(&split, "04-pass", "--no-date-header", "--backend", backend, NULL);
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        static char before[4096], after[4096];
        size_t length = play(unsplit.port, scripts[i], before, sizeof before);
        cr_assert_eq(play(split.port, scripts[i], after, sizeof after), length,
                     "script %zu over %s: %s but then %s", i, backend, before, after);
        cr_assert(!memcmp(before, after, length), "script %zu over %s: %s but then %s",
                  i, backend, before, after);
    }
    program_stop(&unsplit);
    program_stop(&split);
    cr_assert(unsplit.status == 0 && split.status == 0);
}

Test(split, the_same_input_brings_the_same_bytes, .timeout = 300) {
    static const char *const backends[] = {"epoll", "kqueue", "poll"};
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (has_backend(backends[i]))
            compare_over(backends[i]);
}
