/* Where an answer ends, whole and byte by byte. */
#include <criterion/criterion.h>
#include <string.h>

#include "11-stepped/stop_probe_answer.h"

#define OK "HTTP/1.1 200 OK\r\n"

static const struct {
    const char *text; /* an answer, and a | where it ends */
    enum answer_stage before_end, after_end;
    bool closes;
} cases[] = {
    {OK "Content-Length: 2\r\n\r\nok|more", ANSWER_WHOLE, ANSWER_WHOLE, false},
    {OK "content-length:0\r\n\r\n|more", ANSWER_WHOLE, ANSWER_WHOLE, false},
    {OK "Content-Length: 2\r\nConnection: Close\r\n\r\nok|", ANSWER_WHOLE, ANSWER_WHOLE,
     true},
    {"HTTP/1.1 204 No\r\n\r\n|more", ANSWER_WHOLE, ANSWER_WHOLE, false},
    {"HTTP/1.1 100 Go\r\n\r\n" OK "Content-Length: 1\r\n\r\n1|", ANSWER_WHOLE,
     ANSWER_WHOLE, false},
    {OK
     "Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n|m",
     ANSWER_WHOLE, ANSWER_WHOLE, false},
    {OK "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n|more", ANSWER_WHOLE,
     ANSWER_WHOLE, false},
    {OK "\r\nuntil the end|", ANSWER_UNTIL_CLOSE, ANSWER_WHOLE, false},
    {"HTTP/1.0 200 OK\r\n\r\nold|", ANSWER_UNTIL_CLOSE, ANSWER_WHOLE, true},
    {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n1|",
     ANSWER_WHOLE, ANSWER_WHOLE, false},
    {OK "Content-Length: 3\r\n\r\nok|", ANSWER_LENGTH, ANSWER_LENGTH, false},
    {OK "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n|", ANSWER_CHUNK_SIZE,
     ANSWER_CHUNK_SIZE, false},
    {OK "Content-Le|", ANSWER_HEAD, ANSWER_HEAD, false},
    {"SSH-2.0-x\r\n|more", ANSWER_BROKEN, ANSWER_BROKEN, false},
    {OK "Transfer-Encoding: chunked\r\n\r\nxyz\r\n|more", ANSWER_BROKEN, ANSWER_BROKEN,
     false},
};

static void check(size_t i, size_t piece) {
    const char *text = cases[i].text;
    size_t end = strcspn(text, "|"), taken = 0;
    char bytes[256];
    struct answer answer = {0};
    memcpy(bytes, text, end);
    strcpy(bytes + end, text + end + 1);
    for (size_t at = 0, all = strlen(bytes); at < all; at += piece)
        taken += answer_take(&answer, bytes + at, piece < all - at ? piece : all - at);
    cr_expect_eq(taken, end, "%zu bytes of: %s", taken, text);
    cr_expect_eq(answer.bytes, end);
    cr_expect_eq(answer.stage, cases[i].before_end, "stage %d: %s", answer.stage, text);
    cr_expect_eq(answer.closes, cases[i].closes, "%s", text);
    answer_end(&answer);
    cr_expect_eq(answer.stage, cases[i].after_end, "stage %d: %s", answer.stage, text);
}

Test(stop_probe_answer, ends_where_it_ends) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(i, 256);
        check(i, 1);
    }
}
