/* One connection without sockets or clocks: the test is network, loop and application
 * at once, and says when anything happens. */
#ifndef REQUEST_TEST_SUPPORT_CONN_H
#define REQUEST_TEST_SUPPORT_CONN_H

#include "03-request/conn.h"

enum { HEAD_S = 10, IDLE_S = 75, STALL_S = 30 }; /* the bench's timeouts */

struct bench {
    struct conn conn;
    struct http http;
    struct counters counters;
    uint64_t now;

    /* The client: what it has sent and the server hasn't read, how many bytes of output
     * it takes at each bench_move(), and what it has got. */
    char *unread;
    size_t unread_length;
    bool client_ended; /* and it sends no more after that */
    size_t takes;
    size_t held; /* what the system says that it holds, if somebody asks */
    char *got;   /* ends with a NUL */
    size_t got_length, got_capacity;
    int half_closes; /* how often it was told that nothing follows */

    /* The application: `begun` is called at each begin, unless NULL; without an answer
     * given there the exchange stays `open`. */
    void (*begun)(struct bench *bench, struct exchange *exchange);
    void (*has_body)(struct bench *bench, struct exchange *exchange);
    void (*has_room)(struct bench *bench, struct exchange *exchange);
    struct exchange *open;
    int begins, bodies, rooms, disconnects, readies;
};

/* A new connection at time 0, to a client who takes all output. */
void bench_open(struct bench *bench);
void bench_close(struct bench *bench);

/* What transport_move() does, with the bench for a socket: reads if it may, begins,
 * sends, tells; again if the application answers what it is told. A connection that
 * breaks a rule at any step, or would wait for nobody, fails the test. */
void bench_move(struct bench *bench);

/* The client sends bytes, or text, or no more at all; a move follows. */
void bench_feed(struct bench *bench, const char *bytes, size_t length);
void bench_says(struct bench *bench, const char *text);
void bench_ends(struct bench *bench);

/* The connection to the client breaks. */
void bench_breaks(struct bench *bench);

/* The application ends the open exchange by `body`; a move follows. */
void bench_answers(struct bench *bench, const char *body);

/* Time passes up to `seconds`; if the deadline lies there it comes. */
void bench_passes(struct bench *bench, double seconds);

/* The deadline is `seconds` after time 0. */
void bench_expect_deadline(const struct bench *bench, double seconds);

/* What the client got since the last time it was asked: a text that the caller compares
 * before the next move. */
const char *bench_got(struct bench *bench);

#endif
