#include "03-request/text.h"

#include <string.h>

#include "03-request/characters.h"

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

struct text text_next(struct text *rest, char separator) {
    const char *end = memchr(rest->at, separator, rest->length);
    struct text piece = {rest->at, end ? (size_t)(end - rest->at) : rest->length};
    size_t taken = piece.length + (end ? 1 : 0);
    rest->at += taken;
    rest->length -= taken;
    return piece;
}

struct text text_trim(struct text text) {
    while (text.length && is_space(text.at[0])) {
        text.at++;
        text.length--;
    }
    while (text.length && is_space(text.at[text.length - 1]))
        text.length--;
    return text;
}

bool text_lists(struct text list, const char *literal) {
    while (list.length)
        if (text_is_any_case(text_trim(text_next(&list, ',')), literal))
            return true;
    return false;
}

bool text_is_token(struct text text) {
    for (size_t i = 0; i < text.length; i++)
        if (!is_token(text.at[i]))
            return false;
    return text.length > 0;
}

bool text_is_field_value(struct text text) {
    for (size_t i = 0; i < text.length; i++)
        if (is_control(text.at[i]))
            return false;
    return text_trim(text).length == text.length;
}

bool text_number(struct text text, uint64_t most, uint64_t *number) {
    uint64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (!is_digit(text.at[i]))
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
        struct text rest = text_next(&query, '&');
        if (text_is(text_next(&rest, '='), name)) {
            *value = rest;
            return true;
        }
    }
    return false;
}
