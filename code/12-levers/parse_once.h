/* ANCHOR: top */
/* One walk over a head, with whatever steps over a target and a value. */
#ifndef LEVERS_PARSE_ONCE_H
#define LEVERS_PARSE_ONCE_H

#include "03-request/request.h"
#include "12-levers/skip.h"

/* The walk is written once, and compiled into its caller with the two functions that it
 * is given: a call through a pointer for each field would cost more than the field. */
#define COMPILED_IN static inline __attribute__((always_inline))
/* ANCHOR_END: top */

/* ANCHOR: token */
#define YES(c) [c] = true

/* is_token() as a table. */
static const bool token[256] = {
    YES('!'), YES('#'), YES('$'), YES('%'), YES('&'), YES('\''), YES('*'), YES('+'),
    YES('-'), YES('.'), YES('^'), YES('_'), YES('`'), YES('|'), YES('~'), YES('0'),
    YES('1'), YES('2'), YES('3'), YES('4'), YES('5'), YES('6'), YES('7'), YES('8'),
    YES('9'), YES('A'), YES('B'), YES('C'), YES('D'), YES('E'), YES('F'), YES('G'),
    YES('H'), YES('I'), YES('J'), YES('K'), YES('L'), YES('M'), YES('N'), YES('O'),
    YES('P'), YES('Q'), YES('R'), YES('S'), YES('T'), YES('U'), YES('V'), YES('W'),
    YES('X'), YES('Y'), YES('Z'), YES('a'), YES('b'), YES('c'), YES('d'), YES('e'),
    YES('f'), YES('g'), YES('h'), YES('i'), YES('j'), YES('k'), YES('l'), YES('m'),
    YES('n'), YES('o'), YES('p'), YES('q'), YES('r'), YES('s'), YES('t'), YES('u'),
    YES('v'), YES('w'), YES('x'), YES('y'), YES('z'),
};

static inline const char *skip_token(const char *at, const char *end) {
    while (at < end && token[(unsigned char)*at])
        at++;
    return at;
}
/* ANCHOR_END: token */

/* ANCHOR: line */
/* What a step of the walk returns where it can't go on: PARSE_PARTIAL if all bytes were
 * good so far, or this. Then the plain parser has the word. */
enum { ODD = PARSE_BAD };

static inline struct text text_between(const char *at, const char *end) {
    return (struct text){at, (size_t)(end - at)};
}

/* Takes "GET /path HTTP/1.1" and its line end; returns its length. */
COMPILED_IN int take_line(const char *bytes, const char *end, struct request *request,
                          skip_function *over_target) {
    const char *at = skip_token(bytes, end);
    if (at == end)
        return PARSE_PARTIAL;
    if (at == bytes || *at != ' ')
        return ODD;
    request->method = text_between(bytes, at);
    const char *target = at + 1;
    at = over_target(target, end);
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
/* Takes "Name: value" and its line end; returns its length. */
COMPILED_IN int take_field(const char *bytes, const char *end, struct field *field,
                           skip_function *over_value) {
    const char *at = skip_token(bytes, end);
    if (at == end)
        return PARSE_PARTIAL;
    if (at == bytes || *at != ':')
        return ODD;
    field->name = text_between(bytes, at);
    for (at++; at < end && is_space(*at); at++)
        ;
    const char *value = at;
    at = over_value(at, end);
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
/* The walk: the head's length, PARSE_PARTIAL or ODD. */
COMPILED_IN int parse_once(const char *bytes, size_t length, struct request *request,
                           skip_function *over_target, skip_function *over_value) {
    const char *end = bytes + length;
    int n = take_line(bytes, end, request, over_target);
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
        n = take_field(at, end, &request->fields[count++], over_value);
        if (n < 0)
            return n;
    }
    return ODD;
}
/* ANCHOR_END: once */

/* ANCHOR: rest */
/* Looks for the blank line in the bytes that are new. */
COMPILED_IN int find_end(const char *bytes, size_t length, size_t seen,
                         skip_function *over_value) {
    const char *end = bytes + length, *at = bytes + seen;
    if (at[-1] == '\r')
        at--; /* its LF may have come */
    while ((at = over_value(at, end)) < end) {
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

/* A head that comes in pieces is walked over once more when it is whole, and only new
 * bytes are looked at until then. Whatever isn't plainly good or plainly unfinished goes
 * to the plain parser, whose verdict is the verdict. */
COMPILED_IN int parse_with(const char *bytes, size_t length, size_t seen,
                           struct request *request, skip_function *over_target,
                           skip_function *over_value) {
    int result = seen > 0 ? find_end(bytes, length, seen, over_value) : 0;
    if (result >= 0)
        result = parse_once(bytes, length, request, over_target, over_value);
    return result == ODD ? parse_plain(bytes, length, seen, request) : result;
}

#endif
/* ANCHOR_END: rest */
