/* How a server ends, seen by its clients. Starts the PROGRAM with its arguments and
 * --port 0, asks, sends SIGTERM, and waits for the exit.
 *
 *     ending answer SIGNAL_MS MS[,MS...] PROGRAM...   one client for each /slow?ms=MS
 *     ending rolling ROUNDS PROGRAM...                8 clients who ask again and again
 *     ending gone PID                                 SIGTERM to PID, and waits
 *
 * `answer` prints one line of JSON: when each answer had come, in s from its sending (null:
 * none came), how long after the last of them the process was gone and how long after the
 * signal, in ms, the CPU that it used from the signal on, in ms, and its exit status.
 * `rolling` prints how many rounds were whole: every request that the server counts was
 * answered, every answer that it counts was read, none of them half, and exit status 0. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"

enum { CLIENTS = 8, ARGUMENTS = 24, LONGEST_MS = 30000 };

struct server {
    pid_t pid;
    int port;
    FILE *output;
};

static struct server start(char **command) {
    int ends[2], count = 0;
    char line[128], zero[] = "0", port[] = "--port", *arguments[ARGUMENTS + 3];
    struct server server;
    if (pipe(ends) != 0)
        die("pipe: %s", strerror(errno));
    while (command[count] && count < ARGUMENTS) {
        arguments[count] = command[count];
        count++;
    }
    arguments[count] = port;
    arguments[count + 1] = zero;
    arguments[count + 2] = NULL;
    server.pid = fork();
    if (server.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(arguments[0], arguments);
        _exit(127);
    }
    close(ends[1]);
    server.output = fdopen(ends[0], "r");
    if (server.pid < 0 || !server.output || !fgets(line, sizeof line, server.output) ||
        sscanf(line, "listening on http://127.0.0.1:%d", &server.port) != 1)
        die("%s doesn't start", command[0]);
    return server;
}

static int connect_to(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval longest = {.tv_sec = LONGEST_MS / 1000};
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest) != 0)
        die("can't connect: %s", strerror(errno));
    return fd;
}

static void ask(int fd, const char *target) {
    char text[128];
    int n = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", target);
    send(fd, text, (size_t)n, MSG_NOSIGNAL); /* if it fails, so does the reading */
}

enum got { WHOLE, NOTHING, HALF };

/* Reads one answer with a Content-Length. */
static enum got read_answer(int fd) {
    char text[1024];
    size_t length = 0, wanted = sizeof text - 1;
    bool head = false;
    while (length < wanted) {
        ssize_t n = recv(fd, text + length, wanted - length, 0);
        if (n <= 0)
            return length > 0 ? HALF : NOTHING;
        length += (size_t)n;
        text[length] = '\0';
        const char *end = strstr(text, "\r\n\r\n"),
                   *size = strstr(text, "Content-Length: ");
        if (!head && end && size) {
            head = true;
            wanted = (size_t)(end + 4 - text) + strtoul(size + 16, NULL, 10);
        }
    }
    return head ? WHOLE : HALF;
}

static void pause_ms(int ms) {
    poll(NULL, 0, ms);
}

static double ms_between(uint64_t from, uint64_t to) {
    return (double)(to - from) / (double)NS_PER_MS;
}

/* ns of CPU that the process has used so far: clock_getcpuclockid(3). Where there is none
 * it is 0, and the CPU is that from the start on. */
static uint64_t cpu_of(pid_t pid) {
#ifdef __linux__
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        die("can't read the CPU clock of %d", (int)pid);
    return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
#else
    (void)pid;
    return 0;
#endif
}

static uint64_t ns_of(struct timeval time) {
    return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * NS_PER_US;
}

static void answer(int signal_ms, const char *list, char **command) {
    int fds[CLIENTS], count = 0, status;
    double took[CLIENTS];
    uint64_t last = 0;
    struct rusage used;
    struct server server = start(command);
    uint64_t sent = clock_now();
    for (const char *at = list; at && count < CLIENTS; at = strchr(at, ',')) {
        char target[64];
        at += *at == ',';
        snprintf(target, sizeof target, "/slow?ms=%d", atoi(at));
        ask(fds[count++] = connect_to(server.port), target);
    }
    pause_ms(signal_ms);
    uint64_t before = cpu_of(server.pid), signalled = clock_now();
    kill(server.pid, SIGTERM);
    for (int i = 0; i < count; i++) {
        enum got got = read_answer(fds[i]);
        last = clock_now();
        took[i] = got == WHOLE ? ms_between(sent, last) / 1000 : -1;
        close(fds[i]);
    }
    if (wait4(server.pid, &status, 0, &used) != server.pid)
        die("wait4: %s", strerror(errno));
    uint64_t end = clock_now();
    printf("{\"answered\": [");
    for (int i = 0; i < count; i++)
        took[i] < 0 ? printf("%snull", i ? ", " : "")
                    : printf("%s%.4f", i ? ", " : "", took[i]);
    printf("], \"gone_ms\": %.3f, \"stop_ms\": %.3f, \"cpu_ms\": %.3f, "
           "\"status\": %d}\n",
           ms_between(last, end), ms_between(signalled, end),
           ms_between(before, ns_of(used.ru_utime) + ns_of(used.ru_stime)),
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* What the server counts, from its line of --stats; -1: it said nothing of it. */
struct counted {
    long requests, responses;
};

static long number_after(const char *line, const char *word, long otherwise) {
    const char *at = strstr(line, word);
    return at ? strtol(at + strlen(word), NULL, 10) : otherwise;
}

static struct counted counted(FILE *output) {
    char line[1024];
    struct counted counted = {-1, -1};
    while (fgets(line, sizeof line, output)) {
        counted.requests = number_after(line, "\"requests\":", counted.requests);
        counted.responses = number_after(line, "\"responses\":", counted.responses);
    }
    return counted;
}

static bool is_whole(int round, char **command) {
    int fds[CLIENTS], open = CLIENTS, status;
    long answers = 0, halves = 0;
    struct server server = start(command);
    for (int i = 0; i < CLIENTS; i++)
        fds[i] = connect_to(server.port);
    for (int turn = 0; open > 0; turn++) {
        if (turn == round % 50)
            kill(server.pid, SIGTERM);
        for (int i = 0; i < CLIENTS; i++)
            if (fds[i] >= 0)
                ask(fds[i], "/fanout?n=3");
        for (int i = 0; i < CLIENTS; i++) {
            enum got got = fds[i] >= 0 ? read_answer(fds[i]) : NOTHING;
            answers += got == WHOLE;
            halves += got == HALF;
            if (fds[i] < 0 || got == WHOLE)
                continue;
            close(fds[i]);
            fds[i] = -1;
            open--;
        }
    }
    struct counted said = counted(server.output);
    fclose(server.output);
    waitpid(server.pid, &status, 0);
    bool whole = answers == said.responses && said.requests == said.responses &&
                 halves == 0 && status == 0;
    if (!whole)
        fprintf(stderr,
                "round %d: %ld requests, %ld answered, %ld of them read, %ld half, "
                "status %d\n",
                round, said.requests, said.responses, answers, halves, status);
    return whole;
}

/* The process isn't our child, and may stay a zombie for a while: pidfd_open(2). */
static int gone(pid_t pid) {
#ifdef __linux__
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);
    if (handle < 0 || kill(pid, SIGTERM) != 0)
        die("process %d: %s", (int)pid, strerror(errno));
    struct pollfd wait = {.fd = handle, .events = POLLIN};
    return poll(&wait, 1, LONGEST_MS) == 1 ? 0 : 1;
#else
    kill(pid, SIGTERM);
    for (int i = 0; i < LONGEST_MS && kill(pid, 0) == 0; i++)
        pause_ms(1);
    return 0;
#endif
}

int main(int argc, char **argv) {
    program_named(argv[0]);
    if (argc > 4 && strcmp(argv[1], "answer") == 0)
        answer(atoi(argv[2]), argv[3], argv + 4);
    else if (argc > 3 && strcmp(argv[1], "rolling") == 0) {
        int whole = 0;
        for (int round = 0; round < atoi(argv[2]); round++)
            whole += is_whole(round, argv + 3);
        printf("%d\n", whole);
    } else if (argc == 3 && strcmp(argv[1], "gone") == 0)
        return gone(atoi(argv[2]));
    else
        die_of_usage("answer, rolling or gone; its first comment says more");
    return 0;
}
