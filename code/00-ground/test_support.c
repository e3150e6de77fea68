/* The half of test_support.h that starts and ends programs. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "00-ground/clock.h"
#include "00-ground/descriptor.h"
#include "00-ground/test_support.h"

enum { MOST_ARGUMENTS = 24 };

static rlim_t descriptors; /* 0: as many as the test itself */

void program_descriptors(unsigned most) {
    descriptors = most;
}

enum { MOST_OPTIONS = 4 };
static const char *options[MOST_OPTIONS]; /* for every server */
static size_t option_count;

void program_option(const char *option) {
    cr_assert(option_count < MOST_OPTIONS);
    options[option_count++] = option;
}

static bool keeps_errors;

void program_keep_errors(void) {
    keeps_errors = true;
}

static bool drains;

void program_drains(void) {
    drains = keeps_errors = true;
}

bool program_ended_well(const struct program *program) {
    const char *said = drains ? strstr(program->errors, " answered, ") : NULL;
    if (program->status == 1)
        return said && strncmp(said, " answered, 0 cut", 16) != 0;
    return program->status == 0;
}

/* In the child: becomes the program, or exits 127. */
static void become(char **arguments, pid_t parent, int out, int err) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) /* the test died before it could be heard of */
        _exit(127);
    if (dup2(out, STDOUT_FILENO) < 0 || (err >= 0 && dup2(err, STDERR_FILENO) < 0))
        _exit(127);
    const struct rlimit limit = {.rlim_cur = descriptors, .rlim_max = descriptors};
    if (descriptors && setrlimit(RLIMIT_NOFILE, &limit) != 0)
        _exit(127);
    signal(SIGPIPE, SIG_DFL); /* ignoring it is the program's own task */
    execv(arguments[0], arguments);
    perror(arguments[0]);
    _exit(127);
}

static void launch(struct program *program, char **arguments, bool keep_errors) {
    int out[2], err[2] = {-1, -1};
    descriptor_pipe(out);
    if (keep_errors)
        descriptor_pipe(err);
    pid_t parent = getpid();
    program->pid = fork();
    cr_assert(program->pid >= 0, "fork: %s", strerror(errno));
    if (program->pid == 0)
        become(arguments, parent, out[1], err[1]);
    close(out[1]);
    if (keep_errors)
        close(err[1]);
    program->out = out[0];
    program->err = err[0];
}

/* Waits for the end of a program whose output has ended: it is about to exit. */
static void reap(struct program *program) {
    uint64_t deadline = clock_now() + WAIT_MS * NS_PER_MS;
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(program->pid, &status, WNOHANG)) == 0) {
        if (clock_now() > deadline) {
            kill(program->pid, SIGKILL);
            waitpid(program->pid, &status, 0);
            cr_assert_fail("the program closed its output but didn't end");
        }
        poll(NULL, 0, 1); /* there is no descriptor that tells of its end everywhere */
    }
    cr_assert(ended == program->pid);
    program->pid = 0;
    close(program->out);
    if (program->err >= 0)
        close(program->err);
    cr_assert(WIFEXITED(status), "the program died of signal %d", WTERMSIG(status));
    program->status = WEXITSTATUS(status);
}

static char port_option[] = "--port", any_free_port[] = "0";

/* The argument vector for program `name`, in `vector`; `path` holds its first
 * string. */
static void gather(char **vector, char *path, size_t size, const char *name,
                   bool any_port, va_list more) {
    const char *build = getenv("BUILD");
    int length = snprintf(path, size, "%s/%s", build ? build : "build", name);
    cr_assert(length > 0 && (size_t)length < size);
    size_t count = 0;
    vector[count++] = path;
    if (any_port) {
        vector[count++] = port_option;
        vector[count++] = any_free_port;
        for (size_t i = 0; i < option_count; i++)
            vector[count++] = (char *)options[i];
    }
    while ((vector[count] = va_arg(more, char *)))
        cr_assert(++count < MOST_ARGUMENTS);
}

void program_start(struct program *program, const char *name, ...) {
    char path[1024], line[256];
    char *vector[MOST_ARGUMENTS];
    va_list more;
    va_start(more, name);
    gather(vector, path, sizeof path, name, true, more);
    va_end(more);
    *program = (struct program){.err = -1};
    launch(program, vector, keeps_errors);
    read_until(program->out, "\n", line, sizeof line);
    cr_assert(sscanf(line, "listening on http://127.0.0.1:%d", &program->port) == 1,
              "the first line of %s is: %s", name, line);
}

/* The thread sanitizer's runtime takes a signal and runs the handler later; one that
 * comes just before a wait it keeps until that wait ends. So there we ask again. */
#ifdef __SANITIZE_THREAD__
enum { SIGTERMS = 60 };
#else
enum { SIGTERMS = 1 };
#endif

static bool ends_after_sigterm(const struct program *program) {
    for (int i = 0; i < SIGTERMS; i++) {
        cr_assert(kill(program->pid, SIGTERM) == 0);
        if (readable_within(program->out, WAIT_MS / SIGTERMS))
            return true;
    }
    return false;
}

/* Reads to the end, or as long as the program may take for it. */
static void read_rest(int fd, char *into, size_t size) {
    size_t length = 0;
    while (readable_within(fd, WAIT_MS)) {
        cr_assert(length < size - 1, "it printed too much");
        ssize_t n = read(fd, into + length, size - 1 - length);
        cr_assert(n >= 0);
        into[length += (size_t)n] = '\0';
        if (n == 0)
            return;
    }
    cr_assert_fail("the program doesn't end");
}

void program_wait(struct program *program) {
    read_rest(program->out, program->output, sizeof program->output);
    if (program->err >= 0)
        read_rest(program->err, program->errors, sizeof program->errors);
    reap(program);
}

void program_stop(struct program *program) {
    if (!ends_after_sigterm(program)) {
        kill(program->pid, SIGKILL);
        waitpid(program->pid, NULL, 0);
        cr_assert_fail("the program didn't end after SIGTERM");
    }
    program_wait(program);
}

/* kill() may return while a thread still runs, or wakes up to run once more. */
void program_halt(const struct program *program) {
    int status;
    cr_assert(kill(program->pid, SIGSTOP) == 0);
    cr_assert(waitpid(program->pid, &status, WUNTRACED) == program->pid &&
              WIFSTOPPED(status));
}

void program_resume(const struct program *program) {
    cr_assert(kill(program->pid, SIGCONT) == 0);
}

void program_run(struct program *program, const char *name, ...) {
    char path[1024];
    char *vector[MOST_ARGUMENTS];
    va_list more;
    va_start(more, name);
    gather(vector, path, sizeof path, name, false, more);
    va_end(more);
    *program = (struct program){.err = -1};
    launch(program, vector, true);
    read_to_end(program->out, program->output, sizeof program->output);
    read_to_end(program->err, program->errors, sizeof program->errors);
    reap(program);
}

int open_descriptors(void) {
    int count = 0;
    for (int fd = 0; fd < 4096; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

uint64_t json_number(const char *line, const char *name) {
    char key[64];
    uint64_t number = 0;
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(line, key);
    cr_assert(found, "there is no %s in: %s", key, line);
    cr_assert(sscanf(found + strlen(key), "%" SCNu64, &number) == 1,
              "%s isn't a number in: %s", key, line);
    return number;
}
