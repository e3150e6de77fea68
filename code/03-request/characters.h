/* Kinds of characters: a request's head, a chunk's size and a trailer share them. */
#ifndef REQUEST_CHARACTERS_H
#define REQUEST_CHARACTERS_H

#include <stdbool.h>
#include <string.h>

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* RFC 9110, section 5.6.2: the characters of a method and of a field's name. */
static inline bool is_token(char c) {
    return is_digit(c) || is_letter(c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

/* Nowhere in a line: control characters other than the tab, and the ends of lines. */
static inline bool is_control(char c) {
    return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

static inline bool is_space(char c) {
    return c == ' ' || c == '\t';
}

#endif
