/* Tells a server the stories of http.tsv and some slow clients', each over a connection
 * of its own, and prints a line for each: what came back, and how the connection ended.
 * Two servers that behave alike make two equal texts (row F3).
 *     stories PORT all <code/03-request/http.tsv
 *     stories PORT once <code/03-request/http.tsv      each row once, for strace */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "00-ground/error.h"

enum {
    STORY_MOST = 4096,
    BODY = 1000000,     /* of the slow readers */
    MUCH_TOO_MUCH = 16, /* such bodies: more than all buffers on the way hold */
    SHOWN = 60,     /* bytes of an answer that are printed; all of them are summed */
    END_MS = 1500,  /* for the server to go on; its own time limits are shorter */
    PAUSE_US = 100, /* between two pieces, so that the server reads them one by one */
};

#define LAST "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

static int port;

/* --- one connection -------------------------------------------------------------------- */

struct told {
    int fd;
    uint64_t sum; /* FNV-1a of all that came back */
    size_t length, shown;
    unsigned char start[SHOWN];
    const char *end; /* NULL while it hasn't ended */
};

static struct told begin(int receive_room) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct told told = {.sum = 14695981039346656037ULL};
    struct timeval patience = {.tv_sec = END_MS / 1000 + 1}; /* of a write */
    int one = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    told.fd = socket(AF_INET, SOCK_STREAM, 0);
    if (told.fd < 0)
        die("can't make a socket: %s", strerror(errno));
    if (receive_room > 0)
        setsockopt(told.fd, SOL_SOCKET, SO_RCVBUF, &receive_room, sizeof receive_room);
    setsockopt(told.fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(told.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(told.fd, (struct sockaddr *)&to, sizeof to) != 0)
        die("can't connect: %s", strerror(errno));
    return told;
}

static void nap(long us) {
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* In pieces of so many bytes. A server that has refused them needn't read on, and one
 * that hangs won't. */
static void tell(struct told *told, const char *bytes, size_t length, size_t piece) {
    for (size_t done = 0; done < length;) {
        size_t size = length - done < piece ? length - done : piece;
        ssize_t n = write(told->fd, bytes + done, size);
        if (n < 0)
            return;
        done += (size_t)n;
        if (piece < length)
            nap(PAUSE_US);
    }
}

/* Reads until the end, or until so many bytes have come, at most `at_once` at a time. */
static void hear(struct told *told, size_t most, size_t at_once) {
    static unsigned char bytes[65536];
    while (!told->end && told->length < most) {
        struct pollfd ready = {.fd = told->fd, .events = POLLIN};
        if (poll(&ready, 1, END_MS) <= 0) {
            told->end = "open";
            return;
        }
        size_t room = sizeof bytes, left = most - told->length;
        room = left < room ? left : room;
        ssize_t n = read(told->fd, bytes, at_once < room ? at_once : room);
        if (n <= 0)
            told->end = n == 0 ? "closed" : errno == ECONNRESET ? "reset" : "broken";
        for (ssize_t i = 0; i < n; i++) {
            told->sum = (told->sum ^ bytes[i]) * 1099511628211ULL;
            if (told->shown < SHOWN)
                told->start[told->shown++] = bytes[i];
        }
        told->length += n > 0 ? (size_t)n : 0;
    }
}

static void finish(struct told *told, const char *name, const char *way) {
    close(told->fd);
    printf("%s, %s: %zu bytes, sum %016llx, %s: ", name, way, told->length,
           (unsigned long long)told->sum, told->end ? told->end : "left");
    for (size_t i = 0; i < told->shown; i++)
        putchar(told->start[i] < ' ' || told->start[i] > '~' ? '.' : told->start[i]);
    putchar('\n');
}

/* --- the rows, told in several ways ----------------------------------------------------- */

/* Once, and the client sends no more. */
static void tell_once(const char *name, const char *story, size_t length) {
    struct told told = begin(0);
    tell(&told, story, length, length);
    shutdown(told.fd, SHUT_WR);
    hear(&told, SIZE_MAX, SIZE_MAX);
    finish(&told, name, "once");
}

/* So many times over one connection and in pieces of so many bytes, then a request that
 * says it is the last. */
static void tell_on(const char *name, const char *story, size_t length, int times,
                    size_t piece, const char *way) {
    static char all[(size_t)3 * STORY_MOST + sizeof LAST];
    size_t size = 0;
    for (int i = 0; i < times; i++, size += length)
        memcpy(all + size, story, length);
    memcpy(all + size, LAST, sizeof LAST - 1);
    struct told told = begin(0);
    tell(&told, all, size + sizeof LAST - 1, piece);
    hear(&told, SIZE_MAX, SIZE_MAX);
    finish(&told, name, way);
}

static char unescaped(const char **at) {
    char c = *(*at)++;
    if (c != '\\')
        return c;
    c = *(*at)++;
    if (c != 'x')
        return c == 'r'   ? '\r'
               : c == 'n' ? '\n'
               : c == 't' ? '\t'
               : c == '0' ? '\0'
                          : c;
    char hex[3] = {(*at)[0], (*at)[0] ? (*at)[1] : '\0', '\0'};
    *at += strlen(hex);
    return (char)strtol(hex, NULL, 16);
}

static int tell_rows(int all) {
    static char line[STORY_MOST], story[STORY_MOST];
    int rows = 0;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        char *name = strtok(line, "\t");
        if (!name || *name == '#' || !strtok(NULL, "\t"))
            continue;
        const char *text = strtok(NULL, "");
        size_t length = 0;
        if (!text)
            die("row %s has no bytes", name);
        while (*text)
            story[length++] = unescaped(&text);
        rows++;
        tell_once(name, story, length);
        if (!all)
            continue;
        tell_on(name, story, length, 1, SIZE_MAX, "and one more");
        tell_on(name, story, length, 3, SIZE_MAX, "three at once");
        tell_on(name, story, length, 1, length / 2 + 1, "in halves");
        tell_on(name, story, length, 3, 7, "three by seven bytes");
        tell_on(name, story, length, 1, 1, "byte by byte");
    }
    return rows;
}

/* --- slow clients ----------------------------------------------------------------------- */

/* Sends so many bodies, and reads nothing meanwhile. */
static struct told ask_for_much(int times) {
    static char body[BODY];
    static const char head[] = "POST /echo HTTP/1.1\r\nHost: a\r\n"
                               "Content-Length: 1000000\r\n\r\n";
    struct told told = begin(4096);
    for (size_t i = 0; i < BODY; i++)
        body[i] = (char)('a' + i % 23);
    for (int i = 0; i < times; i++) {
        tell(&told, head, sizeof head - 1, SIZE_MAX);
        tell(&told, body, BODY, SIZE_MAX);
    }
    tell(&told, LAST, sizeof LAST - 1, SIZE_MAX);
    return told;
}

static void tell_slow_readers(void) {
    struct told told = ask_for_much(1);
    hear(&told, SIZE_MAX, 1000);
    finish(&told, "much", "and read it by a thousand bytes");

    told = ask_for_much(1);
    hear(&told, BODY / 10, 1000);
    finish(&told, "much", "and leave in the middle"); /* a reset: bytes lie unread */

    told = ask_for_much(MUCH_TOO_MUCH); /* goes on when the server has had enough */
    struct told rest = {.fd = told.fd};
    hear(&rest, SIZE_MAX, SIZE_MAX); /* how much the kernel still holds is its affair */
    told.end = rest.length < (size_t)BODY * MUCH_TOO_MUCH ? rest.end : "whole";
    finish(&told, "much too much", "and read nothing");
}

/* These stop sending, and the server ends it. */
static void tell_unfinished(void) {
    static const struct {
        const char *name, *story;
    } rows[] = {
        {"nothing", ""},
        {"half a head", "GET / HTTP/1.1\r\nHo"},
        {"half a body",
         "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhal"},
        {"idle", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told told = begin(0);
        tell(&told, rows[i].story, strlen(rows[i].story), SIZE_MAX);
        hear(&told, SIZE_MAX, SIZE_MAX);
        finish(&told, rows[i].name, "and wait");
        tell_once(rows[i].name, rows[i].story, strlen(rows[i].story));
    }
}

int main(int argc, char **argv) {
    if (argc != 3 || (strcmp(argv[2], "all") != 0 && strcmp(argv[2], "once") != 0))
        die_of_usage("stories PORT all|once <http.tsv");
    int all = strcmp(argv[2], "all") == 0;
    port = atoi(argv[1]);
    signal(SIGPIPE, SIG_IGN);
    if (tell_rows(all) == 0)
        die("there was no story");
    if (all) {
        tell_slow_readers();
        tell_unfinished();
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
