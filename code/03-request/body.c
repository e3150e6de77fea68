/* ANCHOR: top */
#include "03-request/body.h"

#include <assert.h>
#include <string.h>

#include "03-request/characters.h"
#include "03-request/request.h"

enum {
    SIZE_LINE_MOST = 256,    /* bytes of a chunk's size, its extensions and CR LF */
    EXTENSIONS_MOST = 16384, /* bytes after the sizes of all chunks of a body */
};

/* What the next byte is. */
enum place {
    SIZE_FIRST, /* the first digit of a chunk's size */
    SIZE,       /* another one, or what follows */
    SIZE_SPACE, /* white space before an extension */
    EXTENSION,
    QUOTED,  /* a string in an extension */
    ESCAPED, /* what follows a backslash in it */
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER_FIRST, /* the first character of a trailer, or the CR of the blank line */
    TRAILER_NAME,
    TRAILER_VALUE,
    TRAILER_LF,
    LAST_LF,
};
/* ANCHOR_END: top */

/* ANCHOR: begin */
void body_begin(struct body *body, enum body_kind kind, uint64_t length) {
    *body = (struct body){.result = BODY_PARTIAL, .place = SIZE_FIRST};
    body->chunked = kind == BODY_CHUNKED;
    if (kind == BODY_LENGTH) {
        assert(length <= BODY_MOST);
        body->place = DATA;
        body->left = length;
    }
    if (kind == BODY_NONE || (kind == BODY_LENGTH && length == 0))
        body->result = BODY_OVER;
}

bool body_over(const struct body *body) {
    return body->result == BODY_OVER;
}
/* ANCHOR_END: begin */

/* ANCHOR: expect */
/* One byte and no other may stand here. */
static enum body_result expect(struct body *body, char c, char wanted, int next) {
    body->place = next;
    return c == wanted ? BODY_PARTIAL : BODY_BAD;
}

static int hex_digit(char c) {
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}
/* ANCHOR_END: expect */

/* ANCHOR: size */
static enum body_result take_size(struct body *body, char c) {
    int digit = hex_digit(c);
    if (digit >= 0) {
        if (body->size > UINT64_MAX >> 4)
            return BODY_BAD; /* a size that wraps around is somebody's trick */
        body->size = body->size << 4 | (uint64_t)digit;
        body->place = SIZE;
        return BODY_PARTIAL;
    }
    if (body->place == SIZE_FIRST || (c != '\r' && c != ';' && !is_space(c)))
        return BODY_BAD;
    if (body->size > BODY_MOST - body->total)
        return BODY_TOO_LARGE;
    body->place = c == '\r' ? SIZE_LF : c == ';' ? EXTENSION : SIZE_SPACE;
    return BODY_PARTIAL;
}

static enum body_result end_size_line(struct body *body, char c) {
    body->total += body->size;
    body->left = body->size;
    body->size = body->line = 0;
    return expect(body, c, '\n', body->left > 0 ? DATA : TRAILER_FIRST);
}
/* ANCHOR_END: size */

/* ANCHOR: size_line */
/* Extensions of a chunk, which nobody uses. All we want to know of them is that they
 * don't hide the line's end. */
static enum body_result take_extension(struct body *body, char c) {
    if (++body->extensions > EXTENSIONS_MOST)
        return BODY_BAD; /* more talk than body */
    if (body->place == SIZE_SPACE && c == ';')
        body->place = EXTENSION;
    else if (body->place == SIZE_SPACE)
        return is_space(c) ? BODY_PARTIAL : BODY_BAD;
    else if (body->place == EXTENSION && c == '\r')
        body->place = SIZE_LF;
    else if (is_control(c))
        return BODY_BAD;
    else if (body->place == ESCAPED)
        body->place = QUOTED;
    else if (c == '"')
        body->place = body->place == QUOTED ? EXTENSION : QUOTED;
    else if (c == '\\' && body->place == QUOTED)
        body->place = ESCAPED;
    return BODY_PARTIAL;
}

static enum body_result take_size_line(struct body *body, char c) {
    if (++body->line > SIZE_LINE_MOST)
        return BODY_BAD;
    if (body->place == SIZE_FIRST || body->place == SIZE)
        return take_size(body, c);
    if (body->place == SIZE_LF)
        return end_size_line(body, c);
    return take_extension(body, c);
}
/* ANCHOR_END: size_line */

/* ANCHOR: trailers */
/* Fields after the last chunk. They have to be what a head's fields are, and are
 * dropped: none may be taken for one of the head (RFC 9110, section 6.5.1). */
static enum body_result take_trailers(struct body *body, char c) {
    if (body->place == TRAILER_FIRST && c == '\r') {
        body->place = LAST_LF;
        return BODY_PARTIAL;
    }
    if (++body->trailers > HEAD_MOST)
        return BODY_TOO_MANY;
    switch (body->place) {
    case TRAILER_FIRST:
        if (!is_token(c))
            return BODY_BAD; /* white space, too: a folded line */
        body->place = TRAILER_NAME;
        return ++body->fields > FIELDS_MOST ? BODY_TOO_MANY : BODY_PARTIAL;
    case TRAILER_NAME:
        if (c == ':')
            body->place = TRAILER_VALUE;
        return c == ':' || is_token(c) ? BODY_PARTIAL : BODY_BAD;
    case TRAILER_VALUE:
        if (c == '\r')
            body->place = TRAILER_LF;
        return c == '\r' || !is_control(c) ? BODY_PARTIAL : BODY_BAD;
    default:
        return expect(body, c, '\n', TRAILER_FIRST);
    }
}
/* ANCHOR_END: trailers */

/* ANCHOR: framing */
/* Takes a byte of the framing: any that isn't one of the body. */
static enum body_result take_framing(struct body *body, char c) {
    switch (body->place) {
    case SIZE_FIRST:
    case SIZE:
    case SIZE_SPACE:
    case EXTENSION:
    case QUOTED:
    case ESCAPED:
    case SIZE_LF:
        return take_size_line(body, c);
    case DATA_CR:
        return expect(body, c, '\r', DATA_LF);
    case DATA_LF:
        return expect(body, c, '\n', SIZE_FIRST);
    case LAST_LF:
        return c == '\n' ? BODY_OVER : BODY_BAD;
    default:
        return take_trailers(body, c);
    }
}
/* ANCHOR_END: framing */

/* ANCHOR: decode */
static size_t least(size_t a, uint64_t b) {
    return a < b ? a : (size_t)b;
}

enum body_result body_decode(struct body *body, const char *raw, size_t length,
                             size_t *used, char *out, size_t room, size_t *made) {
    size_t at = 0, filled = 0;
    while (body->result == BODY_PARTIAL && at < length) {
        if (body->place != DATA) {
            body->result = take_framing(body, raw[at++]);
            continue;
        }
        size_t n = least(least(length - at, room - filled), body->left);
        if (n == 0)
            break; /* no room */
        if (out)
            memcpy(out + filled, raw + at, n);
        at += n;
        filled += n;
        body->left -= n;
        if (body->left == 0 && body->chunked)
            body->place = DATA_CR;
        else if (body->left == 0)
            body->result = BODY_OVER;
    }
    *used = at;
    *made = filled;
    return body->result;
}
/* ANCHOR_END: decode */
