/* Pieces of somebody else's bytes. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "03-request/text.h"

#define COUNT(of) (sizeof(of) / sizeof(of)[0])

static struct text text(const char *string) {
    return (struct text){string, strlen(string)};
}

Test(text, is_the_same_bytes) {
    cr_assert(text_is(text("GET"), "GET"));
    cr_assert(text_is(text(""), ""));
    cr_assert_not(text_is(text("GET"), "GE"));
    cr_assert_not(text_is(text("GE"), "GET"));
    cr_assert_not(text_is(text("GET"), "get"));
    cr_assert_not(text_is((struct text){"a\0b", 3}, "a"));
}

Test(text, may_differ_in_case_by_letters_alone) {
    cr_assert(text_is_any_case(text("Content-LENGTH"), "content-length"));
    cr_assert(text_is_any_case(text("AZ"), "az"));
    cr_assert_not(text_is_any_case(text("Host"), "Hos"));
    cr_assert_not(text_is_any_case(text("Hos"), "Host"));
    for (int a = 1; a < 256; a++)
        for (int b = 1; b < 256; b++) {
            char one = (char)a, other[] = {(char)b, '\0'};
            bool letters = ((a | 32) == (b | 32)) && (a | 32) >= 'a' && (a | 32) <= 'z';
            cr_assert_eq(text_is_any_case((struct text){&one, 1}, other),
                         a == b || letters, "%d and %d", a, b);
        }
}

Test(text, lists_words_between_commas) {
    static const char *const with[] = {
        "close",           "Close",   " close ", "\tclose\t", "a,close",  "close,a",
        "a, b ,close\t,c", ",,close", "close,",  "close , ",  " , close",
    };
    static const char *const without[] = {
        "",        ",",       " ",      "clos",     "closed",    "close a",
        "a close", "close;a", "clo,se", "a,closer", "\"close\"",
    };
    for (size_t i = 0; i < COUNT(with); i++)
        cr_assert(text_lists(text(with[i]), "close"), "'%s'", with[i]);
    for (size_t i = 0; i < COUNT(without); i++)
        cr_assert_not(text_lists(text(without[i]), "close"), "'%s'", without[i]);
}

Test(text, is_a_number_up_to_a_limit) {
    static const struct {
        const char *digits;
        uint64_t most;
        bool is_number;
        uint64_t number;
    } cases[] = {
        {"0", 0, true, 0},
        {"0", 10, true, 0},
        {"000", 0, true, 0},
        {"007", 10, true, 7},
        {"10", 10, true, 10},
        {"11", 10, false, 0},
        {"9", 9, true, 9},
        {"9", 8, false, 0},
        {"1", 0, false, 0},
        {"19", 10, false, 0},
        {"99", 100, true, 99},
        {"100", 99, false, 0},
        {"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
        {"00018446744073709551615", UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, false, 0},
        {"18446744073709551620", UINT64_MAX, false, 0},
        {"99999999999999999999", UINT64_MAX, false, 0},
        {"184467440737095516150", UINT64_MAX, false, 0},
        {"9223372036854775807", INT64_MAX, true, INT64_MAX},
        {"9223372036854775808", INT64_MAX, false, 0},
        {"", 10, false, 0},
        {" 1", 10, false, 0},
        {"1 ", 10, false, 0},
        {"+1", 10, false, 0},
        {"-1", 10, false, 0},
        {"1a", 10, false, 0},
        {"0x1", 10, false, 0},
        {"1.0", 10, false, 0},
        {"\xb2", 10, false, 0}, /* a superscript two in Latin-1 */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t number = 0;
        cr_assert_eq(text_number(text(cases[i].digits), cases[i].most, &number),
                     cases[i].is_number, "'%s' up to %" PRIu64, cases[i].digits,
                     cases[i].most);
        if (cases[i].is_number)
            cr_assert_eq(number, cases[i].number, "'%s'", cases[i].digits);
    }
}

Test(text, ends_where_its_length_says) {
    uint64_t number;
    struct text value;
    cr_assert(text_number((struct text){"123", 2}, 100, &number));
    cr_assert_eq(number, 12);
    cr_assert(text_parameter((struct text){"a=12", 3}, "a", &value));
    cr_assert(text_is(value, "1"));
    cr_assert_not(text_lists((struct text){"close", 4}, "close"));
}

Test(text, has_parameters) {
    static const struct {
        const char *query, *name, *value; /* NULL: there is none */
    } cases[] = {
        {"ms=20", "ms", "20"},      {"ms=20&n=3", "ms", "20"}, {"ms=20&n=3", "n", "3"},
        {"a&ms=20", "ms", "20"},    {"ms=", "ms", ""},         {"ms", "ms", ""},
        {"ms=1&ms=2", "ms", "1"},   {"ms=a=b", "ms", "a=b"},   {"&&ms=1", "ms", "1"},
        {"n=ms=1&ms=2", "ms", "2"}, {"", "ms", NULL},          {"m=1", "ms", NULL},
        {"mss=1", "ms", NULL},      {"xms=1", "ms", NULL},     {"MS=1", "ms", NULL},
        {"n=ms", "ms", NULL},       {"=ms", "ms", NULL},       {"&", "ms", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text value = text("?");
        cr_assert_eq(text_parameter(text(cases[i].query), cases[i].name, &value),
                     cases[i].value != NULL, "%s in %s", cases[i].name, cases[i].query);
        if (cases[i].value)
            cr_assert(text_is(value, cases[i].value), "%s in %s: '%.*s'", cases[i].name,
                      cases[i].query, (int)value.length, value.at);
    }
}
