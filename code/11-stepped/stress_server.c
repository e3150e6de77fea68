#include "11-stepped/stress_server.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "00-ground/clock.h"
#include "00-ground/descriptor.h"
#include "00-ground/error.h"

/* Of us and the child; the child is to end when we do. */
static pid_t fork_bound(void) {
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        die("can't start a process: %s", strerror(errno));
#ifdef __linux__
    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (pid == 0 && getppid() != parent)
        _exit(127);
    return pid;
}

void stress_server_start(struct stress_server *server, char *const *command) {
    int out[2], err[2];
    descriptor_pipe(out);
    descriptor_pipe(err);
    *server = (struct stress_server){.out = out[0], .err = err[0]};
    server->pid = fork_bound();
    if (server->pid == 0) {
        signal(SIGPIPE, SIG_DFL); /* ignoring it is the server's own task */
        if (dup2(out[1], STDOUT_FILENO) >= 0 && dup2(err[1], STDERR_FILENO) >= 0)
            execvp(command[0], command);
        fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    close(out[1]);
    close(err[1]);
    char line[128] = "";
    for (size_t i = 0; i + 1 < sizeof line && !strchr(line, '\n'); i++)
        if (read(server->out, line + i, 1) != 1)
            break;
    if (sscanf(line, "listening on http://127.0.0.1:%d", &server->port) == 1)
        return;
    kill(server->pid, SIGKILL);
    ssize_t n = read(server->err, server->errors, sizeof server->errors - 1);
    die_of_usage("'listening on http://127.0.0.1:PORT' isn't the first line of %s, but "
                 "'%.*s'; it said: %.*s",
                 command[0], (int)strcspn(line, "\n"), line,
                 n > 0 ? (int)strcspn(server->errors, "\n") : 0, server->errors);
}

int stress_server_descriptors(const struct stress_server *server) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)server->pid);
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    int count = -2; /* "." and ".." */
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

long stress_server_kb(const struct stress_server *server) {
    char path[64];
    long pages = -1;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)server->pid);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = -1;
    if (file)
        fclose(file);
    return pages < 0 ? -1 : pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* To its end, and closes it. */
static void read_all(int fd, char *into, size_t size) {
    size_t length = 0;
    ssize_t n;
    while ((n = read(fd, into + length, size - 1 - length)) > 0)
        length += (size_t)n;
    into[length] = '\0';
    close(fd);
}

/* Its exit status; -1 after a fault. */
static int reap(struct stress_server *server, struct stress_round *round,
                uint64_t deadline) {
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(server->pid, &status, WNOHANG)) == 0 &&
           clock_now() < deadline)
        poll(NULL, 0, 1); /* there is no descriptor that tells of its end everywhere */
    if (ended == 0) {
        stress_fault(round, "the server still runs %" PRIu64 " ms after SIGTERM",
                     stress_ms(round->stop, clock_now()));
        kill(server->pid, SIGKILL);
        waitpid(server->pid, &status, 0);
    } else if (!WIFEXITED(status)) {
        stress_fault(round, "the server died of signal %d", WTERMSIG(status));
    }
    return ended != 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The number in front of `word` in what the server said ("2 cut"); 0 if it isn't
 * there. */
static uint64_t number_before(const char *text, const char *word) {
    const char *at = strstr(text, word);
    if (!at)
        return 0;
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return strtoull(at, NULL, 10);
}

static uint64_t number_after(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

void stress_server_await(struct stress_server *server, struct stress_round *round,
                         uint64_t deadline) {
    int status = reap(server, round, deadline);
    read_all(server->out, server->output, sizeof server->output);
    read_all(server->err, server->errors, sizeof server->errors);
    uint64_t cut = number_before(server->errors, " cut");
    uint64_t requests = number_after(server->output, "\"requests\":");
    uint64_t responses = number_after(server->output, "\"responses\":");
    if (status >= 0 && status != (round->cut > 0))
        stress_fault(round, "exit status %d, and %" PRIu64 " requests were cut: %s",
                     status, round->cut, server->errors);
    if (cut != round->cut)
        stress_fault(round, "%" PRIu64 " requests were cut, the server says %" PRIu64,
                     round->cut, cut);
    if (requests > responses + round->abandoned + cut)
        stress_fault(round,
                     "by its own count the server read %" PRIu64
                     " requests and answered %" PRIu64
                     ", but the clients left only %" PRIu64,
                     requests, responses, round->abandoned);
}
