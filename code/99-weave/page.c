/* A chapter: its headings, directives and links. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "99-weave/text.h"
#include "99-weave/weave.h"

static bool has_mark(const struct page *page, const char *id) {
    for (const struct mark *mark = page->marks; mark; mark = mark->next)
        if (!strcmp(mark->id, id))
            return true;
    return false;
}

const char *page_mark(struct page *page, const char *words) {
    char *base = text_of("%s", words), *to = base;
    for (; *words; words++) {
        unsigned char c = (unsigned char)*words;
        if (c == 0xE2 && words[1] && words[2])
            words += 2; /* dashes, quotes, arrows: punctuation of three bytes */
        else if (c >= 0x80 || isalnum(c) || c == '_' || c == '-')
            *to++ = (char)tolower(c);
        else if (isspace(c))
            *to++ = '-';
    }
    *to = '\0';
    const char *id = base = *base ? base : "section";
    for (int i = 1; has_mark(page, id); i++)
        id = text_of("%s-%d", base, i);
    struct mark *mark = keep(sizeof *mark);
    *mark = (struct mark){id, NULL, page->marks};
    page->marks = mark;
    return id;
}

/* Gives a heading its id and its permanent link. */
static void mark_heading(struct page *page, cmark_node *heading) {
    int level = cmark_node_get_heading_level(heading);
    const char *id = page_mark(page, node_text(heading));
    cmark_node *block =
        raw_block(text_of("<h%d id=\"%s\">", level, id),
                  text_of("<a class=\"here\" href=\"#%s\" "
                          "aria-label=\"Link to this heading\">#</a></h%d>",
                          id, level));
    if (level == 2)
        page->marks->heading = escaped(node_text(heading));
    move_children(heading, block);
    put_instead(heading, block);
}

/* Folds each "Answer ..." of level 3 or deeper, up to the next heading of its level. */
static void fold_answers(cmark_node *document) {
    cmark_node *next;
    for (cmark_node *at = cmark_node_first_child(document); at; at = next) {
        next = cmark_node_next(at);
        int level = cmark_node_get_heading_level(at);
        const char *words = node_text(at);
        if (level < 3 || strncmp(words, "Answer", 6) != 0 ||
            isalpha((unsigned char)words[6]))
            continue;
        cmark_node *fold = raw_block("<details class=\"answer\">", "</details>");
        cmark_node *summary = raw_block("<summary>", "</summary>");
        cmark_node_insert_before(at, fold);
        cmark_node_append_child(fold, summary);
        cmark_node_append_child(summary, at);
        for (; next; next = cmark_node_next(fold)) {
            int other = cmark_node_get_heading_level(next);
            if ((other > 0 && other <= level) ||
                cmark_node_get_type(next) == CMARK_NODE_FOOTNOTE_DEFINITION)
                break;
            cmark_node_append_child(fold, next);
        }
    }
}

static struct directive *directive_of(cmark_node *node) {
    return node && cmark_node_get_type(node) == CMARK_NODE_LINK
               ? cmark_node_get_user_data(node)
               : NULL;
}

/* A paragraph that is nothing but a figure or a ledger becomes it. */
static void read_paragraph(struct page *page, cmark_node *block) {
    cmark_node *child = cmark_node_first_child(block);
    const struct directive *directive = directive_of(child);
    if (!directive || cmark_node_next(child))
        return;
    if (!strcmp(directive->name, "figure"))
        put_instead(block, raw_block(figure_html(page, directive), ""));
    else if (!strcmp(directive->name, "ledger"))
        put_instead(block, raw_block(ledger_html(page, directive), ""));
}

static void wrap_table(cmark_node *table) {
    cmark_node *box = raw_block("<div class=\"wide\" tabindex=\"0\">", "</div>");
    cmark_node_insert_before(table, box);
    cmark_node_append_child(box, table);
}

void page_read(struct page *page) {
    size_t length;
    char *bytes = file_read(at_root(page->file), &length);
    if (!bytes)
        problem(text_of("%s/SUMMARY.md", book.chapters), page->line,
                "can't read %s: %s", page->file, strerror(errno));
    page->document = bytes ? markdown_read(bytes, length) : markdown_read("", 0);
    fold_answers(page->document);
    bool rest = false;
    cmark_node *next;
    for (cmark_node *at = node_first(page->document); at != page->document; at = next) {
        next = node_after(at);
        switch (cmark_node_get_type(at)) {
        case CMARK_NODE_HEADING:
            if (cmark_node_get_heading_level(at) <= 2)
                rest = !strcmp(node_text(at), "The rest of the room");
            mark_heading(page, at);
            break;
        case CMARK_NODE_CODE_BLOCK:
            listing_read(page, at, rest);
            break;
        case CMARK_NODE_PARAGRAPH:
            read_paragraph(page, at);
            break;
        default:
            if (!strcmp(cmark_node_get_type_string(at), "table"))
                wrap_table(at);
        }
    }
}

static struct page *find_page(const char *file) {
    struct page *page = book.pages;
    while (page && (!page->file || strcmp(page->file, file) != 0))
        page = page->next;
    return page;
}

/* Has a file put beside the pages; returns its name there, or NULL with errno. */
static const char *asset_of(const char *path) {
    size_t folder = strlen(book.chapters);
    bool beside = !strncmp(path, book.chapters, folder) && path[folder] == '/';
    struct asset *asset = keep(sizeof *asset);
    asset->name = beside ? path + folder + 1 : text_of("files/%s", path);
    asset->bytes = file_read(at_root(path), &asset->length);
    if (!asset->bytes)
        return NULL;
    asset->next = book.assets;
    book.assets = asset;
    return asset->name;
}

/* Checks a link or a picture, and turns it to what the book has. */
static void follow(struct page *page, cmark_node *node) {
    char *url = text_of("%s", cmark_node_get_url(node)), *id = strchr(url, '#');
    int line = node_line(node);
    bool image = cmark_node_get_type(node) == CMARK_NODE_IMAGE;
    if (url[strcspn(url, ":/?#")] == ':') {
        if (image)
            problem(page->file, line, "%s would come from another host", url);
        return;
    }
    if (id)
        *id++ = '\0';
    const char *path = *url ? path_in(page, line, url) : page->file;
    if (!path)
        return;
    const struct page *to = find_page(path);
    if (to && id && !has_mark(to, id))
        problem(page->file, line, "there is no '#%s' in %s", id, path);
    const char *place = to ? text_of("%s.html", to->name) : asset_of(path);
    if (!place)
        problem(page->file, line, "can't read %s: %s", path, strerror(errno));
    else if (id)
        place = text_of("%s#%s", *url ? place : "", id);
    cmark_node_set_url(node, place ? place : "");
}

static void read_directive(const struct page *page, const struct directive *directive,
                           cmark_node *node) {
    static const struct {
        const char *name, *what;
    } known[] = {{"figure", "wants a paragraph of its own"},
                 {"ledger", "wants a paragraph of its own"},
                 {"include", "belongs in a fenced code block"},
                 {"again", "belongs in a fenced code block"},
                 {"", "is never closed by }}"}};
    const char *name = directive->name, *what = "is no directive";
    if (!strcmp(name, "claim")) {
        claim_fill(page, directive, node);
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name))
            what = known[i].what;
    problem(page->file, directive->line, "{{#%s %s", name, what);
}

/* mdBook takes the backslash of \{{# away in code too. */
static void unescape_code(cmark_node *node) {
    char *code = text_of("%s", cmark_node_get_literal(node)), *at = code;
    while ((at = strstr(at, "\\{{#")))
        memmove(at, at + 1, strlen(at));
    cmark_node_set_literal(node, code);
}

void page_link(struct page *page) {
    cmark_node *next;
    for (cmark_node *at = node_first(page->document); at != page->document; at = next) {
        next = node_after(at);
        const struct directive *directive = directive_of(at);
        switch (cmark_node_get_type(at)) {
        case CMARK_NODE_LINK:
        case CMARK_NODE_IMAGE:
            if (directive)
                read_directive(page, directive, at);
            else
                follow(page, at);
            break;
        case CMARK_NODE_CODE:
            unescape_code(at);
            break;
        case CMARK_NODE_HTML_BLOCK:
        case CMARK_NODE_HTML_INLINE:
            if (strncmp(cmark_node_get_literal(at), "<!--", 4) != 0)
                problem(page->file, node_line(at),
                        "raw HTML isn't shown; backquotes show it as it is");
            cmark_node_unlink(at);
            cmark_node_free(at);
            break;
        default:
            break;
        }
    }
}
