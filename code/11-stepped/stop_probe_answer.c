#include "11-stepped/stop_probe_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether `line` is a field of this name and its value holds `word`. */
static bool says(const char *line, const char *name, const char *word) {
    size_t length = strlen(name), want = strlen(word);
    if (strncasecmp(line, name, length) != 0)
        return false;
    for (const char *at = line + length; *at; at++)
        if (!strncasecmp(at, word, want))
            return true;
    return false;
}

static void take_field(struct answer *answer, const char *line) {
    static const char length[] = "Content-Length:";
    if (!strncasecmp(line, length, sizeof length - 1)) {
        answer->has_length = true;
        answer->left = strtoull(line + sizeof length - 1, NULL, 10);
    }
    answer->chunked |= says(line, "Transfer-Encoding:", "chunked");
    answer->closes |= says(line, "Connection:", "close");
    if (says(line, "Connection:", "keep-alive"))
        answer->closes = false;
}

static void end_head(struct answer *answer) {
    if (answer->status / 100 == 1) {
        uint64_t bytes = answer->bytes;
        *answer = (struct answer){.bytes = bytes};
    } else if (answer->status == 204 || answer->status == 304)
        answer->stage = ANSWER_WHOLE;
    else if (answer->chunked)
        answer->stage = ANSWER_CHUNK_SIZE;
    else if (!answer->has_length)
        answer->stage = ANSWER_UNTIL_CLOSE;
    else
        answer->stage = answer->left > 0 ? ANSWER_LENGTH : ANSWER_WHOLE;
}

static void take_line(struct answer *answer) {
    const char *line = answer->line;
    int minor = 0;
    if (answer->stage == ANSWER_CHUNK_SIZE) {
        char *end;
        answer->left = strtoull(line, &end, 16);
        if (end == line)
            answer->stage = ANSWER_BROKEN;
        else
            answer->stage = answer->left > 0 ? ANSWER_CHUNK : ANSWER_TRAILER;
        answer->left += 2; /* the line's end behind the chunk */
    } else if (answer->stage == ANSWER_TRAILER) {
        if (!*line)
            answer->stage = ANSWER_WHOLE;
    } else if (answer->status == 0) {
        if (sscanf(line, "HTTP/1.%1d %3d", &minor, &answer->status) != 2 ||
            answer->status < 100)
            answer->stage = ANSWER_BROKEN;
        else
            answer->closes = minor == 0;
    } else if (*line)
        take_field(answer, line);
    else
        end_head(answer);
}

static void take_line_byte(struct answer *answer, char byte) {
    if (byte == '\n') {
        size_t length = answer->line_length;
        if (length > 0 && answer->line[length - 1] == '\r')
            length--;
        answer->line[length] = '\0';
        answer->line_length = 0;
        take_line(answer);
    } else if (answer->line_length + 1 < sizeof answer->line)
        answer->line[answer->line_length++] = byte;
}

size_t answer_take(struct answer *answer, const char *bytes, size_t n) {
    size_t taken = 0;
    while (taken < n && answer->stage < ANSWER_WHOLE) {
        enum answer_stage stage = answer->stage;
        size_t some = 1;
        if (stage == ANSWER_LENGTH || stage == ANSWER_CHUNK) {
            some = answer->left < n - taken ? (size_t)answer->left : n - taken;
            answer->left -= some;
            if (answer->left == 0)
                answer->stage =
                    stage == ANSWER_CHUNK ? ANSWER_CHUNK_SIZE : ANSWER_WHOLE;
        } else if (stage == ANSWER_UNTIL_CLOSE)
            some = n - taken;
        answer->bytes += some;
        if (stage != ANSWER_HEAD)
            answer->body += some;
        if (stage == ANSWER_HEAD || stage == ANSWER_CHUNK_SIZE ||
            stage == ANSWER_TRAILER)
            take_line_byte(answer, bytes[taken]);
        taken += some;
    }
    return taken;
}

void answer_end(struct answer *answer) {
    if (answer->stage == ANSWER_UNTIL_CLOSE)
        answer->stage = ANSWER_WHOLE;
}
