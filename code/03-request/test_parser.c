/* The parser: a table of heads, each read in every way that a network can deliver it,
 * and lying against memory that can't be touched. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "03-request/request.h"

TestSuite(parser, .timeout = 60);

static parse_function *const parse = parse_plain;

/* Four pages between two that may not be touched: a byte read too far is a crash. */
static char *room;
static size_t room_size;

static void make_room(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *all = mmap(NULL, 6 * page, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
    cr_assert_neq(all, MAP_FAILED);
    room = all + page;
    room_size = 4 * page;
    cr_assert(mprotect(room, room_size, PROT_READ | PROT_WRITE) == 0);
}

enum { AT_START, AT_END, PLACES };

/* Parses `length` bytes put at one edge of the room; `*base` is where they lie. */
static int parse_at(int place, const char *bytes, size_t length, size_t seen,
                    struct request *request, const char **base) {
    cr_assert_leq(length, room_size);
    char *at = place == AT_START ? room : room + room_size - length;
    memcpy(at, bytes, length);
    *base = at;
    return parse(at, length, seen, request);
}

static bool same_text(struct text a, const char *base_a, struct text b,
                      const char *base_b) {
    return a.length == b.length && a.at - base_a == b.at - base_b;
}

static void expect_same(const char *name, const struct request *a, const char *base_a,
                        const struct request *b, const char *base_b) {
    cr_assert(same_text(a->method, base_a, b->method, base_b) &&
                  same_text(a->target, base_a, b->target, base_b) &&
                  same_text(a->path, base_a, b->path, base_b) &&
                  same_text(a->query, base_a, b->query, base_b) &&
                  a->major == b->major && a->minor == b->minor &&
                  a->field_count == b->field_count,
              "%s: it depends on the pieces", name);
    for (int i = 0; i < a->field_count; i++)
        cr_assert(same_text(a->fields[i].name, base_a, b->fields[i].name, base_b) &&
                      same_text(a->fields[i].value, base_a, b->fields[i].value, base_b),
                  "%s: field %d depends on the pieces", name, i);
}

/* Feeds a byte at a time, as conn.c does; returns after how many bytes it was decided.
 */
static size_t feed_bytes(int place, const char *bytes, size_t length,
                         struct request *request, const char **base, int *result) {
    for (size_t n = 1; n <= length; n++) {
        *result = parse_at(place, bytes, n, n - 1, request, base);
        if (*result != PARSE_PARTIAL)
            return n;
    }
    return length;
}

/* `result` is what the parser has to say of the bytes, and it has to say so after
 * `decided` of them if that isn't 0. All ways of feeding have to agree. */
static void check(const char *name, const char *bytes, size_t length, int result,
                  size_t decided) {
    static struct request whole, pieces;
    const char *whole_base, *base;
    for (int place = 0; place < PLACES; place++) {
        int got = parse_at(place, bytes, length, 0, &whole, &whole_base);
        cr_assert_eq(got, result, "%s: whole it is %d, not %d", name, got, result);
        size_t first = feed_bytes(place, bytes, length, &pieces, &base, &got);
        cr_assert_eq(got, result, "%s: byte by byte it is %d, not %d", name, got,
                     result);
        cr_assert(decided == 0 || first == decided,
                  "%s: decided after %zu bytes, not %zu", name, first, decided);
        if (result > 0) {
            cr_assert_eq(first, (size_t)result, "%s: accepted early or late", name);
            expect_same(name, &whole, whole_base - (place == AT_END ? 0 : 0), &pieces,
                        base);
        }
        for (size_t split = 0; split < length; split++) {
            got = parse_at(place, bytes, split, 0, &pieces, &base);
            cr_assert_eq(got == PARSE_PARTIAL, split < first,
                         "%s: %d after %zu bytes at once, but decided after %zu", name,
                         got, split, first);
            if (got != PARSE_PARTIAL)
                break;
            got = parse_at(place, bytes, length, split, &pieces, &base);
            cr_assert_eq(got, result, "%s: split at %zu it is %d", name, split, got);
            if (result > 0)
                expect_same(name, &whole, whole_base, &pieces, base);
        }
    }
}

/* A head that is good: it ends at its end, also when the next one follows. */
static void check_good(const char *name, const char *bytes, size_t length) {
    static char two[8192];
    check(name, bytes, length, (int)length, length);
    memcpy(two, bytes, length);
    memcpy(two + length, bytes, length);
    struct request request;
    const char *base;
    for (size_t seen = 0; seen < length; seen++)
        cr_assert_eq(parse_at(AT_END, two, 2 * length, seen, &request, &base),
                     (int)length, "%s: followed by another", name);
}

#define LINE      "GET / HTTP/1.1\r\n"
#define COUNT(of) (sizeof(of) / sizeof(of)[0])
#define BYTES(literal) literal, sizeof(literal) - 1

struct head {
    const char *name, *bytes;
    size_t length;
    size_t decided; /* for a bad one: after how many bytes, or 0: whenever */
};

Test(parser, takes_good_heads, .init = make_room) {
    static const struct head good[] = {
        {"a line alone", BYTES(LINE "\r\n"), 0},
        {"a usual one", BYTES(LINE "Host: a\r\nAccept: */*\r\n\r\n"), 0},
        {"empty value", BYTES(LINE "A:\r\nB: \r\nC:\t \r\n\r\n"), 0},
        {"no space after the colon", BYTES(LINE "A:b\r\n\r\n"), 0},
        {"tabs and spaces", BYTES(LINE "A:\t \tb c\td \t\r\n\r\n"), 0},
        {"colons in a value", BYTES(LINE "A: b:c::d:\r\n\r\n"), 0},
        {"obs-text in a value", BYTES(LINE "A: \x80\xc3\xa4\xff\r\n\r\n"), 0},
        {"all printable in a value",
         BYTES(LINE "A: !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\r\n\r\n"), 0},
        {"all kinds of token", BYTES("!#$%&'*+-.^_`|~09AZaz / HTTP/1.1\r\n"
                                     "!#$%&'*+-.^_`|~09AZaz: a\r\n\r\n"), 0},
        {"all of a target", BYTES("GET /!\"$%&'()*+,-./:;<=>?@[\\]^_`{|}~?a#"
                                  + 0), 0},
        {"a query", BYTES("GET /a?b=c&d=e?f HTTP/1.1\r\n\r\n"), 0},
        {"an empty query", BYTES("GET /? HTTP/1.1\r\n\r\n"), 0},
        {"asterisk form", BYTES("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), 0},
        {"absolute form", BYTES("GET http://a/b?c HTTP/1.1\r\nHost: a\r\n\r\n"), 0},
        {"authority form", BYTES("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"), 0},
        {"HTTP/1.0", BYTES("GET / HTTP/1.0\r\n\r\n"), 0},
        {"HTTP/1.2", BYTES("GET / HTTP/1.2\r\n\r\n"), 0},
        {"HTTP/2.0, well formed", BYTES("PRI * HTTP/2.0\r\n\r\n"), 0},
        {"an unknown method", BYTES("brew /pot HTTP/1.1\r\nHost: a\r\n\r\n"), 0},
        {"two of a name", BYTES(LINE "Host: a\r\nHost: b\r\n\r\n"), 0},
    };
    for (size_t i = 0; i < COUNT(good); i++)
        check_good(good[i].name, good[i].bytes, good[i].length);
}
