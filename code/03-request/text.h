/* A piece of somebody else's bytes: not ended by a NUL, not owned, not changed. */
#ifndef REQUEST_TEXT_H
#define REQUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
    const char *at;
    size_t length;
};

/* The text of a literal, which ends with a NUL. */
static inline struct text text_of(const char *literal) {
    return (struct text){literal, strlen(literal)};
}

/* The same bytes? `literal` ends with a NUL. */
bool text_is(struct text text, const char *literal);

/* The same, where upper and lower case of ASCII letters count as equal. */
bool text_is_any_case(struct text text, const char *literal);

/* Is `literal` one of the words of a list with commas? (RFC 9110, section 5.6.1) */
bool text_lists(struct text list, const char *literal);

/* The first piece of `*rest`, up to `separator`; both are taken off it. */
struct text text_next(struct text *rest, char separator);

/* Without the spaces and tabs around it. */
struct text text_trim(struct text text);

/* One character or more, all of them those of a token (RFC 9110, section 5.6.2). */
bool text_is_token(struct text text);

/* What may be sent as a field's value: no control character but the tab, and no white
 * space around it (RFC 9110, section 5.5). */
bool text_is_field_value(struct text text);

/* Reads decimal digits and nothing else, at least one. False if that isn't what it is,
 * or if the number is larger than `most`. */
bool text_number(struct text text, uint64_t most, uint64_t *number);

/* The value of `name` in a query such as "ms=20&n=3": false if it isn't there. */
bool text_parameter(struct text query, const char *name, struct text *value);

#endif
