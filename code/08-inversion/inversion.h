/* The inversion: one thread. The executor watches the native loop's own descriptor, and
 * the native loop's pass is one of the executor's callbacks. */
#ifndef INVERSION_INVERSION_H
#define INVERSION_INVERSION_H

#include <stdbool.h>

#include "04-pass/pass.h"
#include "05-executor/alarm.h"
#include "05-executor/executor.h"
#include "05-executor/soon.h"

struct inversion {
    const struct executor *executor;
    const struct application *application;
    const struct stopper *stopper;
    struct outbox *outbox;
    struct soon soon;
    struct alarm alarm;   /* the native loop's deadlines: it has no clock of its own */
    bool pass_scheduled;  /* by call_soon, and not run yet */
    bool stopping, ended; /* the stopper was called; it has called done */
    struct loop_state loop;
};

/* Serves `application`, which runs on `executor`, until SIGINT or SIGTERM. Its answers
 * come back by `outbox`, which is empty. Everything passed in has to outlive the
 * inversion. Dies if the options ask for what can't be had, such as a backend that has
 * no descriptor to watch. */
void inversion_run(struct inversion *inversion, const struct server_options *options,
                   const struct executor *executor,
                   const struct application *application, const struct stopper *stopper,
                   struct outbox *outbox);

#endif
