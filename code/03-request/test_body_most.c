/* How much of everything a body may have. */
#include "03-request/test_decode.h"

TestSuite(body, .timeout = 300);

/* Long bodies, made piece by piece. */
static char raw[2 * BODY_MOST];
static size_t raw_length;

static void add(const char *text) {
    memcpy(raw + raw_length, text, strlen(text));
    raw_length += strlen(text);
}

static void add_many(char c, size_t n) {
    memset(raw + raw_length, c, n);
    raw_length += n;
}

static void add_chunk(size_t n) {
    char size[32];
    snprintf(size, sizeof size, "%zx\r\n", n);
    add(size);
    for (size_t i = 0; i < n; i++)
        raw[raw_length++] = (char)('a' + i % 23);
    add("\r\n");
}

/* Whole and in pieces of 1, 997 and 16,384 bytes it comes to the same. */
static void check_long(const char *name, enum body_kind kind, uint64_t size,
                       enum body_result result, size_t made) {
    static char out[BODY_MOST], first[BODY_MOST];
    static const size_t steps[] = {SIZE_MAX, 1, 997, 16384};
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct body body;
        body_begin(&body, kind, size);
        struct outcome got =
            decode(&body, raw, raw_length, steps[i], steps[i], BODY_ROOM, out);
        cr_assert_eq(got.result, result, "%s, by %zu: %d", name, steps[i],
                     (int)got.result);
        cr_assert_eq(got.made, made, "%s: %zu bytes", name, got.made);
        if (result == BODY_OVER)
            cr_assert_eq(got.used, raw_length, "%s: it ends at %zu", name, got.used);
        if (i == 0)
            memcpy(first, out, made);
        cr_assert_eq(memcmp(first, out, made), 0, "%s: other bytes", name);
    }
    raw_length = 0;
}

Test(body, may_have_a_mebibyte_and_no_more) {
    for (int over = -1; over <= 1; over++) {
        size_t most = (size_t)(BODY_MOST + over);
        add_chunk(most);
        add(END);
        check_long("one chunk", BODY_CHUNKED, 0, over > 0 ? BODY_TOO_LARGE : BODY_OVER,
                   over > 0 ? 0 : most);
        for (size_t left = most; left > 0; left -= left < 4099 ? left : 4099)
            add_chunk(left < 4099 ? left : 4099);
        add(END);
        check_long("many chunks", BODY_CHUNKED, 0,
                   over > 0 ? BODY_TOO_LARGE : BODY_OVER,
                   over > 0 ? BODY_MOST / 4099 * 4099 : most);
    }
    add("ffffffffffffffff\r\n");
    check_long("the largest size of 64 bits", BODY_CHUNKED, 0, BODY_TOO_LARGE, 0);
    add("100001");
    check_long("a size that may go on", BODY_CHUNKED, 0, BODY_PARTIAL, 0);
    for (size_t i = 0; i < BODY_MOST; i++)
        raw[raw_length++] = (char)(i * 7 % 251);
    check_long("a length", BODY_LENGTH, BODY_MOST, BODY_OVER, BODY_MOST);
}

Test(body, may_be_dropped) {
    struct body body;
    size_t used, made;
    add_chunk(100000);
    add(END NEXT);
    body_begin(&body, BODY_CHUNKED, 0);
    cr_assert_eq(body_decode(&body, raw, raw_length, &used, NULL, SIZE_MAX, &made),
                 BODY_OVER);
    cr_assert_eq(used, raw_length - strlen(NEXT));
    cr_assert_eq(made, 100000u);
}

Test(body, has_size_lines_of_256_bytes_at_most) {
    for (size_t over = 0; over < 3; over++) {
        enum body_result result = over < 2 ? BODY_OVER : BODY_BAD;
        add_many('0', 252 + over);
        add("1\r\na\r\n" END);
        check_long("zeros", BODY_CHUNKED, 0, result, over < 2);
        add("1;");
        add_many('a', 251 + over);
        add("\r\na\r\n" END);
        check_long("an extension", BODY_CHUNKED, 0, result, over < 2);
        add("0;\"");
        add_many(';', 249 + over);
        add("\"\r\n\r\n");
        check_long("a quoted extension", BODY_CHUNKED, 0, result, 0);
    }
}

Test(body, has_16_kib_of_extensions_at_most) {
    for (int over = -1; over <= 1; over++) {
        for (int i = 0; i < 81; i++) {
            add("1;");
            add_many('x', 199); /* with the semicolon 200 */
            add("\r\na\r\n");
        }
        add("0 ;"); /* 16,200 before; these two count */
        add_many('x', (size_t)(182 + over));
        add("\r\n\r\n");
        check_long("extensions", BODY_CHUNKED, 0, over > 0 ? BODY_BAD : BODY_OVER, 81);
    }
}

Test(body, has_100_trailers_at_most) {
    for (int over = -1; over <= 1; over++) {
        add("0\r\n");
        for (int i = 0; i < FIELDS_MOST + over; i++)
            add("A:b\r\n");
        add("\r\n");
        check_long("trailers", BODY_CHUNKED, 0, over > 0 ? BODY_TOO_MANY : BODY_OVER,
                   0);
    }
}

Test(body, has_16_kib_of_trailers_at_most) {
    for (int over = -1; over <= 1; over++)
        for (int lines = 1; lines < 3; lines++) {
            add("0\r\n");
            if (lines == 2)
                add("A:b\r\n");
            add("A:");
            add_many('b', (size_t)(HEAD_MOST - 4 - (lines == 2 ? 5 : 0) + over));
            add("\r\n\r\n");
            check_long("trailers", BODY_CHUNKED, 0,
                       over > 0 ? BODY_TOO_MANY : BODY_OVER, 0);
        }
}
