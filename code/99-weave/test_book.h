/* What weave's tests share: books in a folder of the test's own, and what became of
 * them. */
#ifndef WEAVE_TEST_BOOK_H
#define WEAVE_TEST_BOOK_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "99-weave/text.h"
#include "99-weave/weave.h"

#define BLOCK(inside) "# Pump\n\n```c\n{{#include ../" A_C ":a}}\n" inside "```\n"
#define TEXT(inside)  BLOCK("") "\n" inside "\n" /* which is line 7 */
#define FILE_A        "/* ANCHOR: a */\nint a;\n/* ANCHOR_END: a */\n"
#define LINKS         "# Summary\n\n- [06. Pump](06-pump.md)\n"
#define A_C           "code/06-pump/a.c"
#define CHAPTER       "chapters/06-pump.md"
#define SUMMARY       "chapters/SUMMARY.md"
#define TOML          "book.toml"
#define NOWHERE       " stand nowhere in the book\n"
#define NO_FILE       "No such file or directory\n"

#define GOLDEN "code/99-weave/testdata/golden"

static char folder[] = "/tmp/weave-test-XXXXXX";

static inline void set_up(void) {
    cr_assert_not_null(mkdtemp(folder));
}

static inline int forget(const char *path, const struct stat *status, int type,
                         struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static inline void clean_up(void) {
    nftw(folder, forget, 8, FTW_DEPTH | FTW_PHYS);
}

/* A path in the test's folder; it lasts until the fourth call after this one. */
static inline char *in(const char *path) {
    static char whole[4][300];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(whole[turn], sizeof whole[turn], "%s/%s", folder, path);
    return whole[turn];
}

/* Weaves and returns what was said; the caller frees it. */
static inline char *said_by(const char *root, bool check, size_t *problems) {
    char *said = NULL;
    size_t length;
    FILE *errors = open_memstream(&said, &length);
    char *out = strdup(in("out"));
    const struct weave_options options = {.root = root,
                                          .out = out,
                                          .results =
                                              check ? "nowhere" : GOLDEN "/results",
                                          .figures = GOLDEN "/figures",
                                          .check = check};
    *problems = weave(&options, errors);
    fclose(errors);
    free(out);
    return said;
}

static inline char *page(const char *name) {
    char path[100];
    snprintf(path, sizeof path, "out/%s", name);
    FILE *file = fopen(in(path), "rb");
    cr_assert_not_null(file, "%s wasn't made", name);
    char *bytes = calloc(1, 1 << 20);
    cr_assert_gt(fread(bytes, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    return bytes;
}

static inline void holds(const char *name, const char *fragment) {
    char *html = page(name);
    cr_expect(strstr(html, fragment), "%s holds no %s", name, fragment);
    free(html);
}

static inline void lacks(const char *name, const char *fragment) {
    char *html = page(name);
    cr_expect_not(strstr(html, fragment), "%s holds %s", name, fragment);
    free(html);
}

static inline void put(const char *path, const char *text) {
    char *whole = strdup(in(path));
    file_write(whole, text, strlen(text));
    keep_nothing();
    free(whole);
}

/* A whole book with one chapter and one room. */
static inline void put_good_book(void) {
    put("book.toml", "[book]\ntitle = \"T\"\nsrc = \"chapters\"\n");
    put("chapters/SUMMARY.md", "# Summary\n\n- [06. Pump](06-pump.md)\n");
    put("chapters/06-pump.md",
        "# Pump\n\n```c\n{{#include ../code/06-pump/a.c:a}}\n```\n");
    put("code/06-pump/a.c", "/* ANCHOR: a */\nint a;\n/* ANCHOR_END: a */\n");
}

/* Exactly these lines are said. */
static inline void says(const char *expected) {
    size_t problems, lines = 0;
    char *said = said_by(folder, true, &problems);
    cr_expect_str_eq(said, expected);
    for (const char *at = expected; (at = strchr(at, '\n')); at++)
        lines++;
    cr_expect_eq(problems, lines);
    cr_expect_neq(access(in("out"), F_OK), 0, "--check wrote something");
    free(said);
}

#endif
