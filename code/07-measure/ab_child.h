/* Children: programs that we start, listen to, and never leave behind. */
#ifndef MEASURE_AB_CHILD_H
#define MEASURE_AB_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "07-measure/ab_place.h"

/* What came on one of its streams. What has no room any more is read and dropped, so
 * that no child waits for us. */
struct child_stream {
    int fd; /* -1 once it has ended */
    size_t length;
    char text[8192]; /* NUL at the end */
};

struct child {
    pid_t pid; /* 0 once it has ended */
    struct child_stream out, err;
    int status; /* as of waitpid(2), once it has ended */
};

/* From now on SIGINT and SIGTERM end the program while it waits for a child, and however
 * the program ends, its children end before it. Call once. */
void children_guard(void);

/* Starts `command`, split at spaces, with the words of `more` (NULL at their end) after
 * it, in a process group of its own. Dies if there is no process to be had; a command
 * that can't be run says so on its `err` and exits 127. */
void child_start(struct child *child, const char *command, const char *const *more,
                 enum place_role role);

/* Waits until a whole line came on `out`: true; false if it ended before, or after `ms`
 * milliseconds. */
bool child_line(struct child *child, uint64_t ms);

/* Waits for its end, at most `ms` milliseconds; kills whatever it left behind. */
bool child_ended(struct child *child, uint64_t ms);

/* SIGKILL to it and to whatever it started, unless that left its process group. Nothing
 * if it has ended. */
void child_kill(struct child *child);

/* Microseconds of CPU that the process itself has used so far, by its own clock
 * (clock_getcpuclockid(3)); NAN where the system has no such clock. Linux brings it up
 * to date when the process goes to sleep, and at every tick of the scheduler while it
 * runs: exact for a server whose client has left. */
double child_cpu_us(const struct child *child);

#endif
