/* What a client sees of a server that is told to stop: a row for each order of events. */
#ifndef STEPPED_STOP_PROBE_H
#define STEPPED_STOP_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe {
    char *const *command;    /* NULL at its end */
    const char *slow_path;   /* answered after half a second or more; or NULL */
    const char *stream_path; /* never ends by itself; or NULL */
    uint64_t limit_ms;       /* a server has so long to stop */
};

/* From best to worst; a row has the worst that happened in it. */
enum probe_verdict {
    PROBE_SKIPPED,
    PROBE_OK,
    PROBE_FAILED, /* no request was lost, but the server ended as by a fault, or a pooled
                    * client wasn't told of the end just once */
    PROBE_DROPPED, /* a request was sent in time and not answered */
    PROBE_HUNG,    /* the server didn't stop in time */
};

struct probe_row {
    const char *name;
    char saw[96]; /* in words; for PROBE_SKIPPED the reason */
    enum probe_verdict verdict;
    bool ended;     /* before the limit; else the next two say nothing */
    double seconds; /* from SIGTERM to the end of the last process of the group */
    int status;     /* of the process that was started, as waitpid(2) has it */
};

enum probe_case {
    IN_FLIGHT,     /* a slow request is read, not answered */
    TWO_IN_FLIGHT, /* on two connections */
    UNREAD_BYTES,  /* a request lies in an accepted connection */
    BACKLOG,       /* one lies in a connection that isn't accepted */
    IDLE_RACE,     /* one lies in a connection that was idle */
    SILENT,        /* a client that never says anything */
    POOLED,        /* one that asks and asks on the same connection */
    STREAM,        /* an answer without an end */
    SECOND_SIGNAL, /* SIGTERM again, with a slow request in flight */
    START_UP,      /* SIGTERM before the server is ready */
    PROBE_CASES
};

/* Plays `which` with a fresh server, which is gone afterwards. Call
 * keeper_start() before. Dies of usage if the server doesn't start. */
void probe_play(const struct probe *probe, enum probe_case which,
                struct probe_row *row);

/* Print a row, or all, as lines of a table and as JSON. */
void probe_print_head(void);
void probe_print_row(const struct probe_row *row);
void probe_print_json(const struct probe_row *rows, size_t count);

#endif
