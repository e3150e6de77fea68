/* Small books that have one thing wrong each. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "00-ground/test_support.h"
#include "99-weave/test_book.h"

TestSuite(broken, .init = set_up, .fini = clean_up);

Test(broken, a_whole_book_says_nothing) {
    put_good_book();
    says("");
}

/* Each changes or adds one file of the whole book. */
static const struct fault {
    const char *path, *text, *says;
} faults[] = {

    {A_C, "int a;\n",
     CHAPTER ":4: no anchor 'a' in " A_C "\n" A_C ":1: lines 1 to 1" NOWHERE},
    {A_C, "/* ANCHOR: a */\nint a;\n", A_C ":1: anchor 'a' is never closed\n"},
    {A_C, FILE_A "/* ANCHOR: a */\n\n/* ANCHOR_END: a */\n",
     A_C ":4: anchor 'a' is doubled; the other is at line 1\n" A_C
         ":4: anchor 'a' is empty\n"},
    {A_C, FILE_A "/* ANCHOR: e */\n/* ANCHOR_END: e */\n",
     A_C ":4: anchor 'e' is empty\n"},
    {A_C,
     "/* ANCHOR: a */\nint a;\n/* ANCHOR: b */\nint b;\n/* ANCHOR_END: a */\n"
     "/* ANCHOR_END: b */\n",
     A_C ":5: anchor 'a' ends inside anchor 'b'; close the inner one first\n"},
    {A_C, FILE_A "/* ANCHOR_END: x */\n", A_C ":4: anchor 'x' ends but never begins\n"},
    {A_C, FILE_A "int b;\n\nint c;\n", A_C ":4: lines 4 to 6" NOWHERE},
    {"code/06-pump/deep/b.h", "\nint b;\n",
     "code/06-pump/deep/b.h:2: lines 2 to 2" NOWHERE},

    {CHAPTER, BLOCK("{{#include ../code/no.c}}\n"),
     CHAPTER ":5: there is no ../code/no.c\n"},
    {CHAPTER, BLOCK("{{#include ../code}}\n"),
     CHAPTER ":5: can't read code: Is a directory\n"},
    {CHAPTER, BLOCK("{{#include ../..}}\n"),
     CHAPTER ":5: ../.. is outside of the project\n"},
    {CHAPTER, BLOCK("{{#include /etc/passwd}}\n"),
     CHAPTER ":5: there is no /etc/passwd\n"},
    {CHAPTER, BLOCK("{{#include ../" A_C ":1:2}}\n"),
     CHAPTER ":5: '../" A_C
             ":1:2' is a range of lines, which drifts; name an anchor\n"},
    {CHAPTER, BLOCK("{{#include ../" A_C ":2}}\n"),
     CHAPTER ":5: '../" A_C ":2' is a range of lines, which drifts; name an anchor\n"},
    {CHAPTER, BLOCK("{{#include ../" A_C "}}\n"),
     CHAPTER ":5: " A_C ", from line 2 on, already stands at " CHAPTER
             ":4; use {{#again}}\n"},
    {CHAPTER, BLOCK("{{#again SUMMARY.md}}\n"),
     CHAPTER ":5: {{#again}} of " SUMMARY ", whose line 1 no {{#include}} shows\n"},
    {CHAPTER, BLOCK("x {{#include SUMMARY.md}}\n"),
     CHAPTER ":5: a directive in a code block has a line for itself; "
             "write \\{{# to show one\n"},
    {CHAPTER, BLOCK("{{#claim G2}}\n"),
     CHAPTER ":5: '{{#claim}}' can't stand in a code block\n"},
    {CHAPTER, TEXT("```sh\none\n\nWords.\n\n```sh\ntwo\n```"),
     CHAPTER ":12: a block begins in a block; close the one before\n"},
    {CHAPTER, TEXT("{{#include ../" A_C ":a}}"),
     CHAPTER ":7: {{#include belongs in a fenced code block\n"},
    {CHAPTER, TEXT("## The rest of the room\n\n```c\n{{#include SUMMARY.md}}\n```"),
     CHAPTER
     ":10: say in a paragraph before it why this listing is out of the story\n"},

    {CHAPTER, TEXT("one\n{{#shout x}}"), CHAPTER ":8: {{#shout is no directive\n"},
    {CHAPTER, TEXT("a {{#claim G2"), CHAPTER ":7: {{# is never closed by }}\n"},
    {CHAPTER, TEXT("{{#claim G2}}"), CHAPTER ":7: claim 'G2': no such row\n"},
    {CHAPTER, TEXT("{{#ledger 06}}"), CHAPTER ":7: no ledger '06' in experiments/\n"},
    {CHAPTER, TEXT("{{#figure no Nothing.}}"),
     CHAPTER ":7: no figure 'no': " GOLDEN "/figures/no.svg: " NO_FILE},
    {CHAPTER, TEXT("{{#figure wakes}}"), CHAPTER ":7: figure 'wakes' has no caption\n"},
    {CHAPTER, TEXT("so {{#figure wakes Here.}}"),
     CHAPTER ":7: {{#figure wants a paragraph of its own\n"},

    {CHAPTER, TEXT("[x](no.md)"), CHAPTER ":7: there is no no.md\n"},
    {CHAPTER, TEXT("| [x](#no) |\n| - |"),
     CHAPTER ":7: there is no '#no' in " CHAPTER "\n"},
    {CHAPTER, TEXT("a\nb [x](06-pump.md#no)"),
     CHAPTER ":8: there is no '#no' in " CHAPTER "\n"},
    {CHAPTER, TEXT("![x](no.png)"), CHAPTER ":7: there is no no.png\n"},
    {CHAPTER, TEXT("[x](../../no)"), CHAPTER ":7: there is no ../../no\n"},
    {CHAPTER, TEXT("[x](../code)"), CHAPTER ":7: can't read code: Is a directory\n"},
    {CHAPTER, TEXT("![x](https://example.org/x.png)"),
     CHAPTER ":7: https://example.org/x.png would come from another host\n"},
    {CHAPTER, TEXT("a <br> b"),
     CHAPTER ":7: raw HTML isn't shown; backquotes show it as it is\n"},

    {"chapters/07-x.md", "# X\n", "chapters/07-x.md: isn't in SUMMARY.md\n"},
    {SUMMARY, LINKS "- [No](no.md)\n",
     SUMMARY ":4: can't read chapters/no.md: " NO_FILE},
    {SUMMARY, LINKS "- [No](a/no.md)\n",
     SUMMARY ":4: 'a/no.md' isn't a .md file beside SUMMARY.md\n"},
    {SUMMARY, LINKS "- [Twice](06-pump.md)\n",
     SUMMARY ":4: 06-pump.md is already at line 3\n"},
    {SUMMARY, LINKS "\nwords\n", SUMMARY ":5: only [Title](file.md) can stand here\n"},
    {SUMMARY, LINKS "\n> quote\n",
     SUMMARY ":5: only [Title](file.md) can stand here\n"},
    {TOML, "[book]\nsrc = \"chapters\"\nmultilingual = \"x\"\n",
     TOML ":3: unknown key 'multilingual'\n"},
    {TOML, "[book]\nsrc = \"chapters\"\ntitle = 3\n",
     TOML ":3: isn't like key = \"value\" under [book]\n"},
    {TOML, "title = \"T\"\n[book]\nsrc = \"chapters\"\n",
     TOML ":1: isn't like key = \"value\" under [book]\n"},
    {TOML, "[book]\nsrc = \"chapters\"\n[output.html]\n",
     TOML ":3: unknown table [output.html]\n"},

    {CHAPTER, "[x](#no) {{#shout x}}\n\n[y](no.md)\n",
     CHAPTER ":1: there is no '#no' in " CHAPTER "\n" CHAPTER
             ":1: {{#shout is no directive\n" CHAPTER ":3: there is no no.md\n" A_C
             ":2: lines 2 to 2" NOWHERE},
};

enum { FAULTS = sizeof faults / sizeof *faults };

/* By number: a test is a process of its own, and pointers don't survive the way
 * there. */
ParameterizedTestParameters(broken, a_fault_is_said_with_its_place) {
    static size_t numbers[FAULTS];
    for (size_t i = 0; i < FAULTS; i++)
        numbers[i] = i;
    return cr_make_param_array(size_t, numbers, FAULTS, NULL);
}

ParameterizedTest(size_t *number, broken, a_fault_is_said_with_its_place) {
    const struct fault *fault = &faults[*number];
    put_good_book();
    put(fault->path, fault->text);
    says(fault->says);
}

/* Declarations under anchors a0, a1 ..., `each` of them under one. */
static void put_long_file(int anchors, int each) {
    struct text text;
    FILE *out = text_open(&text);
    for (int i = 0; i < anchors; i++) {
        fprintf(out, "/* ANCHOR: a%d */\n", i);
        for (int line = 0; line < each; line++)
            fprintf(out, "int a_%d_%d;\n\n", i, line);
        fprintf(out, "/* ANCHOR_END: a%d */\n", i);
    }
    put(A_C, text_close(&text));
}

static void put_long_chapter(const char *path, const char *before, int anchors) {
    struct text text;
    FILE *out = text_open(&text);
    fprintf(out, "# Pump\n\n%s", before);
    for (int i = 0; i < anchors; i++)
        fprintf(out, "```c\n{{#include ../" A_C ":a%d}}\n```\n\n", i);
    put(path, text_close(&text));
}

Test(broken, thirty_lines_are_a_block_and_two_hundred_a_chapter) {
    put_good_book();
    put_long_file(8, 25);
    put_long_chapter(CHAPTER, "", 8);
    says("");
    put_long_file(7, 30);
    put_long_chapter(CHAPTER, "", 7);
    says(CHAPTER ":28: more than 200 lines of code in the running text from here on; "
                 "move some to The rest of the room\n");
    put_long_file(1, 31);
    put_long_chapter(CHAPTER, "", 1);
    says(CHAPTER ":4: 31 lines of code in one block; 30 are enough\n");
}

Test(broken, the_rest_of_the_room_and_chapters_of_listings_have_no_limit) {
    put_good_book();
    put_long_file(1, 300);
    put_long_chapter(CHAPTER, "## The rest of the room\n\nLong.\n\n", 1);
    says("");
    const char *const listings[] = {"00-ground", "07-measure", "99-weave"};
    for (size_t i = 0; i < 3; i++) {
        put_good_book();
        put_long_file(1, 300);
        remove(in(CHAPTER));
        put_long_chapter(text_of("chapters/%s.md", listings[i]), "", 1);
        put(SUMMARY, text_of("# Summary\n\n- [Listings](%s.md)\n", listings[i]));
        says("");
        remove(in(text_of("chapters/%s.md", listings[i])));
    }
    keep_nothing();
}

Test(broken, the_rest_of_the_room_ends_at_the_next_heading_of_its_level) {
    put_good_book();
    put(CHAPTER,
        "## The rest of the room\n\n### Inside\n\n```c\n{{#include SUMMARY.md}}\n"
        "```\n\n## After\n\n```c\n{{#include ../" A_C "}}\n```\n");
    says(CHAPTER
         ":6: say in a paragraph before it why this listing is out of the story\n");
}

Test(broken, a_wrong_ledger_is_said_with_its_file) {
    put_good_book();
    put("experiments/06-pump/claims.json", "[\n{\n");
    size_t problems;
    char *said = said_by(folder, true, &problems);
    cr_assert(strstr(said, "06-pump/claims.json:"), "%s", said);
    free(said);
}

Test(broken, a_claim_needs_a_record_a_figure_of_the_note_and_a_ledger) {
    put_good_book();
    put("experiments/06-pump/claims.json",
        "[{\"id\": \"G1\", \"says\": \"s\", \"note\": null, \"unit\": \"u\", "
        "\"kind\": \"count\", \"how\": \"h\", \"needs\": \"\", \"measure\": \"m\", "
        "\"reproduced\": {\"above\": 1}}]");
    put(CHAPTER, TEXT("{{#ledger 06}}\n\n{{#claim G1}} {{#claim G1 note}}\n"
                      "{{#claim G1 loudly}}"));
    says(CHAPTER ":9: claim 'G1': no reference record\n" CHAPTER
                 ":9: claim 'G1 note': the note gives no figure\n" CHAPTER
                 ":10: claim 'G1 loudly': only 'note' can follow\n");
    put(CHAPTER, TEXT("{{#ledger 06}}"));
    says("");
}

Test(broken, the_book_is_written_all_the_same_but_weave_exits_1) {
    put_good_book();
    put(CHAPTER, TEXT("[x](no.md) stays"));
    struct program weave_program;
    char *out = strdup(in("out"));
    program_run(&weave_program, "weave", "--root", folder, "--out", out, NULL);
    cr_assert_eq(weave_program.status, 1);
    cr_assert(strstr(weave_program.errors, CHAPTER ":7: there is no no.md"));
    holds("06-pump.html", "stays");
    free(out);
}
