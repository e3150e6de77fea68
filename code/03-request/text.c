#include "03-request/text.h"

#include <string.h>

bool text_is(struct text text, const char *literal) {
    return text.length == strlen(literal) && !memcmp(text.at, literal, text.length);
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool text_is_any_case(struct text text, const char *literal) {
    if (text.length != strlen(literal))
        return false;
    for (size_t i = 0; i < text.length; i++)
        if (lower(text.at[i]) != lower(literal[i]))
            return false;
    return true;
}

/* The bytes of `*rest` up to `separator`, which are taken off `*rest`. */
static struct text next_piece(struct text *rest, char separator) {
    const char *end = memchr(rest->at, separator, rest->length);
    struct text piece = {rest->at, end ? (size_t)(end - rest->at) : rest->length};
    size_t taken = piece.length + (end ? 1 : 0);
    rest->at += taken;
    rest->length -= taken;
    return piece;
}

static struct text trim(struct text text) {
    while (text.length && (text.at[0] == ' ' || text.at[0] == '\t')) {
        text.at++;
        text.length--;
    }
    while (text.length &&
           (text.at[text.length - 1] == ' ' || text.at[text.length - 1] == '\t'))
        text.length--;
    return text;
}

bool text_lists(struct text list, const char *literal) {
    while (list.length)
        if (text_is_any_case(trim(next_piece(&list, ',')), literal))
            return true;
    return false;
}

bool text_number(struct text text, uint64_t most, uint64_t *number) {
    uint64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text.at[i] - '0');
        if (digit > most || value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return text.length > 0;
}

bool text_parameter(struct text query, const char *name, struct text *value) {
    while (query.length) {
        struct text rest = next_piece(&query, '&');
        if (text_is(next_piece(&rest, '='), name)) {
            *value = rest;
            return true;
        }
    }
    return false;
}
