/* Listings: the code blocks of the chapters, with what their {{#include}} bring in. */
#include <errno.h>
#include <string.h>

#include "99-weave/text.h"
#include "99-weave/weave.h"

enum { BLOCK_LIMIT = 30, CHAPTER_LIMIT = 200 };

/* Finds the lines of path, or of path:anchor; false after saying why there are none. */
static bool find_lines(const struct page *page, struct piece *piece,
                       const char *target) {
    char *name = text_of("%s", target), *anchor = strchr(name, ':');
    if (anchor)
        *anchor++ = '\0';
    if (anchor && (strchr(anchor, ':') || !anchor[strspn(anchor, "0123456789")])) {
        problem(page->file, piece->line,
                "'%s' is a range of lines, which drifts; name an anchor", target);
        return false;
    }
    char *path = path_in(page, piece->line, name);
    struct source *source = path ? source_open(path) : NULL;
    if (path && !source)
        problem(page->file, piece->line, "can't read %s: %s", path, strerror(errno));
    if (!source)
        return false;
    const struct anchor *found = anchor ? source_anchor(source, anchor) : NULL;
    if (anchor && !found)
        problem(page->file, piece->line, "no anchor '%s' in %s", anchor, path);
    piece->source = source;
    piece->anchor = anchor;
    piece->first = found ? found->first : 0;
    piece->end = found ? found->end : source->count;
    return found || !anchor;
}

/* Marks the lines of an include as shown; returns how many of them count. */
static size_t show(const struct listing *listing, const struct piece *piece) {
    const struct listing *other = NULL;
    size_t counted = 0;
    for (size_t i = piece->first; i < piece->end; i++) {
        struct source_line *line = &piece->source->lines[i];
        if (line->kind != LINE_TEXT)
            continue;
        counted += piece->source->counts;
        if (line->shown && piece->source->counts && line->shown != other) {
            other = line->shown;
            problem(listing->page->file, piece->line,
                    "%s, from line %zu on, already stands at %s:%d; use {{#again}}",
                    piece->source->path, i + 1, other->page->file, other->line);
        }
        if (!line->shown)
            line->shown = listing;
    }
    return counted;
}

/* Prints what a directive stands for; returns how many lines of it count. */
static size_t read_piece(struct listing *listing, const char *words, int line,
                         FILE *out) {
    struct directive directive = directive_read(words, line);
    struct piece *piece = keep(sizeof *piece), **last = &listing->pieces;
    piece->line = line;
    piece->again = !strcmp(directive.name, "again");
    if (!piece->again && strcmp(directive.name, "include") != 0) {
        problem(listing->page->file, line, "'{{#%s}}' can't stand in a code block",
                directive.name);
        return 0;
    }
    if (!find_lines(listing->page, piece, directive.arguments))
        return 0;
    while (*last)
        last = &(*last)->next;
    *last = piece;
    source_print(piece->source, piece->first, piece->end, out);
    return piece->again ? 0 : show(listing, piece);
}

/* Copies the block's text line by line; returns how many lines of code it shows. A fence
 * as long as the block's own, which has `fence` characters, can only be another block's
 * beginning: this one was never closed. */
static size_t read_text(struct listing *listing, char *literal, int fence, FILE *out) {
    size_t counted = 0;
    int number = listing->line;
    for (char *line; (line = strsep(&literal, "\n")) && (literal || *line); number++) {
        char *open = strstr(line, "{{#"), *close = open ? strstr(open, "}}") : NULL;
        if (fence > 0 && strspn(line, "`") >= (size_t)fence)
            problem(listing->page->file, number,
                    "a block begins in a block; close the one before");
        if (open && open > line && open[-1] == '\\') {
            fprintf(out, "%.*s%s\n", (int)(open - line - 1), line, open);
        } else if (!open) {
            fprintf(out, "%s\n", line);
        } else if (!close || line[strspn(line, " \t")] != '{' ||
                   close[2 + strspn(close + 2, " \t")]) {
            problem(listing->page->file, number,
                    "a directive in a code block has a line for itself; "
                    "write \\{{# to show one");
        } else {
            *close = '\0';
            counted += read_piece(listing, open + 3, number, out);
        }
    }
    return counted;
}

static void check_size(struct page *page, int line, size_t counted) {
    const char *name = page->name;
    if (!strncmp(name, "00-", 3) || !strncmp(name, "07-", 3) ||
        !strncmp(name, "99-", 3)) /* nothing but listings */
        return;
    if (counted > BLOCK_LIMIT)
        problem(page->file, line, "%zu lines of code in one block; %d are enough",
                counted, BLOCK_LIMIT);
    if (page->story <= CHAPTER_LIMIT && page->story + counted > CHAPTER_LIMIT)
        problem(page->file, line,
                "more than %d lines of code in the running text from here on; "
                "move some to The rest of the room",
                CHAPTER_LIMIT);
    page->story += counted;
}

static const char *language_of(cmark_node *block, const struct piece *piece) {
    char *info = text_of("%s", cmark_node_get_fence_info(block));
    info[strcspn(info, " \t,")] = '\0';
    const char *dot = piece ? strrchr(piece->source->path, '.') : NULL;
    return *info || !dot ? info : dot + 1;
}

void listing_read(struct page *page, cmark_node *block, bool rest) {
    struct listing *listing = keep(sizeof *listing), **last = &book.listings;
    cmark_node *before = cmark_node_previous(block);
    int length = 0, offset = 0;
    char fence;
    *listing = (struct listing){.page = page, .rest = rest, .node = raw_block("", "")};
    listing->line =
        node_line(block) + cmark_node_get_fenced(block, &length, &offset, &fence);
    struct text text;
    char *literal = text_of("%s", cmark_node_get_literal(block));
    size_t counted = read_text(listing, literal, length, text_open(&text));
    listing->text = text_close(&text);
    const struct piece *first = listing->pieces;
    listing->language = language_of(block, first);
    if (first)
        listing->id = page_mark(page, text_of("listing %s %s",
                                              strrchr(first->source->path, '/') + 1,
                                              first->anchor ? first->anchor : ""));
    if (!rest)
        check_size(page, listing->line, counted);
    else if (first && (!before || cmark_node_get_type(before) != CMARK_NODE_PARAGRAPH))
        problem(page->file, listing->line,
                "say in a paragraph before it why this listing is out of the story");
    put_instead(block, listing->node);
    while (*last)
        last = &(*last)->next;
    *last = listing;
}

/* Where the lines of a reprint stand, or NULL after saying that they don't. */
static const struct listing *original(const struct page *page,
                                      const struct piece *piece) {
    const struct listing *found = NULL;
    for (size_t i = piece->first; i < piece->end; i++) {
        const struct source_line *line = &piece->source->lines[i];
        if (line->kind == LINE_TEXT && !line->shown) {
            problem(page->file, piece->line,
                    "{{#again}} of %s, whose line %zu no {{#include}} shows",
                    piece->source->path, i + 1);
            return NULL;
        }
        if (!found)
            found = line->shown;
    }
    return found;
}

static void print_caption(const struct listing *listing, FILE *out) {
    for (const struct piece *piece = listing->pieces; piece; piece = piece->next) {
        fprintf(out, "<span class=\"path\">%s</span>", escaped(piece->source->path));
        if (piece->anchor)
            fprintf(out, " <span class=\"part\">%s</span>", piece->anchor);
        const struct listing *from = NULL;
        if (piece->again)
            from = original(listing->page, piece);
        if (from)
            fprintf(out, ", again, from <a href=\"%s.html#%s\">%s</a>",
                    from->page->name, from->id, from->page->title);
        fputs(piece->next ? "<br>\n" : "", out);
    }
}

void listing_finish(struct listing *listing) {
    struct text text;
    FILE *out = text_open(&text);
    const char *box = listing->rest ? "details" : "figure";
    const char *caption = listing->rest ? "summary" : "figcaption";
    if (listing->pieces) {
        fprintf(out, "<%s class=\"listing\" id=\"%s\"><%s>", box, listing->id, caption);
        print_caption(listing, out);
        fprintf(out, "</%s>\n", caption);
    }
    fprintf(out, "<pre tabindex=\"0\"><code>%s</code></pre>\n",
            listing->coloured ? listing->coloured : escaped(listing->text));
    if (listing->pieces)
        fprintf(out, "</%s>", box);
    cmark_node_set_on_enter(listing->node, text_close(&text));
}
