/* ANCHOR: init */
#include "05-executor/soon.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "00-ground/error.h"

void soon_init(struct soon *soon, const struct executor *executor,
               const struct application *application, struct counters *counters) {
    soon->executor = executor;
    soon->application = application;
    soon->counters = counters;
}
/* ANCHOR_END: init */

/* ANCHOR: soon */
static void run(void *argument) {
    const struct soon_visit *visit = argument;
    const struct soon *soon = visit->soon;
    if (soon->application)
        notice_deliver(visit->notice, visit->exchange, soon->application,
                       soon->counters);
}

void soon_deliver(struct soon *soon, struct notice notice, struct exchange *exchange) {
    struct soon_visit *visit = &soon->visits[notice.slot][notice.kind];
    *visit = (struct soon_visit){soon, exchange, notice};
    if (soon->executor->call_soon(soon->executor->self, run, visit) != 0)
        die("can't schedule a callback: %s", strerror(errno));
}

void soon_close(struct soon *soon) {
    soon->application = NULL;
}
/* ANCHOR_END: soon */
