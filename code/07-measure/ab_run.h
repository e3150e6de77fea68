/* One server, started fresh, under one client. */
#ifndef MEASURE_AB_RUN_H
#define MEASURE_AB_RUN_H

#include "07-measure/ab.h"
#include "07-measure/ab_child.h"

/* Starts the arm's command with `--port 0` after it and reads its first line, which says
 * where it listens. The port, or -1 with the reason in `why` and no child left. */
int ab_server_start(struct child *server, const struct ab_arm *arm, char why[AB_WHY]);

/* Ends it with SIGTERM. False with the reason in `why` if it doesn't end, or ends with
 * an error; no child is left. */
bool ab_server_stop(struct child *server, const struct ab_arm *arm, char why[AB_WHY]);

/* A fresh server of `arm`; the client warms it up, then measures it, and only this
 * second part, with its connecting, is in the numbers. An answer that was no success fails the run. False with
 * the reason in `why` and, on standard error, what the children said; no child left. */
bool ab_run(const struct ab_settings *settings, int arm, struct ab_run *run,
            char why[AB_WHY]);

#endif
