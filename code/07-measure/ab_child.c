#include "07-measure/ab_child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "00-ground/clock.h"
#include "00-ground/descriptor.h"
#include "00-ground/error.h"
#include "00-ground/signals.h"

enum {
    CHILDREN = 2,  /* at a time: a server and its client */
    LOOK_AGAIN = 2 /* ms: no descriptor tells of a process's end everywhere */
};

static struct child *alive[CHILDREN];
static int signals = -1;

static void kill_all(void) {
    for (int i = 0; i < CHILDREN; i++)
        if (alive[i])
            child_kill(alive[i]);
}

void children_guard(void) {
    signals = signals_open();
    if (signals < 0)
        die("can't catch signals: %s", strerror(errno));
    atexit(kill_all);
}

/* --- Start --------------------------------------------------------------------------- */

/* Takes `command` apart; the words of `more` follow. */
static char **words_of(char *command, const char *const *more) {
    size_t room = strlen(command) / 2 + 2, count = 0;
    for (int i = 0; more[i]; i++)
        room++;
    char **words = calloc(room, sizeof *words), *rest;
    for (char *word = strtok_r(command, " ", &rest); words && word;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    while (words && *more)
        words[count++] = (char *)*more++;
    return words;
}

/* In the child: becomes the program, or says why not. It has nothing to read, for what
 * is on our standard input isn't meant for it. */
static _Noreturn void become(char *command, const char *const *more,
                             enum place_role role, int out, int err, pid_t parent) {
    char **words = words_of(command, more);
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* should ab itself be killed */
#endif
    if (getppid() != parent || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        _exit(127);
    signal(SIGPIPE, SIG_DFL); /* ignoring it was our own affair */
    if (!place_enter(role))
        perror("can't be placed on its CPUs");
    else if (words && words[0] && execvp(words[0], words) != 0)
        perror(words[0]);
    _exit(127);
}

static void make_pipe(struct child_stream *stream, int *write_end) {
    int ends[2];
    descriptor_pipe(ends);
    if (descriptor_prepare(ends[0]) != 0)
        die("can't prepare a pipe: %s", strerror(errno));
    stream->fd = ends[0];
    stream->length = 0;
    stream->text[0] = '\0';
    *write_end = ends[1];
}

void child_start(struct child *child, const char *command, const char *const *more,
                 enum place_role role) {
    int out, err, place = 0;
    char *copy = strdup(command);
    make_pipe(&child->out, &out);
    make_pipe(&child->err, &err);
    while (place < CHILDREN && alive[place])
        place++;
    pid_t parent = getpid();
    child->pid = copy && place < CHILDREN ? fork() : -1;
    if (child->pid < 0)
        die("can't start %s: %s", command, strerror(errno));
    if (child->pid == 0)
        become(copy, more, role, out, err, parent);
    alive[place] = child;
    setpgid(child->pid, child->pid); /* whoever of the two comes first */
    close(out);
    close(err);
    free(copy);
}

/* --- Wait ---------------------------------------------------------------------------- */

static void read_stream(struct child_stream *stream) {
    char bytes[4096];
    ssize_t n = stream->fd < 0 ? -1 : read(stream->fd, bytes, sizeof bytes);
    if (n > 0) {
        size_t room = sizeof stream->text - 1 - stream->length;
        size_t take = (size_t)n < room ? (size_t)n : room;
        memcpy(stream->text + stream->length, bytes, take);
        stream->length += take;
        stream->text[stream->length] = '\0';
    } else if (stream->fd >= 0 && (n == 0 || (errno != EAGAIN && errno != EINTR))) {
        close(stream->fd);
        stream->fd = -1;
    }
}

/* Reads what all children say, for at most `ms` milliseconds or until something came. */
static void listen_to_all(int ms) {
    struct pollfd polls[1 + 2 * CHILDREN] = {{.fd = signals, .events = POLLIN}};
    struct child_stream *streams[1 + 2 * CHILDREN] = {NULL};
    nfds_t count = 1;
    for (int i = 0; i < CHILDREN; i++) {
        for (int k = 0; alive[i] && k < 2; k++) {
            streams[count] = k ? &alive[i]->err : &alive[i]->out;
            polls[count].events = POLLIN;
            polls[count].fd = streams[count]->fd; /* poll(2) passes over -1 */
            count++;
        }
    }
    if (poll(polls, count, ms) <= 0)
        return;
    if (polls[0].revents)
        die("stopped by a signal; with --record, the same command goes on from here");
    for (nfds_t i = 1; i < count; i++)
        if (polls[i].revents)
            read_stream(streams[i]);
}

bool child_line(struct child *child, uint64_t ms) {
    uint64_t deadline = clock_now() + ms * NS_PER_MS;
    while (!strchr(child->out.text, '\n')) {
        int left = clock_wait_ms(deadline, clock_now());
        if (left == 0 || child->out.fd < 0)
            return false;
        listen_to_all(left);
    }
    return true;
}

/* Takes it off the list. As long as we haven't waited for it, its id, and so its group's,
 * is nobody else's. */
static void bury(struct child *child) {
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < CHILDREN; i++)
        if (alive[i] == child)
            alive[i] = NULL;
    for (int k = 0; k < 2; k++) {
        struct child_stream *stream = k ? &child->err : &child->out;
        for (size_t before = SIZE_MAX; stream->fd >= 0 && before != stream->length;) {
            before = stream->length; /* its last words */
            read_stream(stream);
        }
        if (stream->fd >= 0)
            close(stream->fd);
        stream->fd = -1;
    }
    child->pid = 0;
}

static bool has_ended(const struct child *child) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
}

bool child_ended(struct child *child, uint64_t ms) {
    uint64_t deadline = clock_now() + ms * NS_PER_MS;
    while (child->pid != 0 && !has_ended(child)) {
        if (clock_now() > deadline)
            return false;
        listen_to_all(LOOK_AGAIN);
    }
    if (child->pid != 0)
        bury(child);
    return true;
}

void child_kill(struct child *child) {
    if (child->pid == 0)
        return;
    kill(child->pid, SIGKILL);
    bury(child);
}

#ifdef __APPLE__
double child_cpu_us(const struct child *child) {
    (void)child;
    return NAN;
}
#else
double child_cpu_us(const struct child *child) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(child->pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return NAN;
    return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}
#endif
