/* The options that every server from here on takes. */
#ifndef REQUEST_SERVER_OPTIONS_H
#define REQUEST_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "00-ground/options.h"
#include "03-request/conn.h"

struct server_options {
    const char *host;
    uint64_t port;
    const char *backend; /* NULL: the system's best */
    uint64_t head_timeout_ms, idle_timeout_ms, stall_timeout_ms;
    bool no_date_header;
    bool stats;
    const char *trace; /* a file's path, or NULL */
    parse_function *parse;
};

enum { SERVER_OPTIONS = 9 };

/* Sets the defaults and fills `rows` (SERVER_OPTIONS of them) for options_read(). */
void server_options_rows(struct server_options *options, struct option_row *rows);

/* What the options say of HTTP. */
struct http server_http(const struct server_options *options,
                        struct counters *counters);

/* Opens the trace if there is to be one; names the calling thread in it. Dies if the
 * file can't be made. */
void server_trace(const struct server_options *options, const char *thread);

/* The end of a server: writes the trace and prints the stats, if that was asked for.
 * `began`: clock_now() at the start. */
void server_report(const struct server_options *options,
                   const struct counters *counters, uint64_t began);

#endif
