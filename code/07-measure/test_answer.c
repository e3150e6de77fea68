/* The client's parser: each answer whole, byte by byte, and with bytes behind it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "07-measure/answer.h"

#define OK "HTTP/1.1 200 OK\r\n"

static const struct {
    const char *bytes;
    int status;
    bool keep_alive;
} whole[] = {
    {OK "Content-Length: 2\r\n\r\nok", 200, true},
    {OK "content-length:0\r\n\r\n", 200, true},
    {OK "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", 200, true},
    {OK "Content-Length: 2, 2\r\n\r\nok", 200, true},
    {OK "Connection: close\r\nContent-Length: 2\r\n\r\nok", 200, false},
    {OK "Connection: x, Close\r\nContent-Length: 2\r\n\r\nok", 200, false},
    {OK "Empty:\r\nContent-Length: 2\r\n\r\nok", 200, true},
    {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, false},
    {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", 200,
     true},
    {"HTTP/1.1 503 Not now\r\nContent-Length: 0\r\n\r\n", 503, true},
    {"HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", 404, true},
    {"HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", 404, true},
    {"HTTP/1.1 204 No Content\r\n\r\n", 204, true},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", 304, true},
    {"HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 2\r\n\r\nok", 200, true},
    {"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" OK
     "Content-Length: 0\r\n\r\n",
     200, true},
    {OK "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, true},
    {OK "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nA;x=\"y\"\r\n0123456789\r\n"
        "000\r\n\r\n",
     200, true},
    {OK "Transfer-Encoding: gzip, Chunked\r\n\r\n1 \r\nx\r\n0\r\nSum: 1\r\nEnd: 2\r\n"
        "\r\n",
     200, true},
};

static const char *const bad[] = {
    "\r\n\r\n",
    "ok\r\n\r\n",
    "HTTP/2.0 200 OK\r\n\r\n",
    "HTTP/1.1 20 OK\r\n\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/1.1 099 Low\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    OK "no colon\r\n\r\n",
    OK ": no name\r\n\r\n",
    OK "bad name: x\r\n\r\n",
    OK "Folded: x\r\n y\r\n\r\n",
    OK "Control: \x01\r\n\r\n",
    OK "Content-Length: two\r\n\r\nok",
    OK "Content-Length:\r\n\r\nok",
    OK "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok",
    OK "Content-Length: 99999999999999999999\r\n\r\n",
    OK "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    OK "Transfer-Encoding: chunked\r\n\r\nx",
    OK "Transfer-Encoding: chunked\r\n\r\n\r\n",
    OK "Transfer-Encoding: chunked\r\n\r\n2\r\nok!",
    OK "Transfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\n\r\n",
    OK "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n",
    OK "Transfer-Encoding: chunked\r\n\r\n0\r\n: x\r\n\r\n",
    OK "Transfer-Encoding: chunked\r\n\r\n0\r\n\rx",
};

static struct answer answer;

/* The bytes in pieces of `piece` at most; `*used` of them were the answer's. Each piece
 * lies in memory of just its size, where the sanitizer sees a read beyond it. */
static enum answer_result take(const char *bytes, size_t length, size_t piece,
                               size_t *used) {
    enum answer_result result = ANSWER_PARTIAL;
    *used = 0;
    answer_begin(&answer, false);
    while (result == ANSWER_PARTIAL && *used < length) {
        size_t size = length - *used < piece ? length - *used : piece, taken;
        char *copy = malloc(size);
        memcpy(copy, bytes + *used, size);
        result = answer_take(&answer, copy, size, &taken);
        cr_assert(taken == size || (result != ANSWER_PARTIAL && taken < size));
        *used += taken;
        free(copy);
    }
    return result;
}

Test(answer, is_whole_at_its_last_byte_however_it_is_cut) {
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        size_t length = strlen(whole[i].bytes), used;
        for (size_t piece = 1; piece <= length; piece++) {
            cr_assert_eq(take(whole[i].bytes, length, piece, &used), ANSWER_WHOLE,
                         "in pieces of %zu: %s", piece, whole[i].bytes);
            cr_assert_eq(used, length, "%zu of: %s", used, whole[i].bytes);
            cr_assert_eq(answer.bytes, length);
            cr_assert_eq(answer.status, whole[i].status, "%s", whole[i].bytes);
            cr_assert_eq(answer.keep_alive, whole[i].keep_alive, "%s", whole[i].bytes);
        }
        for (size_t cut = 0; cut < length; cut++) {
            cr_assert_eq(take(whole[i].bytes, cut, length, &used), ANSWER_PARTIAL);
            cr_assert_eq(answer_ended(&answer), ANSWER_BAD, "cut off after %zu: %s",
                         cut, whole[i].bytes);
        }
    }
}

Test(answer, leaves_what_follows_it) {
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char both[512];
        int length = snprintf(both, sizeof both, "%sHTTP/1.1 200", whole[i].bytes);
        size_t used;
        cr_assert_eq(take(both, (size_t)length, (size_t)length, &used), ANSWER_WHOLE);
        cr_assert_eq(used, strlen(whole[i].bytes), "%s", whole[i].bytes);
    }
}

Test(answer, malformed_is_malformed_however_it_is_cut) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t length = strlen(bad[i]), used;
        for (size_t piece = 1; piece <= length; piece++)
            cr_assert_eq(take(bad[i], length, piece, &used), ANSWER_BAD,
                         "in pieces of %zu: %s", piece, bad[i]);
    }
}

Test(answer, without_a_length_the_end_of_input_ends_it) {
    static const char *const open[] = {
        OK "\r\nwhatever comes", "HTTP/1.0 200 OK\r\n\r\nwhatever comes",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nwhatever comes"};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        size_t length = strlen(open[i]), used;
        cr_assert_eq(take(open[i], length, 3, &used), ANSWER_PARTIAL);
        cr_assert_eq(used, length);
        cr_assert_eq(answer.body, strlen("whatever comes"));
        cr_assert_eq(answer_ended(&answer), ANSWER_WHOLE);
        cr_assert(!answer.keep_alive);
    }
}

/* `wanted` is its body, and 7 bytes are copied of a longer one. */
static void copies(const char *bytes, const char *wanted) {
    size_t length = strlen(bytes), body = strlen(wanted);
    for (size_t piece = 1; piece <= length; piece++) {
        char copy[] = "--------";
        size_t used = 0, taken, copied = body < 7 ? body : 7;
        answer_begin(&answer, false);
        answer_copy_body(&answer, copy, 7);
        for (; used < length; used += taken) {
            size_t size = length - used < piece ? length - used : piece;
            cr_assert_neq(answer_take(&answer, bytes + used, size, &taken), ANSWER_BAD);
        }
        cr_assert_eq(answer.body, body, "%s", bytes);
        cr_assert_eq(memcmp(copy, wanted, copied), 0, "%s: %s", bytes, copy);
        cr_assert_eq(copy[copied], '-', "%s: %s", bytes, copy);
    }
}

Test(answer, gives_a_copy_of_its_body_without_the_framing) {
    copies(OK "Content-Length: 2\r\n\r\nok", "ok");
    copies(OK "Content-Length: 0\r\n\r\n", "");
    copies(OK "Content-Length: 10\r\n\r\n0123456789", "0123456789");
    copies(OK "\r\nto the end", "to the end");
    copies(OK "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n3\r\nay!\r\n"
              "0\r\nEnd: 2\r\n\r\n",
           "okay!");
    copies("HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 3\r\n\r\nyes", "yes");
}

Test(answer, to_head_has_no_body_whatever_its_length_says) {
    static const char bytes[] = OK "Content-Length: 100\r\n\r\n";
    size_t used;
    answer_begin(&answer, true);
    cr_assert_eq(answer_take(&answer, bytes, sizeof bytes - 1, &used), ANSWER_WHOLE);
    cr_assert(answer.keep_alive);
}

Test(answer, may_have_a_body_of_any_length) {
    static const char head[] = OK "Content-Length: 5000000000\r\n\r\n";
    static char bytes[65536];
    uint64_t left = 5000000000;
    size_t used;
    answer_begin(&answer, false);
    cr_assert_eq(answer_take(&answer, head, sizeof head - 1, &used), ANSWER_PARTIAL);
    for (; left > sizeof bytes; left -= used)
        cr_assert_eq(answer_take(&answer, bytes, sizeof bytes, &used), ANSWER_PARTIAL);
    cr_assert_eq(answer_take(&answer, bytes, sizeof bytes, &used), ANSWER_WHOLE);
    cr_assert_eq(used, left);
}

Test(answer, a_head_without_an_end_is_malformed) {
    static char bytes[2 * ANSWER_HEAD_MOST];
    size_t used;
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, OK, sizeof OK - 1);
    cr_assert_eq(take(bytes, sizeof bytes, sizeof bytes, &used), ANSWER_BAD);
    cr_assert_eq(take(bytes, sizeof bytes, 1, &used), ANSWER_BAD);
    cr_assert_eq(used, ANSWER_HEAD_MOST);
}
