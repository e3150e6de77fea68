/* The golden book has one of everything; these are its pages. */
#include "99-weave/test_book.h"

static void weave_golden(void) {
    set_up();
    size_t problems;
    char *said = said_by(GOLDEN, false, &problems);
    cr_assert_str_empty(said);
    cr_assert_eq(problems, 0);
    free(said);
}

TestSuite(golden, .init = weave_golden, .fini = clean_up);

Test(golden, heads_say_language_title_and_description) {
    holds("preface.html", "<html lang=\"en\">");
    holds("preface.html", "<meta name=\"viewport\" content=\"width=device-width");
    holds("preface.html", "<title>Preface with code · The &lt;Golden&gt; Book</title>");
    holds("preface.html", "content=\"Preface with code. One of everything.\"");
    holds("preface.html", "<meta name=\"author\" content=\"Ada, Grace\">");
    holds("preface.html", "<a class=\"skip\" href=\"#_main\">");
}

Test(golden, the_first_chapter_is_the_index) {
    char *first = page("preface.html"), *index = page("index.html");
    cr_assert_str_eq(first, index);
    free(first);
    free(index);
}

Test(golden, contents_have_parts_drafts_and_the_open_page) {
    holds("06-pump.html", "<li class=\"part\">Part one</li>");
    holds("06-pump.html",
          "<a href=\"06-pump.html\" aria-current=\"page\">06. The pump");
    holds("06-pump.html", "<li class=\"depth2 draft\">Not yet</li>");
    holds("06-pump.html", "<li class=\"rule\"></li>");
    holds("06-pump.html",
          "<li class=\"section\"><a href=\"#measure-it\">Measure it</a>");
}

Test(golden, pages_lead_to_their_neighbours) {
    holds("06-pump.html", "rel=\"prev\" href=\"00-ground.html\"");
    holds("06-pump.html", "rel=\"next\" href=\"end.html\"");
    lacks("preface.html", "rel=\"prev\"");
    lacks("end.html", "rel=\"next\"");
}

Test(golden, headings_have_ids_like_mdbook_and_links) {
    holds("preface.html", "<h1 id=\"a-preface--more\">");
    holds("preface.html", "<h2 id=\"two-words\">");
    holds("preface.html", "<h2 id=\"two-words-1\">");
    holds("preface.html", "<a class=\"here\" href=\"#two-words-1\"");
}

Test(golden, links_lead_to_pages_places_and_copied_files) {
    holds("preface.html", "<a href=\"06-pump.html#measure-it\">");
    holds("preface.html", "<a href=\"#two-words\">below</a>");
    holds("preface.html", "<a href=\"https://example.org/\">");
    holds("preface.html", "<a href=\"files/LICENSE\">");
    holds("files/LICENSE", "Do as you like.");
    holds("preface.html", "<img src=\"images/dot.svg\" alt=\"A dot\" />");
    holds("images/dot.svg", "<circle");
    holds("theme.css", "prefers-color-scheme: dark");
}

Test(golden, claims_are_links_to_their_rows) {
    holds("preface.html", "<a href=\"06-pump.html#row-g1-2\" "
                          "title=\"G1.2: a request pays two wakes\">1.99</a> wakes");
    holds("preface.html", "title=\"G1.2: a request pays two wakes\">2</a>. An escaped");
    holds("preface.html", "<td align=\"right\"><a href=\"06-pump.html#row-g1-2\"");
    holds("06-pump.html", "<tr id=\"row-g1-2\"><th scope=\"row\">G1.2</th>");
}

Test(golden, escaped_directives_are_shown) {
    holds("preface.html",
          "An escaped {{#claim G1.2}} and <code>{{#claim G1.2}}</code> stay");
    holds("06-pump.html", "{{#include ../");
    lacks("06-pump.html", "\\{{#");
}

Test(golden, markdown_has_tables_footnotes_and_strikethrough) {
    holds("preface.html", "<div class=\"wide\" tabindex=\"0\">\n<table>");
    holds("preface.html", "Because they are shown.");
    holds("preface.html", "<del>gone</del>");
    holds("preface.html", "Grüße, 世界.");
    lacks("preface.html", "a comment goes");
}

Test(golden, included_code_is_dedented_and_without_markers) {
    holds("06-pump.html", "<figcaption><span class=\"path\">code/06-pump/pump.c</span> "
                          "<span class=\"part\">submit</span></figcaption>");
    holds("06-pump.html", "<pre tabindex=\"0\"><code><span class=\"keyword\">struct");
    lacks("06-pump.html", "ANCHOR");
    lacks("06-pump.html", "not_in_the_book");
    holds("06-pump.html", "<span class=\"string\">\"none</span>");
}

Test(golden, transcripts_lose_their_carriage_returns) {
    holds("06-pump.html",
          ">requests 1</span>\n<span class=\"normal\">wakes 2</span>\n");
}

Test(golden, the_rest_of_the_room_is_folded) {
    holds("06-pump.html",
          "<details class=\"listing\" id=\"listing-pumpc-head\"><summary>"
          "<span class=\"path\">code/06-pump/pump.c</span>");
}

Test(golden, answers_are_folded_up_to_the_next_heading_of_their_level) {
    holds("06-pump.html",
          "<details class=\"answer\">\n<summary>\n<h3 id=\"answer-1\">");
    holds("06-pump.html", "<p>Inside.</p>\n</details>\n<h3 id=\"not-an-answer\">");
    holds("06-pump.html", "</p>\n<h3 id=\"answering-is-not-an-answer\">");
}

Test(golden, a_reprint_links_to_its_original) {
    holds("06-pump.html",
          "again, from <a href=\"06-pump.html#listing-pumpc-submit\">06. "
          "The pump</a>");
}

Test(golden, figures_are_inlined_with_ids_of_their_own) {
    holds("06-pump.html", "<svg aria-label=\"One request through the pump, and its two "
                          "wakes.\" xmlns=");
    holds("06-pump.html", "<path id=\"figure-wakes-dart\"");
    holds("06-pump.html", "href='#figure-wakes-dart'");
    holds("06-pump.html", "<path id=\"figure-wakes-1-dart\"");
    holds("06-pump.html", "<figcaption><p>One <em>request</em> through the");
    lacks("06-pump.html", "<?xml");
}

Test(golden, a_ledger_shows_rows_rules_and_records) {
    holds("06-pump.html", "the pump &lt;submits&gt; about once a pass");
    holds("06-pump.html", "<small>(1.95 to 2)</small></td><td>reproduced</td>");
    holds("06-pump.html", "<td>1.50<br><small>same direction</small></td>");
    holds("06-pump.html", "<em>Rule:</em> reproduced from 1.8");
    holds("06-pump.html", "Record 2026-01-02-small: Small CPU, 2 cores");
    holds("06-pump.html", "Commit 0123abc. Measured with <code>make exp-06</code>");
}

Test(golden, nothing_comes_from_another_host) {
    const char *const pages[] = {"preface.html", "00-ground.html", "06-pump.html"};
    for (size_t i = 0; i < 3; i++) {
        lacks(pages[i], "src=\"http");
        lacks(pages[i], "<script");
    }
    lacks("theme.css", "url(");
}
