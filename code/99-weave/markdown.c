#include "99-weave/markdown.h"

#include <cmark-gfm-core-extensions.h>
#include <ctype.h>
#include <string.h>

#include "99-weave/text.h"

enum { OPTIONS = CMARK_OPT_SMART | CMARK_OPT_FOOTNOTES | CMARK_OPT_VALIDATE_UTF8 };

struct directive directive_read(const char *words, int line) {
    char *name = text_of("%s", words), *to = name;
    for (; *words; words++)
        if (!isspace((unsigned char)*words))
            *to++ = *words;
        else if (to > name && to[-1] != ' ')
            *to++ = ' ';
    to -= to > name && to[-1] == ' ';
    *to = '\0';
    char *space = strchr(name, ' ');
    if (space)
        *space = '\0';
    return (struct directive){name, space ? space + 1 : "", line};
}

/* cmark asks at each '{' that no backslash escapes. */
static cmark_node *match(cmark_syntax_extension *self, cmark_parser *parser,
                         cmark_node *block, unsigned char character,
                         cmark_inline_parser *at) {
    (void)self, (void)parser, (void)character;
    int start = cmark_inline_parser_get_offset(at), line = node_line(block);
    for (int i = 0; i < 3; i++)
        if (cmark_inline_parser_peek_at(at, start + i) != (unsigned char)"{{#"[i])
            return NULL;
    for (int i = 0; i < start; i++)
        line += cmark_inline_parser_peek_at(at, i) == '\n';
    struct text text;
    FILE *out = text_open(&text);
    int end = start + 3;
    unsigned char before = 0, now;
    while ((now = cmark_inline_parser_peek_at(at, end)) &&
           (now != '}' || before != '}')) {
        putc(now, out);
        before = now;
        end++;
    }
    char *words = text_close(&text);
    if (now)
        words[strlen(words) - 1] = '\0'; /* the first of the two '}' */
    struct directive *directive = keep(sizeof *directive);
    *directive = directive_read(now ? words : "", line);
    cmark_inline_parser_set_offset(at, now ? end + 1 : start + 3);
    cmark_node *node = cmark_node_new(CMARK_NODE_LINK); /* a table's cell takes those */
    cmark_node_set_user_data(node, directive);
    return node;
}

cmark_node *markdown_read(const char *bytes, size_t length) {
    cmark_mem *memory = cmark_get_default_mem_allocator();
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new(OPTIONS);
    static const char *const names[] = {"table", "strikethrough", "autolink"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cmark_parser_attach_syntax_extension(parser,
                                             cmark_find_syntax_extension(names[i]));
    cmark_syntax_extension *extension = cmark_syntax_extension_new("directive");
    cmark_syntax_extension_set_match_inline_func(extension, match);
    cmark_syntax_extension_set_special_inline_chars(
        extension, cmark_llist_append(memory, NULL, (void *)(size_t)'{'));
    cmark_parser_attach_syntax_extension(parser, extension);
    cmark_parser_feed(parser, bytes, length);
    cmark_node *document = cmark_parser_finish(parser);
    cmark_parser_free(parser);
    cmark_syntax_extension_free(memory, extension);
    return document;
}

char *markdown_html(cmark_node *document) {
    char *html = cmark_render_html(document, OPTIONS, NULL);
    char *kept = text_of("%s", html);
    cmark_get_default_mem_allocator()->free(html);
    return kept;
}

cmark_node *node_first(cmark_node *root) {
    for (cmark_node *child; (child = cmark_node_first_child(root)); root = child)
        continue;
    return root;
}

cmark_node *node_after(cmark_node *node) {
    cmark_node *next = cmark_node_next(node);
    return next ? node_first(next) : cmark_node_parent(node);
}

char *node_text(cmark_node *node) {
    struct text text;
    FILE *out = text_open(&text);
    for (cmark_node *at = node_first(node); at != node; at = node_after(at)) {
        cmark_node_type type = cmark_node_get_type(at);
        if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE)
            fputs(cmark_node_get_literal(at), out);
        else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
            putc(' ', out);
    }
    return text_close(&text);
}

void move_children(cmark_node *from, cmark_node *to) {
    for (cmark_node *child; (child = cmark_node_first_child(from));)
        cmark_node_append_child(to, child);
}

char *node_inner_html(cmark_node *node) {
    cmark_node *holder = raw_block("", "");
    move_children(node, holder);
    char *html = markdown_html(holder);
    cmark_node_free(holder);
    html[strcspn(html, "\n")] = '\0';
    return html;
}

cmark_node *raw_block(const char *before, const char *after) {
    cmark_node *node = cmark_node_new(CMARK_NODE_CUSTOM_BLOCK);
    cmark_node_set_on_enter(node, before);
    cmark_node_set_on_exit(node, after);
    return node;
}

void put_instead(cmark_node *old, cmark_node *node) {
    cmark_node_insert_before(old, node);
    cmark_node_free(old);
}

int node_line(cmark_node *node) {
    while (node && cmark_node_get_start_line(node) == 0)
        node = cmark_node_parent(node);
    return node ? cmark_node_get_start_line(node) : 0;
}
