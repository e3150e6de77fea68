/* ANCHOR: includes */
#include "11-stepped/stop_probe_keeper.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "00-ground/descriptor.h"
#include "00-ground/error.h"

static int to_keeper =
    -1; /* its end, however it comes about, is what the keeper hears */
/* ANCHOR_END: includes */

/* ANCHOR: keep */
_Noreturn static void keep(int from) {
    pid_t group = 0, told;
    for (;;) {
        ssize_t n = read(from, &told, sizeof told);
        if (n == (ssize_t)sizeof told)
            group = told;
        else if (n >= 0 || errno != EINTR)
            break;
    }
    if (group > 0)
        kill(-group, SIGKILL);
    _exit(0);
}
/* ANCHOR_END: keep */

/* ANCHOR: start */
void keeper_start(void) {
    int ends[2];
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that we can wait for a server's orphans */
#endif
    descriptor_pipe(ends);
    pid_t pid = fork();
    if (pid < 0)
        die("can't start a process: %s", strerror(errno));
    if (pid == 0) {
        close(ends[1]);
        setpgid(0, 0); /* Ctrl-C is for the probe alone */
        keep(ends[0]);
    }
    close(ends[0]);
    to_keeper = ends[1];
}

void keeper_tell(pid_t group) {
    (void)!write(to_keeper, &group, sizeof group); /* so few bytes go whole: pipe(7) */
}
/* ANCHOR_END: start */
