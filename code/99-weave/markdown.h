/* Markdown, by cmark-gfm, with one addition: {{#name arguments}} in running text. */
#ifndef WEAVE_MARKDOWN_H
#define WEAVE_MARKDOWN_H

#include <cmark-gfm.h>
#include <stddef.h>

/* What stands in a {{#...}}: the user data of a link that has nothing else. */
struct directive {
    const char *name;      /* "claim"; "" if it's never closed */
    const char *arguments; /* "W2 note", spaces made single */
    int line;
};

/* The name and arguments of "claim W2 note". */
struct directive directive_read(const char *words, int line);

/* The caller frees the document with cmark_node_free(). */
cmark_node *markdown_read(const char *bytes, size_t length);

/* The document as HTML; raw HTML in it is left out. Kept. */
char *markdown_html(cmark_node *document);

/* The walk from node_first(root) by node_after() meets every node, each after its
 * children and `root` last. A node may be replaced once its successor is known. */
cmark_node *node_first(cmark_node *root);
cmark_node *node_after(cmark_node *node);

/* The text of a node, without marks; and as HTML, which empties the node. Kept. */
char *node_text(cmark_node *node);
char *node_inner_html(cmark_node *node);

/* A new block that prints `before`, its children and `after`. */
cmark_node *raw_block(const char *before, const char *after);

void move_children(cmark_node *from, cmark_node *to);

/* Puts `node` where `old` stands, which ends. */
void put_instead(cmark_node *old, cmark_node *node);

/* The line of a node, or of the nearest node around it that knows one. */
int node_line(cmark_node *node);

#endif
