/* ANCHOR: top */
/* A request's head, taken apart, and the parser's place. */
#ifndef REQUEST_REQUEST_H
#define REQUEST_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "03-request/body.h"
#include "03-request/text.h"

enum {
    HEAD_MOST = 16384,  /* bytes of a head */
    TARGET_MOST = 8192, /* bytes of its target */
    FIELDS_MOST = 100,
};

struct field {
    struct text name, value; /* the value without the white space around it */
};

/* Every text points into the bytes that were parsed, or to bytes that last. */
struct request {
    struct text method, target;
    struct text path, query; /* of the target; request_demands() finds them. The query:
                              * what follows '?', without it */
    int major, minor;        /* of the HTTP version */
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

/* Finds path and query in the target, which has one of the forms of RFC 9112, section
 * 3.2. False if it has none that goes with the method. */
bool request_split_target(struct request *request);

/* The value of a Host field, or an authority without user information: a host and
 * perhaps a port (RFC 3986, section 3.2). */
bool text_is_host(struct text text);
/* ANCHOR_END: rest */

/* ANCHOR: demands */
/* What a well-formed head asks of the connection. */
struct demands {
    int refuse_with; /* a status: the request can't be served; 0: it can */
    bool keep_alive; /* the client lets the connection stay open (RFC 9112, 9.3) */
    bool head_only;  /* the method is HEAD: the answer has no body */
    bool expects_continue; /* the client waits for a word before it sends the body */
    enum body_kind body;
    uint64_t length; /* of a body of the kind BODY_LENGTH */
};

/* Reads what the fields mean, and splits the target. Refuses with 400 a contradiction, a
 * missing Host or a target without form; 413 a body that says it is larger than
 * BODY_MOST; 414 a target larger than TARGET_MOST; 417 an expectation nobody knows; 501
 * a method or a coding nobody knows, and CONNECT; 505 a version other than 1. */
struct demands request_demands(struct request *request);

#endif
/* ANCHOR_END: demands */
