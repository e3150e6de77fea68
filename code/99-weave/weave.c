#include "99-weave/weave.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "99-weave/text.h"

#define THEME "code/99-weave/theme.css" /* weave runs in the project's root */

struct book book;

void problem(const char *file, int line, const char *format, ...) {
    if (file)
        fprintf(book.errors, line ? "%s:%d: " : "%s: ", file, line);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(book.errors, format, arguments);
    va_end(arguments);
    putc('\n', book.errors);
    book.problems++;
}

char *at_root(const char *path) {
    return text_of("%s/%s", book.options.root, path);
}

char *path_in(const struct page *page, int line, const char *path) {
    char *root = realpath(book.options.root, NULL);
    char *file = realpath(at_root(text_of("%s/%s", book.chapters, path)), NULL);
    size_t length = root ? strlen(root) : 0;
    bool inside = root && file && !strncmp(file, root, length) && file[length] == '/';
    char *found = inside ? text_of("%s", file + length + 1) : NULL;
    if (!file)
        problem(page->file, line, "there is no %s", path);
    else if (!inside)
        problem(page->file, line, "%s is outside of the project", path);
    free(root);
    free(file);
    return found;
}

static void open_ledger(void) {
    char error[500];
    const char *experiments = at_root("experiments"), *here = book.options.results;
    if (access(experiments, F_OK) != 0)
        return;
    book.ledger = ledger_open(experiments, access(here, F_OK) == 0 ? here : NULL, error,
                              sizeof error);
    if (!book.ledger) {
        problem(NULL, 0, "%s", error);
        return;
    }
    size_t rows = ledger_count(book.ledger) + 1;
    book.row_page = keep(rows * sizeof(struct page *));
    book.row_mark = keep(rows * sizeof(const char *));
}

static void put(const char *name, const char *bytes, size_t length) {
    file_write(text_of("%s/%s", book.options.out, name), bytes, length);
}

static void write_book(void) {
    bool first = true;
    for (const struct page *page = book.pages; page; page = page->next) {
        if (page->kind != PAGE_CHAPTER)
            continue;
        char *html = page_html(page);
        put(text_of("%s.html", page->name), html, strlen(html));
        if (first)
            put("index.html", html, strlen(html));
        first = false;
    }
    for (const struct asset *asset = book.assets; asset; asset = asset->next)
        put(asset->name, asset->bytes, asset->length);
    size_t length;
    char *theme = file_read(THEME, &length);
    if (theme)
        put("theme.css", theme, length);
    else
        problem(THEME, 0, "can't be read: %s", strerror(errno));
}

size_t weave(const struct weave_options *options, FILE *errors) {
    book = (struct book){.options = *options,
                         .title = "",
                         .authors = "",
                         .description = "",
                         .language = "en",
                         .chapters = "src",
                         .errors = errors};
    settings_read();
    open_ledger();
    summary_read();
    for (struct page *page = book.pages; page; page = page->next)
        if (page->kind == PAGE_CHAPTER)
            page_read(page);
    for (struct page *page = book.pages; page; page = page->next)
        if (page->kind == PAGE_CHAPTER)
            page_link(page);
    source_check_all();
    if (!options->check)
        listings_colour();
    for (struct listing *listing = book.listings; listing; listing = listing->next)
        listing_finish(listing);
    if (!options->check)
        write_book();
    for (struct page *page = book.pages; page; page = page->next)
        if (page->kind == PAGE_CHAPTER)
            cmark_node_free(page->document);
    ledger_close(book.ledger);
    keep_nothing();
    return book.problems;
}
