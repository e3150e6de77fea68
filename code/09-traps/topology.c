#include "09-traps/topology.h"

#include <string.h>

#include "00-ground/error.h"
#include "06-pump/pump.h"
#include "08-inversion/inversion.h"

/* One of them runs; what isn't touched takes no memory. */
static struct pump pump;
static struct inversion inversion;

struct option_row topology_option(const char **name) {
    *name = "inversion";
    return (struct option_row){"--topology",       OPTION_TEXT, name, 0, 0,
                               "pump or inversion"};
}

enum topology topology_named(const char *name) {
    if (strcmp(name, "pump") != 0 && strcmp(name, "inversion") != 0)
        die_of_usage("--topology %s: it is pump or inversion", name);
    return strcmp(name, "pump") == 0 ? PUMP : INVERSION;
}

const struct counters *topology_run(enum topology topology,
                                    const struct server_options *options,
                                    const struct executor *executor,
                                    const struct application *application,
                                    const struct stopper *stopper,
                                    struct outbox *outbox) {
    if (topology == INVERSION) {
        inversion_run(&inversion, options, executor, application, stopper, outbox);
        return &inversion.loop.counters;
    }
    const struct pump_options own = {.wake = wake_kind_named(NULL)};
    pump_run(&pump, options, &own, executor, application, stopper, outbox);
    counters_add(&pump.counters, &pump.loop.counters);
    return &pump.counters;
}

struct loop_state *topology_loop(enum topology topology) {
    return topology == INVERSION ? &inversion.loop : &pump.loop;
}
