/* What directives put into a page: figures, claims, and the ledger's tables. */
#include <errno.h>
#include <string.h>

#include "99-weave/text.h"
#include "99-weave/weave.h"

/* Prints an SVG without what stands before it. Its ids, and what refers to them, get
 * the figure's own id in front, so that two figures of a page don't mix. */
static void print_svg(const char *svg, const char *id, const char *label, FILE *out) {
    static const char *const before[] = {" id=\"", " id='", "url(#", "href=\"#",
                                         "href='#"};
    fprintf(out, "<svg aria-label=\"%s\"%s", label,
            strstr(svg, "role=\"img\"") ? "" : " role=\"img\"");
    for (svg += strlen("<svg"); *svg;) {
        size_t matched = 0;
        for (size_t i = 0; i < sizeof before / sizeof *before; i++)
            if (!strncmp(svg, before[i], strlen(before[i])))
                matched = strlen(before[i]);
        if (matched)
            fprintf(out, "%.*s%s-", (int)matched, svg, id);
        else
            putc(*svg, out);
        svg += matched ? matched : 1;
    }
}

const char *figure_html(struct page *page, const struct directive *directive) {
    char *name = text_of("%s", directive->arguments), *caption = strchr(name, ' ');
    if (!caption) {
        problem(page->file, directive->line, "figure '%s' has no caption", name);
        return "";
    }
    *caption++ = '\0';
    size_t length;
    char *file = text_of("%s/%s.svg", book.options.figures, name);
    char *bytes = file_read(file, &length), *svg = bytes ? strstr(bytes, "<svg") : NULL;
    if (!svg) {
        problem(page->file, directive->line, "no figure '%s': %s: %s", name, file,
                bytes ? "isn't an SVG" : strerror(errno));
        return "";
    }
    cmark_node *document = markdown_read(caption, strlen(caption));
    const char *id = page_mark(page, text_of("figure %s", name));
    struct text text;
    FILE *out = text_open(&text);
    fprintf(out, "<figure class=\"drawing\" id=\"%s\">\n", id);
    fputs("<div class=\"wide\" tabindex=\"0\">", out);
    print_svg(svg, id, escaped(node_text(document)), out);
    fprintf(out, "</div>\n<figcaption>%s</figcaption>\n</figure>",
            markdown_html(document));
    cmark_node_free(document);
    return text_close(&text);
}

static const char *number(bool present, double value, const char *unit) {
    char digits[32];
    if (!present)
        return "–";
    ledger_number(value, unit, digits, sizeof digits);
    return text_of("%s", digits);
}

static const char *measured(const struct ledger_row *row,
                            const struct ledger_value *value) {
    const char *middle = number(value->present, value->value, row->unit);
    if (!value->present || !value->has_interval)
        return middle;
    return text_of("%s <small>(%s to %s)</small>", middle,
                   number(true, value->low, row->unit),
                   number(true, value->high, row->unit));
}

/* "row-w1-2" for W1.2. */
static const char *row_mark(struct page *page, const struct ledger_row *row) {
    char *words = text_of("row %s", row->id);
    for (char *dot = words; (dot = strchr(dot, '.'));)
        *dot = '-';
    return page_mark(page, words);
}

static void print_row(const struct ledger_row *row, const char *id, bool here,
                      FILE *out) {
    const struct ledger_value *reference = &row->reference;
    fprintf(out, "<tr id=\"%s\"><th scope=\"row\">%s</th><td>%s%s</td>", id, row->id,
            row->ours ? "<small>(ours)</small> " : "", escaped(row->says));
    fprintf(out, "<td class=\"number\">%s</td><td class=\"number\">%s</td><td>%s</td>",
            number(row->has_note, row->note, row->unit), measured(row, reference),
            verdict_name(reference->verdict));
    if (here)
        fprintf(out, "<td>%s<br><small>%s</small></td>", measured(row, &row->here),
                verdict_name(row->here.verdict));
    fputs("</tr>\n", out);
}

static void print_terms(const struct ledger_row *row, FILE *out) {
    fprintf(out, "<dt>%s</dt><dd>%s. <em>Rule:</em> %s. <em>Unit:</em> %s.", row->id,
            escaped(row->how), escaped(row->rule), escaped(row->unit));
    if (*row->needs)
        fprintf(out, " <em>Needs:</em> %s.", escaped(row->needs));
    if (!row->reference.present && *row->reference.why)
        fprintf(out, " <em>No value:</em> %s.", escaped(row->reference.why));
    fputs("</dd>\n", out);
}

static void print_record(const char *name, const struct ledger_value *value,
                         FILE *out) {
    if (!value)
        return;
    fprintf(out, "<p class=\"record\">%s %s: %s. Commit %s. ", name,
            escaped(value->record), escaped(ledger_machine(book.ledger, value->record)),
            *value->commit ? escaped(value->commit) : "unknown");
    fprintf(out, "Measured with <code>%s</code></p>\n", escaped(value->command));
}

const char *ledger_html(struct page *page, const struct directive *directive) {
    size_t count = book.ledger ? ledger_count(book.ledger) : 0, shown = 0;
    const char *room = text_of("%s-", directive->arguments);
    const struct ledger_row **rows = keep((count + 1) * sizeof(struct ledger_row *));
    const char **marks = keep((count + 1) * sizeof(const char *));
    const struct ledger_value *reference = NULL, *here = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct ledger_row *row = ledger_row(book.ledger, i);
        if (strncmp(row->room, room, strlen(room)) != 0)
            continue;
        marks[shown] = row_mark(page, row);
        book.row_mark[i] = marks[shown];
        rows[shown++] = row;
        reference = row->reference.present ? &row->reference : reference;
        here = row->here.present ? &row->here : here;
        book.row_page[i] = page;
    }
    if (shown == 0) {
        problem(page->file, directive->line, "no ledger '%s' in experiments/",
                directive->arguments);
        return "";
    }
    struct text text;
    FILE *out = text_open(&text);
    fprintf(out,
            "<div class=\"wide\" tabindex=\"0\"><table class=\"ledger\">\n"
            "<thead><tr><th>row</th><th>the note says</th><th>note</th>"
            "<th>reference record</th><th>verdict</th>%s</tr></thead>\n<tbody>\n",
            here ? "<th>this machine</th>" : "");
    for (size_t i = 0; i < shown; i++)
        print_row(rows[i], marks[i], here, out);
    fputs("</tbody></table></div>\n<details class=\"terms\"><summary>How each row is "
          "measured, and the rule by which it counts</summary>\n<dl>\n",
          out);
    for (size_t i = 0; i < shown; i++)
        print_terms(rows[i], out);
    fputs("</dl>\n</details>\n", out);
    print_record("Record", reference, out);
    print_record("This machine", here, out);
    return text_close(&text);
}

void claim_fill(const struct page *page, const struct directive *directive,
                cmark_node *link) {
    char *id = text_of("%s", directive->arguments), *what = strchr(id, ' ');
    if (what)
        *what++ = '\0';
    bool note = what && !strcmp(what, "note");
    const struct ledger_row *row = book.ledger ? ledger_find(book.ledger, id) : NULL;
    const struct page *home = NULL;
    const char *mark = NULL;
    for (size_t i = 0; row && i < ledger_count(book.ledger); i++)
        if (ledger_row(book.ledger, i) == row) {
            home = book.row_page[i];
            mark = book.row_mark[i];
        }
    const char *wrong = !row                               ? "no such row"
                        : what && !note                    ? "only 'note' can follow"
                        : note && !row->has_note           ? "the note gives no figure"
                        : !note && !row->reference.present ? "no reference record"
                        : !home ? "no {{#ledger}} shows the row to link to"
                                : NULL;
    if (wrong) {
        problem(page->file, directive->line, "claim '%s': %s", directive->arguments,
                wrong);
        return;
    }
    cmark_node *text = cmark_node_new(CMARK_NODE_TEXT);
    double value = note ? row->note : row->reference.value;
    cmark_node_set_literal(text, number(true, value, row->unit));
    cmark_node_append_child(link, text);
    cmark_node_set_title(link, text_of("%s: %s", row->id, row->says));
    cmark_node_set_url(link, text_of("%s.html#%s", home->name, mark));
}
