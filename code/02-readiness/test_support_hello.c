#include "02-readiness/test_support_hello.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "02-readiness/test_support_backend.h"

struct program hello;

static const char *option_name, *option_value;
static void (*served)(void);

void hello_stop(void) {
    program_stop(&hello);
    cr_assert_eq(hello.status, 0);
}

static void serve(struct backend *backend, const char *name) {
    (void)backend;
    program_start(&hello, "02-readiness", "--stats", "--backend", name, option_name,
                  option_value, NULL);
    served();
    if (hello.pid != 0)
        hello_stop();
}

void on_every_hello(const char *name, const char *value, void (*body)(void)) {
    option_name = name;
    option_value = value;
    served = body;
    on_every_backend(serve);
}

/* All at once: read_response() looks for the head's end byte by byte, and some tests have
 * a thousand clients. */
void hello_expect(int client) {
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"
                                 "Content-Type: text/plain\r\n\r\nhello\n";
    char bytes[sizeof answer] = "";
    read_bytes(client, bytes, sizeof answer - 1);
    cr_assert_str_eq(bytes, answer);
}

void hello_ask(int client) {
    send_text(client, ASK);
    hello_expect(client);
}

int hello_client(void) {
    int client = connect_to(hello.port);
    hello_ask(client);
    return client;
}

void hello_expect_end(int client) {
    char more[16];
    cr_assert_eq(read_to_end(client, more, sizeof more), 0);
    close(client);
}

void hello_will_reset(int client) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    cr_assert(setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
}

/* Large heads, so that the client's buffers are full before the answers are too many. What
 * the system keeps for a server that doesn't read may be tens of megabytes. */
size_t hello_flood(int client) {
    enum { HEAD = 256, HEADS = 64, MOST = 128 << 20 };
    static char heads[HEADS * HEAD];
    static const char begin[] = "GET / HTTP/1.1\r\nFiller: ", end[] = "\r\n\r\n";
    memset(heads, 'x', sizeof heads);
    for (char *head = heads; head < heads + sizeof heads; head += HEAD) {
        memcpy(head, begin, sizeof begin - 1);
        memcpy(head + HEAD - 4, end, 4);
    }
    size_t sent = 0;
    struct pollfd room = {.fd = client, .events = POLLOUT};
    while (poll(&room, 1, 100) > 0) {
        size_t from = sent % sizeof heads;
        ssize_t n = send(client, heads + from, sizeof heads - from, MSG_DONTWAIT);
        cr_assert_gt(n, 0);
        sent += (size_t)n;
        cr_assert_lt(sent, MOST, "the server takes everything");
    }
    return sent / HEAD;
}
