/* ANCHOR: top */
/* One walk over a head, with whatever steps over its bytes. */
#ifndef LEVERS_PARSE_ONCE_H
#define LEVERS_PARSE_ONCE_H

#include "03-request/request.h"
#include "12-levers/skip.h"

/* The walk is written once. It is compiled into each caller, together with the
 * functions that the caller names: a call through a pointer would cost more than many a
 * field. */
#define COMPILED_IN static inline __attribute__((always_inline))

/* Where the walk can't go on it returns PARSE_PARTIAL, if all bytes were good so far,
 * or this. */
enum { ODD = PARSE_BAD };
/* ANCHOR_END: top */

/* ANCHOR: line */
static inline struct text text_between(const char *at, const char *end) {
    return (struct text){at, (size_t)(end - at)};
}

/* "GET /path HTTP/1.1" and its line end. */
COMPILED_IN int walk_line(const char *bytes, const char *end, struct request *request,
                          const struct skips *over) {
    const char *at = over->token(bytes, end);
    if (at == end)
        return PARSE_PARTIAL;
    if (at == bytes || *at != ' ')
        return ODD;
    request->method = text_between(bytes, at);
    const char *target = at + 1;
    at = over->target(target, end);
    if (at == end)
        return PARSE_PARTIAL;
    if (at == target || *at != ' ')
        return ODD;
    request->target = text_between(target, at);
    const char *version = at + 1;
    if (end - version < 10 || memcmp(version, "HTTP/", 5) != 0 ||
        !is_digit(version[5]) || version[6] != '.' || !is_digit(version[7]) ||
        version[8] != '\r' || version[9] != '\n')
        return ODD;
    request->major = version[5] - '0';
    request->minor = version[7] - '0';
    return (int)(version + 10 - bytes);
}
/* ANCHOR_END: line */

/* ANCHOR: field */
/* "Name: value" and its line end; returns its length. */
COMPILED_IN int walk_field(const char *bytes, const char *end, struct field *field,
                           const struct skips *over) {
    const char *at = over->token(bytes, end);
    if (at == end)
        return PARSE_PARTIAL;
    if (at == bytes || *at != ':')
        return ODD;
    field->name = text_between(bytes, at);
    do
        at++;
    while (at < end && is_space(*at));
    const char *value = at;
    at = over->value(at, end);
    if (end - at < 2)
        return at == end || *at == '\r' ? PARSE_PARTIAL : ODD;
    if (at[0] != '\r' || at[1] != '\n')
        return ODD;
    const char *value_end = at;
    while (value_end > value && is_space(value_end[-1]))
        value_end--;
    field->value = text_between(value, value_end);
    return (int)(at + 2 - bytes);
}
/* ANCHOR_END: field */

/* ANCHOR: once */
/* The walk: returns the head's length, PARSE_PARTIAL or ODD. */
COMPILED_IN int walk(const char *bytes, size_t length, struct request *request,
                     const struct skips *over) {
    const char *end = bytes + length;
    int n = walk_line(bytes, end, request, over);
    if (n < 0)
        return n;
    const char *at = bytes + n;
    for (int count = 0; end - at >= 2; at += n) {
        if (*at == '\r') {
            request->field_count = count;
            return at[1] == '\n' ? (int)(at + 2 - bytes) : ODD;
        }
        if (count == FIELDS_MOST)
            return ODD;
        n = walk_field(at, end, &request->fields[count++], over);
        if (n < 0)
            return n;
    }
    return at == end ? PARSE_PARTIAL : ODD;
}
/* ANCHOR_END: once */

/* ANCHOR: end */
/* Looks for the blank line in the bytes that are new; returns as walk() does. */
COMPILED_IN int find_end(const char *bytes, size_t length, size_t seen,
                         const struct skips *over) {
    const char *end = bytes + length, *at = bytes + seen;
    if (seen > 0 && at[-1] == '\r')
        at--; /* its LF may have come */
    while ((at = over->value(at, end)) < end) {
        if (*at != '\r')
            return ODD;
        if (end - at < 2)
            return PARSE_PARTIAL;
        if (at[1] != '\n')
            return ODD;
        if (at - bytes >= 2 && at[-1] == '\n')
            return (int)(at + 2 - bytes);
        at += 2;
    }
    return PARSE_PARTIAL;
}
/* ANCHOR_END: end */

/* ANCHOR: with */
/* What comes in one piece is walked over once. Of what comes in more, each new piece is
 * searched for the end, and when that is there, the walk is made. */
COMPILED_IN int parse_with(const char *bytes, size_t length, size_t seen,
                           struct request *request, const struct skips *over) {
    int result = seen > 0 ? find_end(bytes, length, seen, over) : 0;
    if (result >= 0)
        result = walk(bytes, length, request, over);
    return result == ODD ? parse_plain(bytes, length, seen, request) : result;
}

#endif
/* ANCHOR_END: with */
