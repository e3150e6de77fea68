/* The half of stop_probe_server.h that sends signals, and makes certain that they have
 * come. */
#include "11-stepped/stop_probe_server.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "11-stepped/stop_probe_keeper.h"

#ifdef __linux__
/* Whether the thread behind this stat file is of `group` and runs, or might: stat's
 * third word is its state, its fifth the group (proc_pid_stat(5)). */
static bool may_run(const char *path, pid_t group) {
    char text[512];
    FILE *file = fopen(path, "re");
    if (!file)
        return false; /* it has ended meanwhile */
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *behind_name = strrchr(text, ')');
    char state;
    int of;
    return behind_name && sscanf(behind_name, ") %c %*d %d", &state, &of) == 2 &&
           of == group && !strchr("TtZX", state);
}

static bool is_halted(pid_t group) {
    glob_t found;
    bool halted = true;
    if (glob("/proc/[0-9]*/task/[0-9]*/stat", GLOB_NOSORT, NULL, &found) != 0)
        return true;
    for (size_t i = 0; i < found.gl_pathc && halted; i++)
        halted = !may_run(found.gl_pathv[i], group);
    globfree(&found);
    return halted;
}
#endif

void server_halt(const struct probe_server *server) {
    kill(-server->pid, SIGSTOP);
#ifdef __linux__
    uint64_t deadline = clock_now() + START_MS * NS_PER_MS;
    while (!is_halted(server->pid) && clock_now() < deadline)
        nap_ms(1);
#else
    nap_ms(50);
#endif
}

void server_resume(const struct probe_server *server) {
    kill(-server->pid, SIGCONT);
}

void server_terminate(const struct probe_server *server) {
    if (!server->leader_ended) /* its number may be another's by now */
        kill(server->pid, SIGTERM);
}

#ifdef __linux__
/* Pending signals are a mask in hexadecimal, SIGTERM bit 14 of it (proc_pid_status(5)). */
static bool has_pending(pid_t pid) {
    char path[64], line[256];
    unsigned long long mask = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "ShdPnd: %llx", &mask) == 1)
            break;
    fclose(file);
    return mask >> (SIGTERM - 1) & 1;
}
#endif

void server_await_taken(const struct probe_server *server) {
#ifdef __linux__
    uint64_t deadline = clock_now() + START_MS * NS_PER_MS;
    while (has_pending(server->pid) && clock_now() < deadline)
        nap_ms(1);
#else
    (void)server;
    nap_ms(50);
#endif
}

void server_check(struct probe_server *server) {
    char output[65536];
    int status;
    pid_t pid;
    if (server->out >= 0 &&
        server->port != 0) /* unread, it would make the server wait */
        (void)!read(server->out, output, sizeof output);
    while (!server->ended && (pid = waitpid(-server->pid, &status, WNOHANG)) > 0)
        if (pid == server->pid) {
            server->leader_ended = true;
            server->status = status;
        }
    if (server->leader_ended && !server->ended && kill(-server->pid, 0) != 0) {
        server->ended = true;
        server->ended_at = clock_now();
    }
}

void server_end(struct probe_server *server) {
    uint64_t deadline = clock_now() + START_MS * NS_PER_MS;
    server_check(server);
    if (!server->ended)
        kill(-server->pid, SIGKILL);
    while (!server->ended && clock_now() < deadline) {
        nap_ms(1);
        server_check(server);
    }
    keeper_tell(0);
    if (server->out >= 0)
        close(server->out);
}
