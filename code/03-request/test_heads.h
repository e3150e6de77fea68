/* A parser's tests: a table of heads, each read in every way that a network can deliver
 * it, and lying against memory that can't be touched. Whoever includes this says before
 * which PARSER it is. */
#ifndef REQUEST_TEST_HEADS_H
#define REQUEST_TEST_HEADS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "03-request/request.h"
#include "03-request/test_support_cases.h"

TestSuite(parser, .timeout = 300);

static parse_function *const parse = PARSER;

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
                  a->major == b->major && a->minor == b->minor &&
                  a->field_count == b->field_count,
              "%s: it depends on the pieces", name);
    for (int i = 0; i < a->field_count; i++)
        cr_assert(same_text(a->fields[i].name, base_a, b->fields[i].name, base_b) &&
                      same_text(a->fields[i].value, base_a, b->fields[i].value, base_b),
                  "%s: field %d depends on the pieces", name, i);
}

/* Feeds a byte at a time, as conn.c does; returns after how many bytes it was
 * decided. */
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
            expect_same(name, &whole, whole_base, &pieces, base);
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

#define LINE           "GET / HTTP/1.1\r\n"
#define COUNT(of)      (sizeof(of) / sizeof(of)[0])
#define BYTES(literal) literal, sizeof(literal) - 1 /* a NUL may stand in it */

Test(parser, takes_good_heads, .init = make_room) {
    static const struct {
        const char *name, *bytes;
        size_t length;
    } heads[] = {
        {"a line alone", BYTES(LINE "\r\n")},
        {"a usual one", BYTES(LINE "Host: a\r\nAccept: */*\r\n\r\n")},
        {"empty values", BYTES(LINE "A:\r\nB: \r\nC:\t \r\n\r\n")},
        {"no space after the colon", BYTES(LINE "A:b\r\n\r\n")},
        {"tabs and spaces", BYTES(LINE "A:\t \tb c\td \t\r\n\r\n")},
        {"colons in a value", BYTES(LINE "A: b:c::d:\r\n\r\n")},
        {"a query", BYTES("GET /a?b=c&d=e?f HTTP/1.1\r\n\r\n")},
        {"an empty query", BYTES("GET /? HTTP/1.1\r\n\r\n")},
        {"asterisk form", BYTES("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")},
        {"absolute form", BYTES("GET http://a/b?c HTTP/1.1\r\nHost: a\r\n\r\n")},
        {"authority form", BYTES("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n")},
        {"HTTP/1.0", BYTES("GET / HTTP/1.0\r\n\r\n")},
        {"HTTP/1.2", BYTES("GET / HTTP/1.2\r\n\r\n")},
        {"HTTP/2.0, which is well formed", BYTES("PRI * HTTP/2.0\r\n\r\n")},
        {"an unknown method", BYTES("brew /pot HTTP/1.1\r\nHost: a\r\n\r\n")},
        {"two of a name", BYTES(LINE "Host: a\r\nHost: b\r\n\r\n")},
    };
    for (size_t i = 0; i < COUNT(heads); i++)
        check_good(heads[i].name, heads[i].bytes, heads[i].length);
}

Test(parser, refuses_bad_heads, .init = make_room) {
    static const struct {
        const char *name, *bytes;
        size_t length;
        size_t decided; /* after so many bytes, or 0: by the blank line */
    } heads[] = {
        {"no request line", BYTES("\r\n\r\n"), 0},
        {"an empty line first", BYTES("\r\n" LINE "\r\n"), 0},
        {"no target", BYTES("GET HTTP/1.1\r\n\r\n"), 0},
        {"an empty target", BYTES("GET  HTTP/1.1\r\n\r\n"), 0},
        {"no method", BYTES(" / HTTP/1.1\r\n\r\n"), 0},
        {"no method and no space", BYTES("/ HTTP/1.1\r\n\r\n"), 0},
        {"two spaces before the target", BYTES("GET  / HTTP/1.1\r\n\r\n"), 0},
        {"two spaces after the target", BYTES("GET /  HTTP/1.1\r\n\r\n"), 0},
        {"a space at the end", BYTES("GET / HTTP/1.1 \r\n\r\n"), 0},
        {"a space at the start", BYTES(" GET / HTTP/1.1\r\n\r\n"), 0},
        {"tabs for spaces", BYTES("GET\t/\tHTTP/1.1\r\n\r\n"), 0},
        {"no version", BYTES("GET /\r\n\r\n"), 0},
        {"a version without digits", BYTES("GET / HTTP/\r\n\r\n"), 0},
        {"HTTP/1", BYTES("GET / HTTP/1\r\n\r\n"), 0},
        {"HTTP/1.", BYTES("GET / HTTP/1.\r\n\r\n"), 0},
        {"HTTP/1.10", BYTES("GET / HTTP/1.10\r\n\r\n"), 0},
        {"HTTP/11.1", BYTES("GET / HTTP/11.1\r\n\r\n"), 0},
        {"HTTP/1,1", BYTES("GET / HTTP/1,1\r\n\r\n"), 0},
        {"HTTP/x.1", BYTES("GET / HTTP/x.1\r\n\r\n"), 0},
        {"http/1.1", BYTES("GET / http/1.1\r\n\r\n"), 0},
        {"a space in a path", BYTES("GET /a b HTTP/1.1\r\n\r\n"), 0},
        {"a fragment", BYTES("GET /a#b HTTP/1.1\r\n\r\n"), 0},
        {"a fragment in a query", BYTES("GET /?a#b HTTP/1.1\r\n\r\n"), 0},
        {"a folded value", BYTES(LINE "X: a\r\n b\r\n\r\n"), 0},
        {"a value folded by a tab", BYTES(LINE "X: a\r\n\tb\r\n\r\n"), 0},
        {"a space before the first name", BYTES(LINE " X: a\r\nHost: a\r\n\r\n"), 0},
        {"a line of one space", BYTES(LINE "X: a\r\n \r\n\r\n"), 0},
        {"a field without colon", BYTES(LINE "Content-Length 5\r\n\r\n"), 0},
        {"a name alone", BYTES(LINE "X\r\n\r\n"), 0},
        {"a space before the colon", BYTES(LINE "X : a\r\n\r\n"), 0},
        {"a tab before the colon", BYTES(LINE "X\t: a\r\n\r\n"), 0},
        {"a space in a name", BYTES(LINE "X Y: a\r\n\r\n"), 0},
        {"an empty name", BYTES(LINE ": a\r\n\r\n"), 0},
        {"a TLS hello", BYTES("\x16\x03\x01\x02"), 1},
        {"a NUL in a value", BYTES(LINE "X: a\0b\r\n\r\n"), 21},
        {"a NUL first", BYTES("\0" LINE "\r\n"), 1},
        {"an LF first", BYTES("\n" LINE "\r\n"), 1},
        {"a bare LF after the line", BYTES("GET / HTTP/1.1\nA: b\r\n\r\n"), 15},
        {"no version and a bare LF", BYTES("GET /x\nHost: a\r\n\r\n"), 7},
        {"a bare LF after a field", BYTES(LINE "A: b\nC: d\r\n\r\n"), 21},
        {"a bare LF for the blank line", BYTES(LINE "A: b\r\n\n"), 23},
        {"a bare CR in a value", BYTES(LINE "A: b\rc\r\n\r\n"), 22},
        {"a bare CR in a name", BYTES(LINE "A\rB: c\r\n\r\n"), 19},
        {"a bare CR after the line", BYTES("GET / HTTP/1.1\rA: b\r\n\r\n"), 16},
        {"two CR before the LF", BYTES("GET / HTTP/1.1\r\r\n\r\n"), 16},
        {"a CR CR LF for the blank line", BYTES(LINE "\r\r\n"), 18},
    };
    for (size_t i = 0; i < COUNT(heads); i++)
        check(heads[i].name, heads[i].bytes, heads[i].length, PARSE_BAD,
              heads[i].decided);
}

/* What each byte is where a head has one; `allowed` says which may stand there. */
static void check_every_byte(const char *before, const char *after,
                             bool (*allowed)(int byte)) {
    size_t length = strlen(before) + 1 + strlen(after);
    for (int byte = 0; byte < 256; byte++) {
        char head[128], name[64];
        snprintf(head, sizeof head, "%s?%s", before, after);
        head[strlen(before)] = (char)byte;
        snprintf(name, sizeof name, "byte 0x%02x after '%.20s'", (unsigned)byte,
                 before);
        bool early = (byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f;
        if (allowed(byte))
            check_good(name, head, length);
        else
            check(name, head, length, PARSE_BAD,
                  early          ? strlen(before) + 1
                  : byte == '\r' ? strlen(before) + 2
                                 : 0);
    }
}

/* RFC 9110, section 5.6.2 */
static bool in_token(int byte) {
    return byte > 0 && byte < 0x7f &&
           strchr("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                  byte);
}

static bool in_name(int byte) {
    return in_token(byte) || byte == ':'; /* "A:B: c" is the name A */
}

/* Anything visible but what begins a fragment, which isn't sent (RFC 9110, 7.1). */
static bool in_target(int byte) {
    return byte > ' ' && byte < 0x7f && byte != '#';
}

/* RFC 9110, section 5.5 */
static bool in_value(int byte) {
    return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

Test(parser, knows_which_byte_may_stand_where, .init = make_room) {
    check_every_byte("G", "T / HTTP/1.1\r\n\r\n", in_token);
    check_every_byte("GET /a", "b HTTP/1.1\r\n\r\n", in_target);
    check_every_byte("GET /?a", "b HTTP/1.1\r\n\r\n", in_target);
    check_every_byte(LINE "A", "B: c\r\n\r\n", in_name);
    check_every_byte(LINE "A: b", "c\r\n\r\n", in_value);
    check_every_byte(LINE "A:", "\r\nB: c\r\n\r\n", in_value);
}

Test(parser, takes_100_fields_and_no_more, .init = make_room) {
    char head[4096] = LINE;
    for (int i = 0; i < FIELDS_MOST; i++)
        strcat(head, "A:b\r\n");
    size_t length = strlen(head);
    strcpy(head + length, "\r\n");
    check_good("100 fields", head, length + 2);
    strcpy(head + length, "A:b\r\n\r\n");
    check("101 fields", head, length + 7, PARSE_TOO_MANY, 0);
    strcpy(head + length, "A b\r\n\r\n");
    check("101 fields, the last one bad", head, length + 7, PARSE_TOO_MANY, 0);
}

Test(parser, takes_no_half_for_a_whole, .init = make_room) {
    static const char *const halves[] = {
        "", "G", "GET", LINE, LINE "A: b\r\n\r", LINE "A: b\r\nC"};
    struct request request;
    const char *base;
    for (size_t i = 0; i < COUNT(halves); i++)
        for (int place = 0; place < PLACES; place++)
            cr_assert_eq(
                parse_at(place, halves[i], strlen(halves[i]), 0, &request, &base),
                PARSE_PARTIAL);
}

/* What it says of a row of http.tsv is the connection's affair. Here: it says the same
 * however the row's first head is cut. */
Test(parser, reads_the_table_alike_however_it_is_cut, .init = make_room) {
    static struct request request;
    size_t count;
    const struct http_case *rows = cases_read(&count);
    for (size_t i = 0; i < count; i++) {
        const struct http_case *row = &rows[i];
        int result = parse(row->bytes, row->length, 0, &request);
        cr_assert_neq(result, PARSE_PARTIAL, "%s", row->name);
        check(row->name, row->bytes, row->length, result, 0);
    }
}

#endif
