/* ANCHOR: top */
/* A request's head, taken apart, and the parser's place. */
#ifndef REQUEST_REQUEST_H
#define REQUEST_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "03-request/text.h"

enum {
    HEAD_MOST = 16384, /* bytes of a head */
    FIELDS_MOST = 100,
};

struct field {
    struct text name, value; /* the value without the white space around it */
};

/* Every text points into the bytes that were parsed. */
struct request {
    struct text method;
    struct text target, path, query; /* query: what follows '?', without it */
    int major, minor;                /* of the HTTP version */
    int field_count;
    struct field fields[FIELDS_MOST];
};
/* ANCHOR_END: top */

/* ANCHOR: parse */
enum {
    PARSE_PARTIAL = -1, /* so far so good: more bytes are needed */
    PARSE_BAD = -2,     /* no bytes that could follow would make it a head */
    PARSE_TOO_MANY = -3 /* more than FIELDS_MOST fields */
};

/* A parser takes the head at `bytes`, of which it has found the first `seen` to be
 * partial before, and returns the head's length with its blank line, or one of the
 * above. It says whether the bytes have the form of a head (RFC 9112, sections 2 to 5),
 * strictly: lines end with CR LF, nothing is folded, nothing is guessed. `request` is
 * filled when it returns a length, else its contents mean nothing. */
typedef int parse_function(const char *bytes, size_t length, size_t seen,
                           struct request *request);
/* ANCHOR_END: parse */

/* ANCHOR: rest */
/* The plain parser: finds the blank line, then takes the lines apart one by one. */
int parse_plain(const char *bytes, size_t length, size_t seen, struct request *request);

/* What a well-formed head asks of the connection. */
struct demands {
    int refuse_with; /* a status: the request can't be served; 0: it can */
    bool keep_alive; /* the client lets the connection stay open (RFC 9112, 9.3) */
    bool head_only;  /* the method is HEAD: the answer has no body */
};

/* Reads what the fields mean: 400 for a contradiction or a missing Host, 405 for a
 * method that isn't served here, 501 for one nobody knows and for a request with a
 * body. */
struct demands request_demands(const struct request *request);

#endif
/* ANCHOR_END: rest */
