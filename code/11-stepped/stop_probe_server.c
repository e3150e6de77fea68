#include "11-stepped/stop_probe_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/descriptor.h"
#include "00-ground/error.h"
#include "11-stepped/stop_probe_client.h"
#include "11-stepped/stop_probe_keeper.h"

enum { MOST_WORDS = 64 };

static int free_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        die("can't find a free port: %s", strerror(errno));
    close(fd);
    return ntohs(address.sin_port);
}

/* The command with the port in the place of each {port}, which is never shorter; `*port`
 * stays 0 if it has none. */
static void fill_in(char *const *command, char **words, int *port) {
    static const char mark[] = "{port}";
    size_t count = 0;
    do {
        if (count + 1 == MOST_WORDS)
            die_of_usage("the command has more than %d words", MOST_WORDS - 1);
        char *at = words[count] = strdup(command[count]), digits[sizeof mark];
        if (!at)
            die("out of memory");
        while ((at = strstr(at, mark))) {
            if (*port == 0)
                *port = free_port();
            size_t length = (size_t)snprintf(digits, sizeof digits, "%d", *port);
            const char *rest = at + sizeof mark - 1;
            memmove(at + length, rest, strlen(rest) + 1);
            memcpy(at, digits, length);
        }
    } while (command[++count]);
    words[count] = NULL;
}

/* In the child: becomes the server, or says through `trouble` why it can't. The keeper
 * hears of it before there is a server. */
_Noreturn static void become(char **words, int out, int trouble) {
    int nothing = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    keeper_tell(getpid());
    signal(SIGPIPE, SIG_DFL);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(out >= 0 ? out : nothing, STDOUT_FILENO) >= 0 &&
        dup2(nothing, STDERR_FILENO) >= 0) {
        if (nothing > STDERR_FILENO)
            close(nothing);
        execvp(words[0], words);
    }
    int error = errno;
    (void)!write(trouble, &error, sizeof error);
    _exit(127);
}

void server_launch(struct probe_server *server, char *const *command) {
    char *words[MOST_WORDS];
    int trouble[2], out[2] = {-1, -1}, error;
    *server = (struct probe_server){.out = -1};
    fill_in(command, words, &server->port);
    descriptor_pipe(trouble);
    if (server->port == 0)
        descriptor_pipe(out);
    server->pid = fork();
    if (server->pid < 0)
        die("can't start a process: %s", strerror(errno));
    if (server->pid == 0)
        become(words, out[1], trouble[1]);
    setpgid(server->pid, server->pid); /* whoever of us two comes first */
    close(trouble[1]);
    if (out[1] >= 0)
        close(out[1]);
    if (out[0] >= 0 && descriptor_prepare(out[0]) == 0)
        server->out = out[0];
    if (read(trouble[0], &error, sizeof error) == (ssize_t)sizeof error)
        die_of_usage("can't run %s: %s", command[0], strerror(error));
    close(trouble[0]); /* its end without a word is the exec */
    for (char **word = words; *word; word++)
        free(*word);
}

void nap_ms(int ms) {
    poll(NULL, 0, ms);
}

static void die_unless_running(struct probe_server *server, uint64_t deadline) {
    server_check(server);
    if (server->leader_ended)
        die_of_usage("the server ended before it answered; try the command by itself");
    if (clock_now() > deadline)
        die_of_usage("the server doesn't answer GET / after %d s; is {port} in its "
                     "command, or its port in its first line?",
                     START_MS / 1000);
}

/* Reads the server's first line, without what it says after it. */
static void read_port(struct probe_server *server, uint64_t deadline) {
    char line[256] = "";
    for (size_t length = 0; length + 1 < sizeof line && !strchr(line, '\n');) {
        ssize_t n = read(server->out, line + length, 1);
        if (n == 1)
            length++;
        else {
            die_unless_running(server, deadline);
            nap_ms(1);
        }
    }
    if (sscanf(line, "listening on http://127.0.0.1:%5d", &server->port) != 1 ||
        server->port < 1 || server->port > 65535)
        die_of_usage(
            "the command has no {port}, and its first line isn't 'listening on "
            "http://127.0.0.1:PORT'");
}

void server_await(struct probe_server *server) {
    uint64_t deadline = clock_now() + START_MS * NS_PER_MS;
    bool answers = false;
    if (server->port == 0)
        read_port(server, deadline);
    while (!answers) {
        struct probe_client client;
        client_open(&client, server->port, START_MS);
        client_ask(&client, "/");
        while (client.saw == SAW_NOTHING) {
            client_look(&client);
            die_unless_running(server, deadline);
            if (client.saw == SAW_NOTHING)
                nap_ms(1);
        }
        answers = client.saw == SAW_ANSWER;
        client_close(&client);
        if (!answers) {
            die_unless_running(server, deadline);
            nap_ms(1);
        }
    }
}
