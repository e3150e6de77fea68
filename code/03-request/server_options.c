#include "03-request/server_options.h"

#include <errno.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "00-ground/trace.h"

void server_options_rows(struct server_options *options, struct option_row *rows) {
    enum { DAY_MS = 86400000 };
    *options = (struct server_options){
        .host = "127.0.0.1",
        .port = 8080,
        .head_timeout_ms = 10000,
        .idle_timeout_ms = 75000,
        .stall_timeout_ms = 30000,
        .parse = parse_plain,
    };
    const struct option_row all[SERVER_OPTIONS] = {
        {"--host", OPTION_TEXT, &options->host, 0, 0, "address to listen on"},
        {"--port", OPTION_NUMBER, &options->port, 0, 65535, "port; 0 picks a free one"},
        {"--backend", OPTION_TEXT, &options->backend, 0, 0, "epoll, kqueue or poll"},
        {"--head-timeout-ms", OPTION_NUMBER, &options->head_timeout_ms, 1, DAY_MS,
         "for a head, from its first byte"},
        {"--idle-timeout-ms", OPTION_NUMBER, &options->idle_timeout_ms, 1, DAY_MS,
         "between two requests"},
        {"--stall-timeout-ms", OPTION_NUMBER, &options->stall_timeout_ms, 1, DAY_MS,
         "for a client that stops reading, or sending a body"},
        {"--no-date-header", OPTION_FLAG, &options->no_date_header, 0, 0,
         "leave Date out of the answers"},
        {"--stats", OPTION_FLAG, &options->stats, 0, 0,
         "print what was counted, at exit"},
        {"--trace", OPTION_TEXT, &options->trace, 0, 0,
         "write Chrome trace events there"},
    };
    memcpy(rows, all, sizeof all);
}

struct http server_http(const struct server_options *options,
                        struct counters *counters) {
    return (struct http){
        .parse = options->parse,
        .date = !options->no_date_header,
        .head_timeout = options->head_timeout_ms * NS_PER_MS,
        .idle_timeout = options->idle_timeout_ms * NS_PER_MS,
        .stall_timeout = options->stall_timeout_ms * NS_PER_MS,
        .counters = counters,
    };
}

void server_trace(const struct server_options *options, const char *thread) {
    if (!options->trace)
        return;
    if (trace_open(options->trace) != 0)
        die_of_usage("--trace %s: %s", options->trace, strerror(errno));
    trace_thread(thread);
}

void server_report(const struct server_options *options,
                   const struct counters *counters, uint64_t began) {
    if (options->stats)
        stats_print(counters, began);
    if (trace_close() != 0)
        die("can't write %s: %s", options->trace, strerror(errno));
}
