/* The two topologies by their names, for servers that can have either. */
#ifndef TRAPS_TOPOLOGY_H
#define TRAPS_TOPOLOGY_H

#include "03-request/server_options.h"
#include "04-pass/pass.h"
#include "05-executor/executor.h"

enum topology { PUMP, INVERSION };

/* The row of --topology. Hand what it has read to topology_named(), which dies of any
 * other name than "pump" and "inversion". */
struct option_row topology_option(const char **name);
enum topology topology_named(const char *name);

/* Serves `application` on `executor` until it is told to stop, and `stopper` is done;
 * answers come back by `outbox`. Everything passed in has to outlive the call. Returns
 * what was counted; call it once. */
const struct counters *topology_run(enum topology topology,
                                    const struct server_options *options,
                                    const struct executor *executor,
                                    const struct application *application,
                                    const struct stopper *stopper,
                                    struct outbox *outbox);

/* The native loop that topology_run() will turn, or has turned. */
struct loop_state *topology_loop(enum topology topology);

#endif
