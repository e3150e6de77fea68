/* ANCHOR: try */
/* The blocking server: it answers one client at a time, and waits for that one alone.
 *
 * Try it in two terminals. In the first:  build/01-blocking --port 8080
 * In the second, a bash, a request that is answered, then one behind a client that says
 * nothing:
 *
 *     curl http://127.0.0.1:8080/
 *     sleep 5 > /dev/tcp/127.0.0.1/8080 &
 *     time curl http://127.0.0.1:8080/
 *
 * The third line takes as long as the sleep. Nothing else of this book is used here. */
/* ANCHOR_END: try */

/* ANCHOR: includes */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MOST_HEAD = 8192 }; /* bytes of a request's head, its empty line included */
/* ANCHOR_END: includes */

/* ANCHOR: die */
static void die(int status, const char *what, int port, const char *advice) {
    fprintf(stderr, "01-blocking: %s %d: %s; %s\n", what, port, strerror(errno),
            advice);
    exit(status);
}
/* ANCHOR_END: die */

/* ANCHOR: socket */
static int listen_on(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int on = 1; /* or a restart would wait for the connections of the last run to age */
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 ||
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
        die(1, "no socket for port", port, "see socket(2)");
    if (bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, SOMAXCONN) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        die(2, "can't listen on port", port, "choose another with --port N");
    printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    if (fflush(stdout) != 0) /* whoever reads it through a pipe waits for it */
        die(1, "can't say that it listens on port", port, "give it an output");
    return listener;
}
/* ANCHOR_END: socket */

/* ANCHOR: head */
/* Reads until the head's empty line. Returns 200, the status that refuses the head, or
 * 0 if the client left first. This is where one client holds up all the others. */
static int read_head(int client, char head[MOST_HEAD + 1]) {
    size_t length = 0;
    for (;;) {
        ssize_t n = read(client, head + length, MOST_HEAD - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        length += (size_t)n;
        head[length] = '\0';
        if (strlen(head) < length) /* a NUL byte: no text, perhaps a TLS handshake */
            return 400;
        if (strstr(head, "\r\n\r\n"))
            return 200;
        if (length == MOST_HEAD)
            return 431;
    }
}
/* ANCHOR_END: head */

/* ANCHOR: judge */
/* The status for a request line, "GET / HTTP/1.1", which it cuts into its words. The
 * head's fields go unread: one request a connection needs none of them. */
static int judge(char *line) {
    static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"; /* RFC 9110, 5.6.2 */
    *strstr(line, "\r\n") = '\0';
    char *target = line + strspn(line, token);
    if (target == line || *target != ' ')
        return 400;
    *target++ = '\0';
    char *version = strchr(target, ' ');
    if (!version || version == target)
        return 400;
    *version++ = '\0';
    if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
        return 400;
    if (strcmp(line, "GET") != 0 && strcmp(line, "HEAD") != 0)
        return 501;
    return strcmp(target, "/") == 0 ? 200 : 404;
}
/* ANCHOR_END: judge */

/* ANCHOR: answer */
static void answer(int client, int status, int without_body) {
    const char *reason = status == 200   ? "OK"
                         : status == 400 ? "Bad Request"
                         : status == 404 ? "Not Found"
                         : status == 431 ? "Request Header Fields Too Large"
                                         : "Not Implemented";
    const char *body = status == 200 ? "hello" : reason;
    char bytes[512];
    int length = snprintf(bytes, sizeof bytes,
                          "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\n"
                          "Content-Length: %zu\r\nConnection: close\r\n\r\n%s%s",
                          status, reason, strlen(body) + 1, without_body ? "" : body,
                          without_body ? "" : "\n");
    for (int sent = 0; sent < length;) { /* a write may take a part only */
        ssize_t n = write(client, bytes + sent, (size_t)(length - sent));
        if (n < 0 && errno != EINTR)
            return; /* the client has left; so does the answer */
        if (n > 0)
            sent += (int)n;
    }
}
/* ANCHOR_END: answer */

/* ANCHOR: farewell */
/* A close while the client's bytes lie unread resets the connection, and a reset can
 * overtake the answer (RFC 9112, 9.6). So say that no more comes, and read what the
 * client still sends until it closes too: eight reads at most, a second for each. */
static void farewell(int client, char scratch[MOST_HEAD + 1]) {
    struct timeval second = {.tv_sec = 1};
    if (shutdown(client, SHUT_WR) == 0 &&
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) == 0)
        for (int i = 0; i < 8 && read(client, scratch, MOST_HEAD) > 0; i++)
            ;
    close(client);
}
/* ANCHOR_END: farewell */

/* ANCHOR: serve */
static void serve(int client) {
    char head[MOST_HEAD + 1];
    int status = read_head(client, head);
    if (status != 0) {
        if (status == 200)
            status = judge(head);
        answer(client, status, strcmp(head, "HEAD") == 0);
    }
    farewell(client, head);
}
/* ANCHOR_END: serve */

/* ANCHOR: accept */
static void serve_all(int listener, int port) {
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client >= 0)
            serve(client);
        else if (errno == EINTR || errno == ECONNABORTED)
            continue; /* a signal came, or that client left while it was queued */
        else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK)
            die(1, "can't accept on port", port, "that is a defect of this program");
        else
            poll(NULL, 0, 100); /* no descriptors left, say (EMFILE): the client waits
                                   in the queue, and asking on would burn the CPU */
    }
}
/* ANCHOR_END: accept */

/* ANCHOR: stop */
/* Ends the process on the spot. Nothing is lost but an answer under way: no output is
 * buffered, no file half written, and the kernel closes the sockets. exit() isn't safe
 * in a handler, and a flag would be seen only when the next client comes, for read and
 * accept wait without looking at it. Chapter 02 makes signals something to wait for. */
static void on_stop(int number) {
    (void)number;
    _exit(0);
}
/* ANCHOR_END: stop */

/* ANCHOR: options */
static int port_from(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        puts(
            "Answers one client at a time.\n\n"
            "  --port N   the port of 127.0.0.1 to listen on, 0 for a free one (8080)\n"
            "  --help     this text");
        exit(0);
    }
    if (argc == 1)
        return 8080;
    char *end = NULL;
    long port = -1;
    if (argc == 3 && strcmp(argv[1], "--port") == 0 && isdigit((unsigned char)*argv[2]))
        port = strtol(argv[2], &end, 10);
    if (!end || *end || port < 0 || port > 65535) {
        fputs("01-blocking: the only option is --port N, with N from 0 to 65535\n",
              stderr);
        exit(2);
    }
    return (int)port;
}
/* ANCHOR_END: options */

/* ANCHOR: main */
int main(int argc, char **argv) {
    int port = port_from(argc, argv);
    signal(SIGINT, on_stop);
    signal(SIGTERM, on_stop);
    signal(SIGPIPE, SIG_IGN); /* a write to a client who left fails, and that is all */
    serve_all(listen_on(port), port);
}
/* ANCHOR_END: main */
