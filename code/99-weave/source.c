/* The files that the book shows: their lines, their anchors, and whether each line
 * stands somewhere. An anchor is what mdBook calls one: it reaches from the line that
 * has its name behind ANCHOR and a colon to the line that has it behind ANCHOR_END and
 * a colon. */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <regex.h>
#include <string.h>

#include "99-weave/text.h"
#include "99-weave/weave.h"

const struct anchor *source_anchor(const struct source *source, const char *name) {
    const struct anchor *first = NULL; /* the list has the last one first */
    for (const struct anchor *at = source->anchors; at; at = at->next)
        if (!strcmp(at->name, name))
            first = at;
    return first;
}

static void open_anchor(struct source *source, const char *name, size_t line) {
    const struct anchor *twin = source_anchor(source, name);
    if (twin)
        problem(source->path, (int)line + 1,
                "anchor '%s' is doubled; the other is at line %zu", name, twin->first);
    struct anchor *anchor = keep(sizeof *anchor);
    *anchor = (struct anchor){name, line + 1, 0, source->anchors};
    source->anchors = anchor;
}

static void close_anchor(struct source *source, const char *name, size_t line) {
    struct anchor *inner = source->anchors;
    while (inner && inner->end)
        inner = inner->next;
    struct anchor *anchor = inner;
    while (anchor && (anchor->end || strcmp(anchor->name, name) != 0))
        anchor = anchor->next;
    if (!anchor) {
        problem(source->path, (int)line + 1, "anchor '%s' ends but never begins", name);
        return;
    }
    if (anchor != inner)
        problem(source->path, (int)line + 1,
                "anchor '%s' ends inside anchor '%s'; close the inner one first", name,
                inner->name);
    size_t i = anchor->first;
    while (i < line && source->lines[i].kind != LINE_TEXT)
        i++;
    if (i == line)
        problem(source->path, (int)anchor->first, "anchor '%s' is empty", name);
    anchor->end = line;
}

/* Cuts `text` into lines, and opens and closes the anchors that they mark. */
static void read_lines(struct source *source, char *text) {
    size_t room = 1;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        room++;
    source->lines = keep(room * sizeof *source->lines);
    regex_t marker;
    regcomp(&marker, "ANCHOR(_END)?:[ \t]*([[:alnum:]_-]+)", REG_EXTENDED);
    for (char *line; (line = strsep(&text, "\n")) && (text || *line);) {
        size_t number = source->count++, length = strlen(line);
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        bool blank = !line[strspn(line, " \t\f\v")];
        source->lines[number] = (struct source_line){line, LINE_TEXT, NULL};
        if (blank)
            source->lines[number].kind = LINE_BLANK;
        regmatch_t part[3];
        if (!strstr(line, "ANCHOR") || regexec(&marker, line, 3, part, 0) != 0)
            continue;
        source->lines[number].kind = LINE_MARKER;
        const char *name =
            text_of("%.*s", (int)(part[2].rm_eo - part[2].rm_so), line + part[2].rm_so);
        (part[1].rm_so < 0 ? open_anchor : close_anchor)(source, name, number);
    }
    regfree(&marker);
}

static bool must_be_shown(const char *path) {
    return fnmatch("code/[0-9][0-9]-*/*.[ch]", path, 0) == 0 &&
           fnmatch("*/test_*", path, 0) != 0 && fnmatch("*/testdata/*", path, 0) != 0;
}

struct source *source_open(const char *path) {
    for (struct source *source = book.sources; source; source = source->next)
        if (!strcmp(source->path, path))
            return source;
    size_t length;
    char *text = file_read(at_root(path), &length);
    if (!text)
        return NULL;
    if (strlen(text) != length)
        problem(path, 0, "holds a NUL byte, so it isn't text");
    struct source *source = keep(sizeof *source);
    *source = (struct source){.path = path, .counts = must_be_shown(path)};
    source->next = book.sources;
    book.sources = source;
    read_lines(source, text);
    for (struct anchor *anchor = source->anchors; anchor; anchor = anchor->next) {
        if (anchor->end)
            continue;
        problem(path, (int)anchor->first, "anchor '%s' is never closed", anchor->name);
        anchor->end = source->count;
    }
    return source;
}

void source_print(const struct source *source, size_t first, size_t end, FILE *out) {
    const struct source_line *lines = source->lines;
    while (first < end && lines[first].kind != LINE_TEXT)
        first++;
    while (end > first && lines[end - 1].kind != LINE_TEXT)
        end--;
    size_t indent = (size_t)-1;
    for (size_t i = first; i < end; i++) {
        size_t spaces = strspn(lines[i].text, " \t");
        if (lines[i].kind == LINE_TEXT && spaces < indent)
            indent = spaces;
    }
    for (size_t i = first; i < end; i++)
        if (lines[i].kind != LINE_MARKER)
            fprintf(out, "%s\n",
                    lines[i].kind == LINE_TEXT ? lines[i].text + indent : "");
}

static void check_lines(const struct source *source) {
    for (size_t i = 0; i < source->count; i++) {
        if (source->lines[i].kind != LINE_TEXT || source->lines[i].shown)
            continue;
        size_t first = i, last = i;
        for (; i < source->count && !source->lines[i].shown; i++)
            if (source->lines[i].kind == LINE_TEXT)
                last = i;
        problem(source->path, (int)first + 1,
                "lines %zu to %zu stand nowhere in the book", first + 1, last + 1);
    }
}

void source_check_all(void) {
    glob_t found;
    char *pattern = at_root("code/[0-9][0-9]-*/*");
    for (; glob(pattern, 0, NULL, &found) == 0; pattern = text_of("%s/*", pattern)) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char *path =
                text_of("%s", found.gl_pathv[i] + strlen(book.options.root) + 1);
            if (!must_be_shown(path))
                continue;
            const struct source *source = source_open(path);
            if (source)
                check_lines(source);
            else
                problem(path, 0, "can't be read: %s", strerror(errno));
        }
        globfree(&found);
    }
}
