/* The pump: the native loop on a thread of its own, the executor on the caller's; a
 * submit channel one way, an outbox the other, and a bell for each of the two. */
#ifndef PUMP_PUMP_H
#define PUMP_PUMP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "04-pass/pass.h"
#include "05-executor/executor.h"
#include "05-executor/soon.h"
#include "06-pump/bell.h"
#include "06-pump/channel.h"

/* How the two threads wake each other, and what they exclude each other by. */
struct pump_options {
    enum wake_kind wake;
    bool every_wake;         /* also while a wake is pending */
    const struct gate *gate; /* at the native loop's wait; NULL for none */
};

struct pump {
    const struct executor *executor;
    const struct application *application;
    const struct stopper *stopper;
    pthread_t thread; /* the native loop's */
    struct channel submits;
    struct outbox *outbox;
    struct bell to_executor, to_loop;
    _Atomic bool stopping;    /* the native loop's thread has seen the signal */
    _Atomic bool stopped;     /* it makes no more passes */
    bool told;                /* the application has heard that we are stopping */
    struct counters counters; /* of the executor's thread */
    struct soon soon;
    struct loop_state loop; /* of the native loop's thread, while that runs */
};

/* Serves `application`, which runs on `executor`, until SIGINT or SIGTERM. Its answers
 * come back by `outbox`, which is empty. Everything passed in has to outlive the pump.
 * With a gate in `own`, the executor has the same one
 * and the caller has entered it. Nobody else may stop the executor meanwhile: the pump
 * would wait for its thread. Dies if the options ask for what can't be had. */
void pump_run(struct pump *pump, const struct server_options *options,
              const struct pump_options *own, const struct executor *executor,
              const struct application *application, const struct stopper *stopper,
              struct outbox *outbox);

#endif
