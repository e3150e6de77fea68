/* A foreign server as a process group: started, halted, told to stop, watched. */
#ifndef STEPPED_STOP_PROBE_SERVER_H
#define STEPPED_STOP_PROBE_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probe_server {
    pid_t pid;         /* the process that we started, and the number of its group */
    int port;          /* of 127.0.0.1; 0: it has yet to say */
    int out;           /* its standard output, if its first line says the port; or -1 */
    bool leader_ended; /* the process that we started has ended, with this status */
    int status;        /* as waitpid(2) has it */
    bool ended;        /* and so has the last process of its group, at this time */
    uint64_t ended_at;
};

enum {
    START_MS = 10000, /* a server has so long to start */
};

/* Starts `command`, a word or more with NULL at the end, in a process group of its own,
 * every {port} in it replaced by a free port; returns when it is executed, and no sooner.
 * It reads nothing and its output isn't shown. Dies of usage if there is no such program. */
void server_launch(struct probe_server *server, char *const *command);

/* Waits until it answers GET /. Dies of usage, with one line, if it doesn't. */
void server_await(struct probe_server *server);

/* Halts every process and thread of its group, and returns when none runs any more
 * (where the system can't say so, 50 ms later). What is done until server_resume() it
 * finds all at once. */
void server_halt(const struct probe_server *server);
void server_resume(const struct probe_server *server);

/* SIGTERM to the process that we started, as a supervisor sends it. */
void server_terminate(const struct probe_server *server);

/* Waits until it has taken that signal (where the system can't say so, 50 ms). */
void server_await_taken(const struct probe_server *server);

/* Looks, without waiting, who of the group has ended. */
void server_check(struct probe_server *server);

/* Ends what is left of the group by SIGKILL. */
void server_end(struct probe_server *server);

/* Sleeps, and looks at no descriptor. */
void nap_ms(int ms);

#endif
