/* The book as it is while it's woven. There is one at a time, so it is a variable that
 * every part sees. Its strings and lists are kept until keep_nothing(). */
#ifndef WEAVE_WEAVE_H
#define WEAVE_WEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "07-measure/ledger.h"
#include "99-weave/markdown.h"

/* A place in a page that a link can name. */
struct mark {
    const char *id;
    const char *heading; /* its HTML if it's a heading of level 2, or NULL */
    struct mark *next;   /* the one before it in the page */
};

/* An entry of SUMMARY.md. */
struct page {
    enum page_kind { PAGE_CHAPTER, PAGE_DRAFT, PAGE_PART, PAGE_RULE } kind;
    int depth;         /* of its list; 0 outside of lists */
    int line;          /* of SUMMARY.md */
    const char *title; /* as HTML */
    const char *plain; /* the same as text */
    const char *file;  /* a chapter's: "chapters/06-pump.md", from the root */
    const char *name;  /* "06-pump" */
    cmark_node *document;
    struct mark *marks;
    size_t story; /* lines of code shown in running text */
    struct page *next;
};

struct source_line {
    const char *text; /* without the line's end */
    enum { LINE_BLANK, LINE_TEXT, LINE_MARKER } kind;
    const struct listing *shown; /* where it's included, or NULL */
};

struct anchor {
    const char *name;
    size_t first, end; /* lines, counted from 0; `end` is one past the last */
    struct anchor *next;
};

/* A file that the book shows, by lines. */
struct source {
    const char *path; /* from the root */
    bool counts;      /* each line must be shown once: code/NN-name/'s C, tests aside */
    struct source_line *lines;
    size_t count;
    struct anchor *anchors;
    struct source *next;
};

struct piece { /* one {{#include}} or {{#again}} of it */
    const struct source *source;
    const char *anchor; /* its name, or NULL for the whole file */
    size_t first, end;  /* lines, as above */
    bool again;
    int line; /* of the chapter */
    struct piece *next;
};

/* A code block. */
struct listing {
    const struct page *page;
    int line;             /* of the chapter: its first */
    const char *language; /* the fence's, or by the file's name, or "" */
    const char *text;     /* what it shows */
    const char *coloured; /* the same as HTML, or NULL */
    const char *id;       /* NULL if it includes nothing */
    cmark_node *node;     /* the empty block that becomes its HTML */
    bool rest;            /* stands in "The rest of the room" */
    struct piece *pieces;
    struct listing *next;
};

/* A file that a page links to, or shows as a picture, and that stands beside it. */
struct asset {
    const char *name; /* from the book's folder */
    const char *bytes;
    size_t length;
    struct asset *next;
};

struct weave_options {
    const char *root, *out, *results, *figures; /* folders, as main() sees them */
    bool check;                                 /* write nothing */
};

extern struct book {
    struct weave_options options;
    const char *title, *authors, *description, *language, *chapters; /* book.toml's */
    struct page *pages;
    struct source *sources; /* the last opened first */
    struct listing *listings;
    struct asset *assets;
    struct ledger *ledger;  /* NULL if there are no experiments */
    struct page **row_page; /* of each row of the ledger: its page, or NULL */
    const char **row_mark;  /* and its id on that page */
    FILE *errors;
    size_t problems;
} book;

/* weave.c. Makes the book. Says on `errors` what is wrong and returns how many things
 * are; what can be shown is written all the same. */
size_t weave(const struct weave_options *options, FILE *errors);

/* Prints "file:line: what" and counts it. `line` may be 0, and then `file` NULL. */
void problem(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A path from the root, as main() sees it. */
char *at_root(const char *path);

/* A path from the root for one that a chapter gives; NULL after saying that it leads
 * nowhere, or out of the project. */
char *path_in(const struct page *page, int line, const char *path);

/* summary.c: what mdBook also reads. */
void settings_read(void);
void summary_read(void);

/* source.c. NULL with errno if the file can't be read. */
struct source *source_open(const char *path);
const struct anchor *source_anchor(const struct source *source, const char *name);

/* Prints lines `first` to `end` without their common indentation and without
 * markers. */
void source_print(const struct source *source, size_t first, size_t end, FILE *out);

/* Opens every file that counts, and reports the lines that no listing shows. */
void source_check_all(void);

/* listing.c. The listing takes the place of a code block; it gets its HTML when all
 * pages are read, for a reprint links to another page. */
void listing_read(struct page *page, cmark_node *block, bool rest);
void listing_finish(struct listing *listing);

/* colour.c */
void listings_colour(void);

/* page.c. An id of the page for `words`, made as mdBook makes a heading's. */
const char *page_mark(struct page *page, const char *words);

/* Reads a chapter, and then, when all are read, follows what leads to other pages. */
void page_read(struct page *page);
void page_link(struct page *page);

/* insert.c. HTML; "" after saying what is wrong. */
const char *figure_html(struct page *page, const struct directive *directive);
const char *ledger_html(struct page *page, const struct directive *directive);

/* Makes the link show a figure of the ledger and lead to its row. */
void claim_fill(const struct page *page, const struct directive *directive,
                cmark_node *link);

/* html.c. A page with everything around it. */
char *page_html(const struct page *page);

#endif
