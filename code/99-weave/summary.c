/* What mdBook also reads: book.toml and SUMMARY.md. */
#include <errno.h>
#include <glob.h>
#include <regex.h>
#include <string.h>

#include "99-weave/text.h"
#include "99-weave/weave.h"

/* A key and a string, or a list of strings. There is more to TOML than that, and mdBook
 * takes it, but no setting of a book needs it. */
#define SETTING                                                                        \
    "^([a-z-]+)[ \t]*=[ \t]*"                                                          \
    "(\"[^\"\\]*\"|\\[[ \t]*(\"[^\"\\]*\"[ \t]*,?[ \t]*)*\\])[ \t]*(#.*)?$"

static void set(const char *key, char *value, int line) {
    static const char *const keys[] = {"title", "authors", "description", "language",
                                       "src"};
    const char **const into[] = {&book.title, &book.authors, &book.description,
                                 &book.language, &book.chapters};
    char *to = value;
    for (const char *from = value; *from; from++)
        if (!strchr("[]\"", *from))
            *to++ = *from;
    *to = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], key) != 0)
            continue;
        *into[i] = value;
        return;
    }
    problem("book.toml", line, "unknown key '%s'", key);
}

void settings_read(void) {
    size_t length;
    char *rest = file_read(at_root("book.toml"), &length), *line;
    if (!rest)
        problem("book.toml", 0, "can't be read: %s", strerror(errno));
    regex_t setting;
    regmatch_t part[3];
    regcomp(&setting, SETTING, REG_EXTENDED);
    bool in_book = false;
    for (int number = 1; (line = strsep(&rest, "\n")); number++) {
        line[strcspn(line, "\r")] = '\0';
        if (!strncmp(line, "[book]", 6)) {
            in_book = true;
        } else if (*line == '[') {
            problem("book.toml", number, "unknown table %s", line);
        } else if (in_book && !regexec(&setting, line, 3, part, 0)) {
            line[part[1].rm_eo] = line[part[2].rm_eo] = '\0';
            set(line, line + part[2].rm_so, number);
        } else if (*line && *line != '#') {
            problem("book.toml", number, "isn't like key = \"value\" under [book]");
        }
    }
    regfree(&setting);
}

static struct page *add_page(enum page_kind kind, int depth, int line) {
    struct page **last = &book.pages;
    while (*last)
        last = &(*last)->next;
    *last = keep(sizeof **last);
    **last = (struct page){.kind = kind, .depth = depth, .line = line};
    return *last;
}

static void add_chapter(const char *summary, cmark_node *link, int depth, int line) {
    const char *url = cmark_node_get_url(link);
    const char *file = text_of("%s/%s", book.chapters, url);
    size_t stem = strcspn(url, "/.");
    for (const struct page *page = book.pages; page; page = page->next)
        if (page->file && !strcmp(page->file, file)) {
            problem(summary, line, "%s is already at line %d", url, page->line);
            return;
        }
    if (*url && (stem == 0 || strcmp(url + stem, ".md") != 0)) {
        problem(summary, line, "'%s' isn't a .md file beside SUMMARY.md", url);
        return;
    }
    struct page *page = add_page(*url ? PAGE_CHAPTER : PAGE_DRAFT, depth, line);
    page->file = *url ? file : NULL;
    page->name = text_of("%.*s", (int)stem, url);
    page->plain = node_text(link);
    page->title = node_inner_html(link);
}

/* Only links can stand in a paragraph of the summary, and they are chapters. */
static void read_links(const char *summary, cmark_node *paragraph, int depth) {
    int line = node_line(paragraph);
    cmark_node *node = cmark_node_first_child(paragraph);
    for (; node; node = cmark_node_next(node)) {
        cmark_node_type type = cmark_node_get_type(node);
        if (type == CMARK_NODE_LINK)
            add_chapter(summary, node, depth, line);
        else if (type == CMARK_NODE_SOFTBREAK)
            line++;
        else
            problem(summary, line, "only [Title](file.md) can stand here");
    }
}

static void read_blocks(const char *summary, cmark_node *parent, int depth) {
    cmark_node *block = cmark_node_first_child(parent);
    for (; block; block = cmark_node_next(block)) {
        int line = node_line(block);
        switch (cmark_node_get_type(block)) {
        case CMARK_NODE_HEADING:
            if (cmark_node_previous(block)) /* the first is the summary's own title */
                add_page(PAGE_PART, depth, line)->title = node_inner_html(block);
            break;
        case CMARK_NODE_THEMATIC_BREAK:
            add_page(PAGE_RULE, depth, line);
            break;
        case CMARK_NODE_PARAGRAPH:
            read_links(summary, block, depth);
            break;
        case CMARK_NODE_LIST:
        case CMARK_NODE_ITEM:
            read_blocks(summary, block,
                        depth + (cmark_node_get_type(block) == CMARK_NODE_LIST));
            break;
        default:
            problem(summary, line, "only [Title](file.md) can stand here");
        }
    }
}

static void find_forgotten(void) {
    glob_t found = {0};
    glob(at_root(text_of("%s/*.md", book.chapters)), 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *file = text_of("%s", found.gl_pathv[i] + strlen(book.options.root) + 1);
        const struct page *page = book.pages;
        while (page && (!page->file || strcmp(page->file, file) != 0))
            page = page->next;
        if (!page && !strstr(file, "/SUMMARY.md"))
            problem(file, 0, "isn't in SUMMARY.md");
    }
    globfree(&found);
}

void summary_read(void) {
    char *summary = text_of("%s/SUMMARY.md", book.chapters);
    size_t length;
    char *bytes = file_read(at_root(summary), &length);
    if (!bytes) {
        problem(summary, 0, "can't be read: %s", strerror(errno));
        return;
    }
    cmark_node *document = markdown_read(bytes, length);
    read_blocks(summary, document, 0);
    cmark_node_free(document);
    find_forgotten();
}
