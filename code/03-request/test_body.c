/* The body's framing: a table of bodies, each read in every way that a network can
 * deliver it and into rooms of several sizes. */
#include "03-request/test_decode.h"

TestSuite(body, .timeout = 300);

#define BYTES(literal) literal, sizeof(literal) - 1 /* a NUL may stand in it */

static const size_t rooms[] = {1, 2, 3, 7, BODY_ROOM};

/* All ways of cutting have to come to `result`, after the same bytes. */
static void check(const char *name, enum body_kind kind, uint64_t size, const char *raw,
                  size_t length, enum body_result result, size_t used,
                  const char *wanted) {
    static char out[4096];
    for (size_t r = 0; r < COUNT(rooms); r++)
        for (size_t split = 0; split <= length; split++)
            for (int bytewise = 0; bytewise < 2; bytewise++) {
                struct body body;
                body_begin(&body, kind, size);
                struct outcome got = decode(&body, raw, length, split,
                                            bytewise ? 1 : SIZE_MAX, rooms[r], out);
                cr_assert_eq(got.result, result, "%s, cut at %zu: %d, not %d", name,
                             split, (int)got.result, (int)result);
                cr_assert_eq(got.used, used, "%s, cut at %zu: after %zu bytes, not %zu",
                             name, split, got.used, used);
                cr_assert(got.made == strlen(wanted) && !memcmp(out, wanted, got.made),
                          "%s, cut at %zu: made '%.*s', not '%s'", name, split,
                          (int)got.made, out, wanted);
            }
}

Test(body, takes_good_chunks_and_leaves_what_follows) {
    static const struct {
        const char *name, *bytes;
        size_t length;
        const char *body;
    } good[] = {
        {"nothing", BYTES(END), ""},
        {"one chunk", BYTES("5\r\nhello\r\n" END), "hello"},
        {"three chunks", BYTES("1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n" END), "abcdef"},
        {"lower-case digits", BYTES("a\r\n0123456789\r\n" END), "0123456789"},
        {"upper-case digits", BYTES("A\r\n0123456789\r\n" END), "0123456789"},
        {"two digits", BYTES("1a\r\nabcdefghijklmnopqrstuvwxyz\r\n" END),
         "abcdefghijklmnopqrstuvwxyz"},
        {"zeros in front", BYTES("00000000000000000000000000001\r\na\r\n" END), "a"},
        {"many zeros at the end", BYTES("1\r\na\r\n00000\r\n\r\n"), "a"},
        {"line ends as data", BYTES("4\r\n\r\n\r\n\r\n" END), "\r\n\r\n"},
        {"a chunk in a chunk", BYTES("a\r\n5\r\nhello\r\n\r\n" END), "5\r\nhello\r\n"},
        {"an extension", BYTES("1;a=b\r\na\r\n" END), "a"},
        {"an extension without value", BYTES("1;a\r\na\r\n" END), "a"},
        {"two extensions", BYTES("1;a=b;c\r\na\r\n" END), "a"},
        {"an extension of the last chunk", BYTES("1\r\na\r\n0;b\r\n\r\n"), "a"},
        {"a quoted extension", BYTES("1;a=\"b;c \\\" \t\xe4\"\r\na\r\n" END), "a"},
        {"white space before an extension", BYTES("1 \t;a=b\r\na\r\n" END), "a"},
        {"white space within one", BYTES("1;\ta =\tb ; c\r\na\r\n" END), "a"},
        {"a trailer", BYTES("1\r\na\r\n0\r\nX: y\r\n\r\n"), "a"},
        {"trailers", BYTES("0\r\nA: b\r\nc-d:e \t f\r\nE:\r\nF:\t:\r\n\r\n"), ""},
        {"a trailer that says a length", BYTES("0\r\nContent-Length: 9\r\n\r\n"), ""},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        char raw[256];
        memcpy(raw, good[i].bytes, good[i].length);
        check(good[i].name, BODY_CHUNKED, 0, raw, good[i].length, BODY_OVER,
              good[i].length, good[i].body);
        memcpy(raw + good[i].length, NEXT, sizeof NEXT);
        check(good[i].name, BODY_CHUNKED, 0, raw, good[i].length + strlen(NEXT),
              BODY_OVER, good[i].length, good[i].body);
    }
}

Test(body, refuses_bad_chunks) {
    static const struct {
        const char *name, *bytes;
        size_t length;
        size_t used; /* with the byte that is wrong */
        const char *body;
    } bad[] = {
        {"no size", BYTES("\r\n" END), 1, ""},
        {"no size after a chunk", BYTES("1\r\na\r\n\r\n"), 7, "a"},
        {"an extension alone", BYTES(";a=b\r\n"), 1, ""},
        {"junk for a size", BYTES("x\r\n"), 1, ""},
        {"junk after a size", BYTES("5x\r\nhello\r\n" END), 2, ""},
        {"0x", BYTES("0x5\r\nhello\r\n" END), 2, ""},
        {"a plus", BYTES("+5\r\nhello\r\n" END), 1, ""},
        {"a minus", BYTES("-5\r\nhello\r\n" END), 1, ""},
        {"a space before", BYTES(" 5\r\nhello\r\n" END), 1, ""},
        {"a space within", BYTES("5 0\r\nhello\r\n" END), 3, ""},
        {"a space after", BYTES("5 \r\nhello\r\n" END), 3, ""},
        {"a tab after", BYTES("5\t\r\nhello\r\n" END), 3, ""},
        {"an underscore", BYTES("1_0\r\n"), 2, ""},
        {"a comma", BYTES("5,5\r\n"), 2, ""},
        {"a digit of another script", BYTES("\xd9\xa5\r\n"), 1, ""},
        {"a NUL", BYTES("5\0\r\nhello\r\n" END), 2, ""},
        {"a vertical tab", BYTES("5\v;a\r\n"), 2, ""},
        {"a bare LF", BYTES("5\nhello\r\n" END), 2, ""},
        {"a bare CR", BYTES("5\rhello\r\n" END), 3, ""},
        {"two CR", BYTES("5\r\r\nhello\r\n" END), 3, ""},
        {"17 digits", BYTES("10000000000000005\r\nhello\r\n" END), 17, ""},
        {"17 digits, all ones", BYTES("fffffffffffffffff\r\n"), 17, ""},
        {"a bare LF in an extension", BYTES("5;a\nhello\r\n" END), 4, ""},
        {"a bare LF in a quoted one", BYTES("5;a=\"\n\"\r\nhello\r\n" END), 6, ""},
        {"a bare CR in an extension", BYTES("5;a\rb\r\nhello\r\n" END), 5, ""},
        {"a CR LF in a quoted one", BYTES("5;a=\"\r\n\"\r\n"), 6, ""},
        {"a quote that isn't closed", BYTES("5;a=\"b\\\"\r\nhello\r\n" END), 9, ""},
        {"an escaped CR", BYTES("5;a=\"\\\r\nhello\r\n" END), 7, ""},
        {"a NUL in an extension", BYTES("5;a\0\r\nhello\r\n" END), 4, ""},
        {"a DEL in an extension", BYTES("5;a\x7f\r\nhello\r\n" END), 4, ""},
        {"data too long", BYTES("5\r\nhelloXX0\r\n\r\n"), 9, "hello"},
        {"data too short", BYTES("5\r\nhell\r\n" END), 9, "hell\r"},
        {"data ended by an LF", BYTES("5\r\nhello\n" END), 9, "hello"},
        {"data ended by a CR", BYTES("5\r\nhello\r" END), 10, "hello"},
        {"data ended by nothing", BYTES("5\r\nhello" END), 9, "hello"},
        {"a bare LF after the last size", BYTES("0\n\r\n"), 2, ""},
        {"a bare LF for the blank line", BYTES("0\r\n\n"), 4, ""},
        {"a bare CR for the blank line", BYTES("0\r\n\rG"), 5, ""},
        {"the next request at once", BYTES("0\r\nGET / HTTP/1.1\r\n"), 7, ""},
        {"a trailer without colon", BYTES("0\r\nX\r\n\r\n"), 5, ""},
        {"a trailer without name", BYTES("0\r\n: a\r\n\r\n"), 4, ""},
        {"a trailer with a space before it", BYTES("0\r\n X: a\r\n\r\n"), 4, ""},
        {"a folded trailer", BYTES("0\r\nX: a\r\n\tb\r\n\r\n"), 10, ""},
        {"a space before the colon", BYTES("0\r\nX : a\r\n\r\n"), 5, ""},
        {"a NUL in a trailer", BYTES("0\r\nX: a\0\r\n\r\n"), 8, ""},
        {"a bare LF in a trailer", BYTES("0\r\nX: a\n\r\n"), 8, ""},
        {"a bare CR in a trailer", BYTES("0\r\nX: a\rb\r\n\r\n"), 9, ""},
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        check(bad[i].name, BODY_CHUNKED, 0, bad[i].bytes, bad[i].length, BODY_BAD,
              bad[i].used, bad[i].body);
}

/* What each byte does where the framing has one. It decides at once, but for those that
 * are skipped, which need what follows: the lists above have them. */
static void check_every_byte(const char *before, const char *after, const char *made,
                             const char *allowed, const char *skipped, bool text) {
    for (int byte = 0; byte < 256; byte++) {
        char raw[128], name[64];
        if (byte && strchr(skipped, byte))
            continue;
        size_t at = strlen(before), length = at + 1 + strlen(after);
        snprintf(raw, sizeof raw, "%s?%s", before, after);
        snprintf(name, sizeof name, "byte 0x%02x after '%s'", (unsigned)byte, before);
        raw[at] = (char)byte;
        bool good = (byte && strchr(allowed, byte)) ||
                    (text && (byte == '\t' || (byte >= ' ' && byte != 0x7f)));
        check(name, BODY_CHUNKED, 0, raw, length, good ? BODY_OVER : BODY_BAD,
              good ? length : at + 1, good ? made : "");
    }
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

Test(body, knows_which_byte_may_stand_where) {
    check_every_byte("0", "\r\n\r\n", "", "0;", "\r \t123456789abcdefABCDEF", false);
    check_every_byte("0 ", ";\r\n\r\n", "", "; \t", "", false);
    check_every_byte("0;a", "\r\n\r\n", "", "", "\r\"", true);
    check_every_byte("0\r\nX: a", "b\r\n\r\n", "", "", "\r", true);
    check_every_byte("0\r\nX", ": a\r\n\r\n", "", "!#$%&'*+-.^_`|~:0123456789" LETTERS,
                     "", false);
}

Test(body, with_a_length_is_taken_as_it_is) {
    check("none", BODY_NONE, 0, NEXT, strlen(NEXT), BODY_OVER, 0, "");
    check("length 0", BODY_LENGTH, 0, NEXT, strlen(NEXT), BODY_OVER, 0, "");
    check("length 5", BODY_LENGTH, 5, "hello" NEXT, 5 + strlen(NEXT), BODY_OVER, 5,
          "hello");
    check("chunks as data", BODY_LENGTH, 5, END NEXT, 5 + strlen(NEXT), BODY_OVER, 5,
          END);
    check("too short", BODY_LENGTH, 6, "hello", 5, BODY_PARTIAL, 5, "hello");
}

Test(body, that_has_not_ended_is_partial) {
    static const char *const parts[] = {
        "5",        "5;a",        "5;a=\"",          "5\r",
        "5\r\n",    "5\r\nhello", "5\r\nhello\r",    "5\r\nhello\r\n",
        "0",        "0\r",        "0\r\n",           "0\r\n\r",
        "0\r\nX",   "0\r\nX:",    "0\r\nX: a\r",     "0\r\nX: a\r\n",
        "5\r\nhel", "000000",     "5\r\nhello\r\n0", "5 ",
    };
    for (size_t i = 0; i < COUNT(parts); i++) {
        const char *made = strstr(parts[i], "hello") ? "hello"
                           : strstr(parts[i], "hel") ? "hel"
                                                     : "";
        check(parts[i], BODY_CHUNKED, 0, parts[i], strlen(parts[i]), BODY_PARTIAL,
              strlen(parts[i]), made);
    }
}

Test(body, without_room_waits_before_the_data) {
    struct body body;
    size_t used, made;
    char out[8];
    body_begin(&body, BODY_CHUNKED, 0);
    cr_assert_eq(body_decode(&body, "5\r\nhello\r\n", 10, &used, out, 0, &made),
                 BODY_PARTIAL);
    cr_assert(used == 3 && made == 0);
    cr_assert_eq(body_decode(&body, "hello\r\n", 7, &used, out, 0, &made),
                 BODY_PARTIAL);
    cr_assert(used == 0 && made == 0);
    cr_assert_eq(body_decode(&body, "hello\r\n" END NEXT, 28, &used, out, 5, &made),
                 BODY_OVER);
    cr_assert(used == 12 && made == 5, "the end needs no room");
    body_begin(&body, BODY_LENGTH, 1);
    cr_assert_eq(body_decode(&body, "a", 1, &used, out, 0, &made), BODY_PARTIAL);
    cr_assert(used == 0 && made == 0);
}

Test(body, that_is_over_or_wrong_stays_so) {
    static const struct {
        const char *raw;
        enum body_result result;
    } cases[] = {{END, BODY_OVER}, {"x", BODY_BAD}, {"100001\r\n", BODY_TOO_LARGE}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct body body;
        size_t used, made;
        char out[8];
        body_begin(&body, BODY_CHUNKED, 0);
        cr_assert_eq(body_decode(&body, cases[i].raw, strlen(cases[i].raw), &used, out,
                                 8, &made),
                     cases[i].result);
        for (int again = 0; again < 2; again++) {
            cr_assert_eq(body_decode(&body, "1\r\na\r\n" END, 11, &used, out, 8, &made),
                         cases[i].result);
            cr_assert(used == 0 && made == 0);
        }
    }
}
