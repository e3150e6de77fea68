#include "07-measure/answer.h"

#include <string.h>

#include "03-request/characters.h"
#include "03-request/text.h"

enum place {
    IN_HEAD,
    IN_BODY,        /* Content-Length counts it */
    UNTIL_END,      /* a body that the end of the connection ends */
    IN_SIZE,        /* of a chunk */
    IN_EXTENSION,   /* behind the size */
    AFTER_SIZE,     /* the LF of its line */
    IN_CHUNK,       /* its data */
    AFTER_CHUNK,    /* the CR behind the data */
    AFTER_CHUNK_CR, /* and the LF */
    TRAILER_START,  /* the first character of a trailer's line */
    IN_TRAILER,     /* */
    AFTER_TRAILER,  /* the LF of its line */
    AFTER_LAST,     /* the LF of the empty line that ends them */
    AT_END,
};

struct fields {
    bool has_length, has_coding; /* Content-Length, Transfer-Encoding */
    bool chunked;                /* the last coding is chunked */
    bool close, keep;            /* Connection says so */
    uint64_t length;
};

void answer_begin(struct answer *answer, bool to_head) {
    answer->status = 0;
    answer->keep_alive = false;
    answer->bytes = answer->body = 0;
    answer->copy = NULL;
    answer->room = 0;
    answer->to_head = to_head;
    answer->end = ANSWER_BAD;
    answer->place = IN_HEAD;
    answer->have = 0;
}

void answer_copy_body(struct answer *answer, char *copy, size_t room) {
    answer->copy = copy;
    answer->room = room;
}

/* "HTTP/1.1 200 OK"; the reason may be missing, with or without the space before it.
 * Returns the minor version, or -1. */
static int read_status_line(struct text line, int *status) {
    const char *at = line.at;
    if (line.length < 12 || memcmp(at, "HTTP/1.", 7) != 0 ||
        (at[7] != '0' && at[7] != '1') || at[8] != ' ' || at[9] < '1' ||
        !is_digit(at[9]) || !is_digit(at[10]) || !is_digit(at[11]) ||
        (line.length > 12 && at[12] != ' '))
        return -1;
    *status = (at[9] - '0') * 100 + (at[10] - '0') * 10 + (at[11] - '0');
    return at[7] - '0';
}

/* Several lengths are one if they agree (RFC 9110, section 8.6). */
static bool read_length(struct text value, struct fields *fields) {
    do {
        uint64_t length;
        if (!text_number(text_trim(text_next(&value, ',')), UINT64_MAX, &length) ||
            (fields->has_length && length != fields->length))
            return false;
        fields->has_length = true;
        fields->length = length;
    } while (value.length);
    return true;
}

static bool read_field(struct text line, struct fields *fields) {
    struct text value = line, name = text_next(&value, ':');
    if (name.length == line.length || !text_is_token(name))
        return false;
    value = text_trim(value);
    if (!text_is_field_value(value))
        return false;
    if (text_is_any_case(name, "Content-Length"))
        return read_length(value, fields);
    if (text_is_any_case(name, "Connection")) {
        fields->close |= text_lists(value, "close");
        fields->keep |= text_lists(value, "keep-alive");
    } else if (text_is_any_case(name, "Transfer-Encoding")) {
        fields->has_coding = true;
        while (value.length)
            fields->chunked =
                text_is_any_case(text_trim(text_next(&value, ',')), "chunked");
    }
    return true;
}

/* The next line of `*rest`, without its CR LF. */
static struct text next_line(struct text *rest) {
    struct text line = text_next(rest, '\n');
    if (line.length && line.at[line.length - 1] == '\r')
        line.length--;
    return line;
}

/* Where the answer goes on after its head (RFC 9112, section 6.3). -1: malformed. */
static int place_after_head(struct answer *answer, int minor,
                            const struct fields *fields) {
    if (fields->has_coding && (fields->has_length || minor == 0))
        return -1; /* two framings, or one that HTTP/1.0 doesn't have */
    answer->keep_alive = !fields->close && (minor == 1 || fields->keep);
    if (answer->to_head || answer->status == 204 || answer->status == 304)
        return AT_END;
    if (fields->chunked) {
        answer->left = 0;
        answer->digits = 0;
        return IN_SIZE;
    }
    if (fields->has_length) {
        answer->left = fields->length;
        return fields->length ? IN_BODY : AT_END;
    }
    answer->keep_alive = false;
    answer->end = ANSWER_WHOLE;
    answer->left = UINT64_MAX; /* more than will ever come */
    return UNTIL_END;
}

/* `answer->head` holds a head, whole with its empty line. */
static int read_head(struct answer *answer) {
    struct text rest = {answer->head, answer->have - 2};
    struct fields fields = {0};
    int minor = read_status_line(next_line(&rest), &answer->status);
    if (minor < 0)
        return -1;
    while (rest.length)
        if (!read_field(next_line(&rest), &fields))
            return -1;
    if (answer->status >= 200)
        return place_after_head(answer, minor, &fields);
    answer->have = 0; /* an interim answer: the one that counts is still to come */
    return answer->status == 101 ? -1 : IN_HEAD; /* nobody asked for another protocol */
}

/* Takes what belongs to the head. A head that has begun in an earlier piece has to lie
 * in one, so all heads are copied. */
static int take_head(struct answer *answer, const char *bytes, size_t length,
                     size_t *used) {
    size_t had = answer->have, room = sizeof answer->head - had;
    size_t copied = length < room ? length : room;
    memcpy(answer->head + had, bytes, copied);
    answer->have += copied;
    size_t from = had < 3 ? 0 : had - 3; /* the empty line may have begun */
    const char *end = memmem(answer->head + from, answer->have - from, "\r\n\r\n", 4);
    if (!end) {
        *used = copied;
        return answer->have == sizeof answer->head ? -1 : IN_HEAD;
    }
    answer->have = (size_t)(end + 4 - answer->head);
    *used = answer->have - had;
    return read_head(answer);
}

static int hex_value(char c) {
    const char *digits = "0123456789abcdef", *found;
    char lower = c >= 'A' && c <= 'F' ? (char)(c + ('a' - 'A')) : c;
    return lower && (found = strchr(digits, lower)) ? (int)(found - digits) : -1;
}

/* One character of a chunk's frame (RFC 9112, section 7.1). */
static int take_framing(struct answer *answer, char c) {
    int value;
    switch (answer->place) {
    case IN_SIZE:
        if ((value = hex_value(c)) >= 0) {
            if (answer->left > UINT64_MAX >> 4)
                return -1;
            answer->left = answer->left << 4 | (uint64_t)value;
            answer->digits++;
            return IN_SIZE;
        }
        if (answer->digits == 0)
            return -1;
        return c == '\r' ? AFTER_SIZE : c == ';' || is_space(c) ? IN_EXTENSION : -1;
    case IN_EXTENSION:
        return c == '\r' ? AFTER_SIZE : is_control(c) ? -1 : IN_EXTENSION;
    case AFTER_SIZE:
        return c != '\n' ? -1 : answer->left ? IN_CHUNK : TRAILER_START;
    case AFTER_CHUNK:
        return c == '\r' ? AFTER_CHUNK_CR : -1;
    case AFTER_CHUNK_CR:
        answer->digits = 0;
        return c == '\n' ? IN_SIZE : -1;
    case TRAILER_START:
        return c == '\r' ? AFTER_LAST : is_token(c) ? IN_TRAILER : -1;
    case IN_TRAILER:
        return c == '\r' ? AFTER_TRAILER : is_control(c) ? -1 : IN_TRAILER;
    case AFTER_TRAILER:
        return c == '\n' ? TRAILER_START : -1;
    default: /* AFTER_LAST */
        return c == '\n' ? AT_END : -1;
    }
}

/* Takes body data, which nobody looks at here. */
static int take_data(struct answer *answer, const char *bytes, size_t length,
                     size_t *used) {
    *used = length < answer->left ? length : (size_t)answer->left;
    answer->left -= *used;
    if (answer->body < answer->room) {
        size_t room = answer->room - (size_t)answer->body;
        memcpy(answer->copy + answer->body, bytes, *used < room ? *used : room);
    }
    answer->body += *used;
    if (answer->left)
        return answer->place;
    return answer->place == IN_CHUNK ? AFTER_CHUNK : AT_END;
}

enum answer_result answer_take(struct answer *answer, const char *bytes, size_t length,
                               size_t *used) {
    *used = 0;
    while (answer->place >= 0 && answer->place != AT_END && *used < length) {
        size_t taken = 1, left = length - *used;
        if (answer->place == IN_HEAD)
            answer->place = take_head(answer, bytes + *used, left, &taken);
        else if (answer->place == IN_BODY || answer->place == UNTIL_END ||
                 answer->place == IN_CHUNK)
            answer->place = take_data(answer, bytes + *used, left, &taken);
        else
            answer->place = take_framing(answer, bytes[*used]);
        *used += taken;
    }
    answer->bytes += *used;
    if (answer->place < 0)
        return ANSWER_BAD;
    return answer->place == AT_END ? ANSWER_WHOLE : ANSWER_PARTIAL;
}

enum answer_result answer_ended(const struct answer *answer) {
    return answer->end;
}
