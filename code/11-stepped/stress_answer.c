#include "11-stepped/stress_answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long stress_answer_read(char *bytes, size_t length, struct stress_answer *answer) {
    char *end = strstr(bytes, "\r\n\r\n");
    if (!end)
        return length < IN_MOST ? 0 : -1;
    *end = '\0'; /* so that nothing is looked for behind the head */
    const char *field = strcasestr(bytes, "\r\nContent-Length: ");
    answer->closes = strcasestr(bytes, "\r\nConnection: close") != NULL;
    answer->status = strncmp(bytes, "HTTP/1.1 ", 9) ? -1 : atoi(bytes + 9);
    answer->length = field ? strtoul(field + 18, NULL, 10) : 0;
    *end = '\r';
    answer->body = end + 4;
    size_t whole = (size_t)(answer->body - bytes) + answer->length;
    if (!field || answer->status < 0 || whole > IN_MOST)
        return -1;
    return whole <= length ? (long)whole : 0;
}

void stress_words(char *into, const struct stress_asked *asked) {
    size_t word = strlen(asked->word);
    for (size_t i = 0; i < asked->number; i++)
        into[i] = asked->word[i % word];
}

bool stress_is_answer(const struct stress_answer *answer,
                      const struct stress_asked *asked) {
    char expected[BODY_MOST];
    size_t length = asked->number;
    if (asked->slow)
        length = (size_t)snprintf(expected, sizeof expected, "slept %" PRIu64 " ms\n",
                                  asked->number);
    else
        stress_words(expected, asked);
    return answer->status == 200 && answer->length == length &&
           !memcmp(answer->body, expected, length);
}
