/* ANCHOR: top */
/* The head of an answer: its status line and fields (RFC 9112, sections 4 and 5). */
#ifndef REQUEST_HEAD_H
#define REQUEST_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "03-request/request.h"

/* The length of a body that nobody knows beforehand. */
#define LENGTH_UNKNOWN UINT64_MAX
/* ANCHOR_END: top */

/* ANCHOR: head */
struct head {
    int status;                 /* 200 to 599 */
    const struct field *fields; /* the application's, `count` of them */
    int count;
    uint64_t length; /* of the body, or LENGTH_UNKNOWN */
    bool keep_alive; /* the connection stays open */
    bool http10;     /* the client is one of HTTP/1.0 */
    bool date;       /* with a Date field */
};

/* Answers with such a status have no body, whatever the application gives (RFC 9110,
 * sections 15.3.5 and 15.4.5). */
bool status_has_body(int status);

/* Writes the head into `output`, `room` bytes of it; returns how many it took. 0 with
 * errno: EINVAL for a status or a field that can't be sent, EMSGSIZE if it doesn't fit.
 * A field's name has to be a token, its value free of control characters (a CR LF in it
 * would let whoever chose the value write fields of his own), and it can't be one of
 * those that say how the connection goes on, for these are ours: Connection,
 * Content-Length, Date, Transfer-Encoding. */
size_t head_write(const struct head *head, char *output, size_t room);

/* The reason phrase of a status; empty for one that is not in use here, as RFC 9112,
 * section 4, allows. */
const char *status_reason(int status);

#endif
/* ANCHOR_END: head */
