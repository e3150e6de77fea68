#include "11-stepped/stress_hogs.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "00-ground/error.h"

void stress_hogs_start(pid_t *hogs, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        hogs[i] = fork();
        if (hogs[i] < 0)
            die("can't start a process: %s", strerror(errno));
        if (hogs[i] == 0) {
            alarm(HOG_LIMIT_S); /* whatever becomes of us: SIGALRM ends it */
            for (volatile unsigned turns = 0;; turns++)
                ;
        }
    }
}

void stress_hogs_end(const pid_t *hogs, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        kill(hogs[i], SIGKILL);
        waitpid(hogs[i], NULL, 0);
    }
}
