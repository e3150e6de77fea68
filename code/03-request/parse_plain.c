/* ANCHOR: characters */
#include "03-request/request.h"

#include <string.h>

#include "03-request/characters.h"
/* ANCHOR_END: characters */

/* ANCHOR: head_length */
/* Finds the blank line. Looks only at bytes not seen before, so that a head that comes
 * byte by byte costs no more than one that comes whole. */
static int head_length(const char *bytes, size_t length, size_t seen) {
    for (size_t i = seen; i < length; i++) {
        char before = i > 0 ? bytes[i - 1] : '\0';
        if (before == '\r' && bytes[i] != '\n')
            return PARSE_BAD; /* a CR alone */
        if (bytes[i] == '\n') {
            if (before != '\r')
                return PARSE_BAD; /* an LF alone */
            if (i >= 3 && bytes[i - 2] == '\n')
                return (int)i + 1;
        } else if (bytes[i] != '\r' && is_control(bytes[i]))
            return PARSE_BAD;
    }
    return PARSE_PARTIAL;
}
/* ANCHOR_END: head_length */

/* ANCHOR: lines */
/* Takes the characters up to `end` off the line's front, if there is one and all of
 * them are tokens. */
static bool take_token(struct text *line, char end, struct text *token) {
    size_t n = 0;
    while (n < line->length && is_token(line->at[n]))
        n++;
    if (n == 0 || n == line->length || line->at[n] != end)
        return false;
    *token = (struct text){line->at, n};
    line->at += n + 1;
    line->length -= n + 1;
    return true;
}

/* The target up to the space. What form it has is looked at later. */
static bool take_target(struct text *line, struct text *target) {
    size_t n = 0;
    while (n < line->length && line->at[n] > ' ' && line->at[n] < 0x7f &&
           line->at[n] != '#')
        n++;
    if (n == 0 || n == line->length || line->at[n] != ' ')
        return false;
    *target = (struct text){line->at, n};
    line->at += n + 1;
    line->length -= n + 1;
    return true;
}

static bool take_request_line(struct text line, struct request *request) {
    if (!take_token(&line, ' ', &request->method) ||
        !take_target(&line, &request->target))
        return false;
    if (line.length != 8 || memcmp(line.at, "HTTP/", 5) != 0 || !is_digit(line.at[5]) ||
        line.at[6] != '.' || !is_digit(line.at[7]))
        return false;
    request->major = line.at[5] - '0';
    request->minor = line.at[7] - '0';
    return true;
}

static bool take_field(struct text line, struct field *field) {
    if (!take_token(&line, ':', &field->name))
        return false;
    field->value = text_trim(line);
    return true;
}

int parse_plain(const char *bytes, size_t length, size_t seen,
                struct request *request) {
    int head = head_length(bytes, length, seen);
    if (head < 0)
        return head;
    request->field_count = 0;
    const char *at = bytes, *blank_line = bytes + head - 2;
    for (bool first = true; at < blank_line; first = false) {
        const char *end = memchr(at, '\r', (size_t)(blank_line - at));
        struct text line = {at,
                            (size_t)(end - at)}; /* head_length saw every line end */
        if (first) {
            if (!take_request_line(line, request))
                return PARSE_BAD;
        } else if (request->field_count == FIELDS_MOST)
            return PARSE_TOO_MANY;
        else if (!take_field(line, &request->fields[request->field_count++]))
            return PARSE_BAD;
        at = end + 2;
    }
    return head;
}
/* ANCHOR_END: lines */
