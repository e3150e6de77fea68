/* A piece of somebody else's bytes: not ended by a NUL, not owned, not changed. */
#ifndef REQUEST_TEXT_H
#define REQUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    const char *at;
    size_t length;
};

/* The same bytes? `literal` ends with a NUL. */
bool text_is(struct text text, const char *literal);

/* The same, where upper and lower case of ASCII letters count as equal. */
bool text_is_any_case(struct text text, const char *literal);

/* Is `literal` one of the words of a list with commas? (RFC 9110, section 5.6.1) */
bool text_lists(struct text list, const char *literal);

/* Reads decimal digits and nothing else, at least one. False if that isn't what it is,
 * or if the number is larger than `most`. */
bool text_number(struct text text, uint64_t most, uint64_t *number);

/* The value of `name` in a query such as "ms=20&n=3": false if it isn't there. */
bool text_parameter(struct text query, const char *name, struct text *value);

#endif
