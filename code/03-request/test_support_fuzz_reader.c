/* HTTP as a simple client reads it (RFC 9112), written without a look at the server's
 * parser, decoder and writer: where they agree with this, they aren't wrong alone. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "03-request/test_support_fuzz.h"

/* Where the next CR LF begins, or `end`. */
static const char *line_end(const char *at, const char *end) {
    for (; end - at >= 2; at++)
        if (at[0] == '\r' && at[1] == '\n')
            return at;
    return end;
}

/* Where the blank line of the head at `at` begins, or `end`. */
static const char *head_end(const char *at, const char *end) {
    while (at < end) {
        const char *stop = line_end(at, end);
        if (stop == at)
            return at;
        at = stop == end ? end : stop + 2;
    }
    return end;
}

static bool starts(const char *at, const char *end, const char *with) {
    size_t n = strlen(with);
    return (size_t)(end - at) >= n && !strncasecmp(at, with, n);
}

/* Finds a field in the head from `at` to its blank line at `end`. Returns how often it
 * is there and sets `*value` to the last one's first character that isn't a space. */
static int find_field(const char *at, const char *end, const char *name_and_colon,
                      const char **value) {
    int found = 0;
    for (at = line_end(at, end) + 2; at < end; at = line_end(at, end) + 2)
        if (starts(at, end, name_and_colon)) {
            found++;
            *value = at + strlen(name_and_colon);
            while (**value == ' ' || **value == '\t')
                ++*value;
        }
    return found;
}

/* --- requests ----------------------------------------------------------------------- */

static char body[SENT_MOST];

/* Moves `n` bytes to the body; false if there are fewer. */
static bool take_data(struct told *told, const char **at, const char *end,
                      unsigned long long n) {
    size_t there = (size_t)(end - *at), taken = n < there ? (size_t)n : there;
    memcpy(body + told->body_length, *at, taken);
    told->body_length += taken;
    *at += taken;
    return taken == n;
}

/* Takes the chunks, and returns where they end; NULL if they don't. */
static const char *take_chunks(struct told *told, const char *at, const char *end) {
    for (;;) {
        char digits[300] = "";
        const char *stop = line_end(at, end);
        size_t n = (size_t)(stop - at);
        if (stop == end)
            return NULL;
        memcpy(digits, at, n < sizeof digits ? n : sizeof digits - 1);
        unsigned long long size = strtoull(digits, NULL, 16);
        at = stop + 2;
        if (size == 0)
            break;
        if (!take_data(told, &at, end, size) || end - at < 2 || memcmp(at, "\r\n", 2))
            return NULL;
        at += 2;
    }
    const char *blank = head_end(at, end); /* trailers look like a head's fields */
    return blank == end ? NULL : blank + 2;
}

void read_request(struct story *story, struct told *told) {
    const char *all = story->sent, *end = all + story->length, *value;
    const char *at = all + told->at;
    while (end - at >= 2 && !memcmp(at, "\r\n", 2))
        at += 2;
    const char *blank = head_end(at, end), *after = blank + 2;
    told->at = (size_t)(at - all);
    told->head_end = (size_t)(after - all);
    if (blank == end || (size_t)(after - all) > story->taken)
        fault("a request begins that isn't whole, at %zu", told->at);
    told->head = starts(at, blank, "HEAD ");
    told->http10 = line_end(at, blank)[-1] == '0';
    told->expects = find_field(at, blank, "Expect:", &value) > 0 &&
                    starts(value, blank, "100-continue");
    if (find_field(at, blank, "Transfer-Encoding:", &value)) {
        after = take_chunks(told, after, end);
    } else if (find_field(at, blank, "Content-Length:", &value) &&
               !take_data(told, &after, end, strtoull(value, NULL, 10)))
        after = NULL;
    told->body_whole = after != NULL;
    told->has_body = after != blank + 2;
    told->end = after ? (size_t)(after - all) : 0;
    story->body = body;
}

/* --- answers ------------------------------------------------------------------------ */

struct answer {
    int status;
    bool has_length, chunked, closes, keeps;
    unsigned long long length;
    const char *number; /* the field of the application's that says which it is */
};

static void expect_fields(const char *at, const char *end) {
    for (at = line_end(at, end) + 2; at < end; at = line_end(at, end) + 2) {
        const char *stop = line_end(at, end),
                   *colon = memchr(at, ':', (size_t)(stop - at));
        if (!colon || colon == at || memchr(at, ' ', (size_t)(colon - at)))
            fault("not a field: %.*s", (int)(stop - at), at);
        for (const char *c = at; c < stop; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f)
                fault("a control character in a field: %.*s", (int)(stop - at), at);
    }
}

/* Reads the head at `*at` and moves behind it; false if it is cut short. */
static bool read_head(const char **at, const char *end, struct answer *answer) {
    const char *blank = head_end(*at, end), *value;
    const char *line = *at;
    *answer = (struct answer){0};
    if (blank == end)
        return false;
    if (!starts(line, blank, "HTTP/1.1 ") || line[12] != ' ')
        fault("not a status line: %.*s", (int)(line_end(line, blank) - line), line);
    answer->status = atoi(line + 9);
    expect_fields(line, blank);
    int lengths = find_field(line, blank, "Content-Length:", &value);
    answer->has_length = lengths > 0;
    if (lengths > 0)
        answer->length = strtoull(value, NULL, 10);
    int codings = find_field(line, blank, "Transfer-Encoding:", &value);
    answer->chunked = codings > 0 && starts(value, blank, "chunked\r\n");
    int connections = find_field(line, blank, "Connection:", &value);
    answer->closes = connections > 0 && starts(value, blank, "close\r\n");
    answer->keeps = connections > 0 && starts(value, blank, "keep-alive\r\n");
    if (lengths + codings > 1 || connections > 1)
        fault("an answer that can be read in two ways");
    if (find_field(line, blank, "N:", &answer->number) == 0)
        answer->number = NULL;
    *at = blank + 2;
    return true;
}

/* One run of the answer's body, which has to be what the application gave. */
static bool take_piece(const char **at, const char *end, unsigned long long n,
                       const struct told *told, size_t request, size_t *place) {
    for (; n > 0 && *at < end; n--, ++*at)
        if (told && **at != story_byte(request, (*place)++))
            fault("byte %zu of answer %zu is wrong", *place - 1, request);
    return n == 0;
}

/* Whether what is left is the beginning of CR LF, cut short; moves behind it. */
static bool is_part_of_line_end(const char **at, const char *end) {
    if (*at < end && **at == '\r')
        ++*at;
    return *at == end;
}

/* The same of the line with a chunk's size. */
static bool is_part_of_size(const char **at, const char *end) {
    while (*at < end && strchr("0123456789abcdef", **at) && **at)
        ++*at;
    return is_part_of_line_end(at, end);
}

/* The body of an answer to `told` (NULL: its bytes aren't known), whatever its framing;
 * counts its bytes. False if it is cut short. */
static bool read_body(const char **at, const char *end, const struct answer *answer,
                      const struct told *told, size_t request, size_t *count) {
    *count = 0;
    if (answer->status == 204 || answer->status == 304)
        return true;
    if (answer->has_length)
        return take_piece(at, end, answer->length, told, request, count);
    if (!answer->chunked)
        return take_piece(at, end, (size_t)(end - *at), told, request, count);
    for (;;) {
        const char *stop = line_end(*at, end);
        const char *line = *at;
        if (stop == end && is_part_of_size(at, end))
            return false;
        if (stop == end || stop == line ||
            strspn(line, "0123456789abcdef") != (size_t)(stop - line))
            fault("not the size of a chunk: %.*s", (int)(stop - line), line);
        unsigned long long size = strtoull(*at, NULL, 16);
        *at = stop + 2;
        if (!take_piece(at, end, size, told, request, count) ||
            (end - *at < 2 && is_part_of_line_end(at, end)))
            return false;
        if (end - *at < 2 || memcmp(*at, "\r\n", 2) != 0)
            fault("a chunk without an end");
        *at += 2;
        if (size == 0)
            return true;
    }
}

static bool is_cut(const struct told *told) {
    if (!told->started || told->head || told->status == 204 || told->status == 304)
        return false;
    return told->length == LENGTH_UNKNOWN ? !told->last : told->given < told->length;
}

/* A word to go on, before the answer: true if one was there. */
static bool take_continue(const char **at, const char *end) {
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (!starts(*at, end, go_on))
        return false;
    *at += sizeof go_on - 1;
    return true;
}

/* An answer of the connection's own: to a request that never began, or in the place of
 * the application's. Nothing follows it. */
static void judge_refusal(const struct story *story, const char *at, const char *end,
                          size_t request, const struct answer *answer) {
    const struct told *last = request > 0 ? &story->all[request - 1] : NULL;
    bool begun = request < story->begins;
    const char *from = story->sent + (last ? last->end : 0);
    size_t count;
    while (starts(from, story->sent + story->length, "\r\n"))
        from += 2;
    bool head = begun ? story->all[request].head
                      : starts(from, story->sent + story->length, "HEAD ");
    if (answer->status < 400 || !answer->closes || !answer->has_length)
        fault("not a refusal: status %d in the place of answer %zu", answer->status,
              request);
    if (head && at == end)
        return;
    bool whole = read_body(&at, end, answer, NULL, 0, &count);
    if (begun && head)
        fault("a refusal of HEAD with a body");
    if (at != end || (!whole && story->half_closes > 0))
        fault("a refusal that isn't the last word, or not all of it");
}

static void judge_answer(const struct story *story, const char **at, const char *end,
                         size_t request, const struct answer *answer, bool went_on) {
    const struct told *told = &story->all[request];
    bool finished = request < story->answers, whole = true;
    size_t count = 0;
    if (answer->status != told->status)
        fault("answer %zu has the status %d", request, answer->status);
    if (told->started && !story->plain &&
        (!answer->number || strtoull(answer->number, NULL, 10) != request))
        fault("it isn't answer %zu", request);
    if (told->http10 && (answer->chunked || answer->closes == answer->keeps))
        fault("a client of HTTP/1.0 can't read answer %zu", request);
    if (answer->status == 204 && (answer->has_length || answer->chunked))
        fault("a 204 with a length");
    if (answer->status != 204 && answer->status != 304 && !answer->has_length &&
        !answer->chunked && !answer->closes)
        fault("the end of answer %zu can't be found", request);
    if (!told->head)
        whole = read_body(at, end, answer, told->started && !story->plain ? told : NULL,
                          request, &count);
    if (told->expects && told->has_body && !told->http10 && !went_on && !told->came &&
        !answer->closes)
        fault("answer %zu leaves open whether a body or a request follows", request);
    bool bytes_known = told->started && !told->head && !story->plain &&
                       answer->status != 204 && answer->status != 304;
    if (bytes_known && finished && count != told->given)
        fault("%zu bytes of answer %zu came, not %zu", count, request, told->given);
    if (finished && whole == is_cut(told) &&
        (whole ? answer->has_length || answer->chunked : true))
        fault("answer %zu is %s", request, whole ? "whole" : "cut short");
    if (finished && *at != story->got + told->got_end)
        fault("answer %zu ends somewhere else", request);
    bool last = !finished || answer->closes || is_cut(told);
    if (last && *at != end)
        fault("answer %zu isn't the last, as it should be", request);
}

void judge_answers(const struct story *story) {
    const char *at = story->got, *end = story->got + story->got_length;
    for (size_t request = 0; at < end; request++) {
        const struct told *told = &story->all[request];
        struct answer answer;
        bool went_on = take_continue(&at, end);
        if (went_on && (request >= story->begins || told->http10 || !told->expects))
            fault("100 for who didn't wait");
        if (at == end)
            return;
        if (request > story->begins)
            fault("more answers than requests");
        if (!read_head(&at, end, &answer)) {
            if (request < story->answers || story->half_closes > 0)
                fault("the head of answer %zu is cut short", request);
            return;
        }
        bool own = request == story->begins ||
                   (request >= story->answers && !answer.number && answer.closes &&
                    (!told->started || told->status != answer.status));
        if (own) {
            judge_refusal(story, at, end, request, &answer);
            return;
        }
        judge_answer(story, &at, end, request, &answer, went_on);
    }
    if (story->answers > story->begins || story->open)
        fault("answered %zu of %zu", story->answers, story->begins);
}
