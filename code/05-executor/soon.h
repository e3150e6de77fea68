/* Reaches an application through call_soon: never from inside the caller, always in the
 * executor's next iteration, in order. */
#ifndef EXECUTOR_SOON_H
#define EXECUTOR_SOON_H

#include "02-readiness/slots.h"
#include "04-pass/notice.h"
#include "05-executor/executor.h"

struct soon {
    const struct executor *executor;
    const struct application *application; /* NULL: hears nothing any more */
    struct counters *counters;             /* of the executor's thread */
    /* What call_soon hands back. A second notice of a kind takes the place of a first
     * that hasn't been delivered only if the first is stale: its exchange has ended,
     * and the begin of the next stands behind it in the executor's queue. When its turn
     * comes no exchange is with the application, and it is dropped whatever its tag. */
    struct soon_visit {
        struct soon *soon;
        struct exchange *exchange;
        struct notice notice;
    } visits[SLOTS][NOTICE_KINDS];
};

void soon_init(struct soon *soon, const struct executor *executor,
               const struct application *application, struct counters *counters);

/* Delivers `notice`, which is about `exchange`, in the next iteration. Dies when memory
 * runs out. */
void soon_deliver(struct soon *soon, struct notice notice, struct exchange *exchange);

/* Drops what hasn't been delivered: call it before the application's shutdown(). */
void soon_close(struct soon *soon);

#endif
