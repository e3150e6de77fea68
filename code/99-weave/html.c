/* The frame of a page: head, contents, previous and next. */
#include "99-weave/text.h"
#include "99-weave/weave.h"

/* The headings of the open page, in their order: the list has the last one first. */
static void print_sections(const struct mark *mark, FILE *out) {
    if (!mark)
        return;
    print_sections(mark->next, out);
    if (mark->heading)
        fprintf(out, "<li class=\"section\"><a href=\"#%s\">%s</a></li>\n", mark->id,
                mark->heading);
}

static void print_contents(const struct page *open, FILE *out) {
    fputs("<ul>\n", out);
    for (const struct page *page = book.pages; page; page = page->next) {
        switch (page->kind) {
        case PAGE_PART:
            fprintf(out, "<li class=\"part\">%s</li>\n", page->title);
            break;
        case PAGE_RULE:
            fputs("<li class=\"rule\"></li>\n", out);
            break;
        case PAGE_DRAFT:
            fprintf(out, "<li class=\"depth%d draft\">%s</li>\n", page->depth,
                    page->title);
            break;
        case PAGE_CHAPTER:
            fprintf(out, "<li class=\"depth%d\"><a href=\"%s.html\"%s>%s</a></li>\n",
                    page->depth, page->name,
                    page == open ? " aria-current=\"page\"" : "", page->title);
            if (page == open)
                print_sections(page->marks, out);
        }
    }
    fputs("</ul>\n", out);
}

static void print_turn(const struct page *page, const char *way, const char *label,
                       FILE *out) {
    if (page)
        fprintf(out,
                "<a class=\"%s\" rel=\"%s\" href=\"%s.html\"><span>%s</span> %s</a>\n",
                way, way, page->name, label, page->title);
}

static void print_head(const struct page *page, FILE *out) {
    const char *title = escaped(book.title), *plain = escaped(page->plain);
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<title>%s · %s</title>\n",
            escaped(book.language), plain, title);
    fprintf(out, "<meta name=\"description\" content=\"%s. %s\">\n", plain,
            escaped(book.description));
    if (*book.authors)
        fprintf(out, "<meta name=\"author\" content=\"%s\">\n", escaped(book.authors));
    fputs("<link rel=\"icon\" href=\"data:,\">\n"
          "<link rel=\"stylesheet\" href=\"theme.css\">\n</head>\n",
          out);
}

char *page_html(const struct page *page) {
    const struct page *before = NULL, *after = page->next;
    for (const struct page *at = book.pages; at != page; at = at->next)
        if (at->kind == PAGE_CHAPTER)
            before = at;
    while (after && after->kind != PAGE_CHAPTER)
        after = after->next;
    const char *title = escaped(book.title);
    struct text text;
    FILE *out = text_open(&text);
    print_head(page, out);
    fprintf(out,
            "<body>\n<a class=\"skip\" href=\"#_main\">Skip to the text</a>\n"
            "<header><a href=\"index.html\">%s</a>\n"
            "<details><summary>Contents</summary>\n<nav aria-label=\"Contents\">\n",
            title);
    print_contents(page, out);
    fprintf(out,
            "</nav></details></header>\n<nav class=\"side\" aria-label=\"Contents\">\n"
            "<p><a href=\"index.html\">%s</a></p>\n",
            title);
    print_contents(page, out);
    fprintf(out, "</nav>\n<main id=\"_main\">\n%s\n", markdown_html(page->document));
    fputs("<nav class=\"turn\" aria-label=\"Previous and next\">\n", out);
    print_turn(before, "prev", "Previous", out);
    print_turn(after, "next", "Next", out);
    fputs("</nav>\n</main>\n</body>\n</html>\n", out);
    return text_close(&text);
}
