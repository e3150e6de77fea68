/* Books that nobody should write, but that must not bring weave down. */
#include "99-weave/test_book.h"

TestSuite(hostile, .init = set_up, .fini = clean_up);

/* Weaves the book in `folder` for good; it has `expected` faults. */
static void weaves(size_t expected) {
    size_t problems;
    char *said = said_by(folder, false, &problems);
    cr_expect_eq(problems, expected, "%s", said);
    free(said);
}

Test(hostile, carriage_returns_and_no_line_feed_at_the_end) {
    put_good_book();
    put(TOML, "[book]\r\ntitle = \"T\"\r\nsrc = \"chapters\"");
    put(SUMMARY, "# Summary\r\n\r\n- [06. Pump](06-pump.md)");
    put(CHAPTER, "# Pump\r\n\r\n```c\r\n{{#include ../" A_C ":a}}\r\n```");
    put(A_C, "/* ANCHOR: a */\r\nint a;\r\n/* ANCHOR_END: a */");
    weaves(0);
    holds("06-pump.html", "<title>06. Pump · T</title>");
    holds("06-pump.html", "<span class=\"type\">int</span>");
    lacks("06-pump.html", "\r");
}

Test(hostile, an_empty_chapter_and_an_empty_file) {
    put_good_book();
    put(CHAPTER, "");
    put(A_C, "");
    weaves(0);
    holds("06-pump.html", "<main id=\"_main\">");
}

Test(hostile, an_empty_summary) {
    put_good_book();
    remove(in(CHAPTER));
    remove(in(A_C));
    put(SUMMARY, "");
    weaves(0);
}

Test(hostile, a_line_of_a_million_bytes) {
    put_good_book();
    static char line[1000001];
    memset(line, 'a', sizeof line - 1);
    put(CHAPTER, text_of("%s\n\n```c\n{{#include ../" A_C "}}\n```\n", line));
    memset(line, ' ', sizeof line - 1);
    put(A_C, text_of("int a;%s\nint b;", line));
    weaves(0);
}

Test(hostile, a_hundred_thousand_quotes_in_each_other) {
    put_good_book();
    static char line[100001];
    memset(line, '>', sizeof line - 1);
    put(CHAPTER, text_of(BLOCK("") "\n%s", line));
    weaves(0);
}

Test(hostile, a_nul_byte_is_a_fault_of_code_and_a_mark_in_prose) {
    put_good_book();
    static const char prose[] = "a\0b\n\n```c\n{{#include ../" A_C "}}\n```\n";
    static const char code[] = "int a;\0 int b;\n";
    file_write(in(CHAPTER), prose, sizeof prose - 1);
    file_write(in(A_C), code, sizeof code - 1);
    keep_nothing();
    says(A_C ": holds a NUL byte, so it isn't text\n");
    weaves(1);
    holds("06-pump.html", "a\xEF\xBF\xBD"
                          "b");
}

Test(hostile, bytes_that_are_no_utf8) {
    put_good_book();
    put(CHAPTER, "# \xFF\xC3 \xE2\n\n```c\n{{#include ../" A_C ":a}}\n```\n");
    weaves(0);
    lacks("06-pump.html", "\xFF");
}
