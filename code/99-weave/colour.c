/* Colours the listings, all in one run of source-highlight. It goes by a file's ending,
 * and so the listings go into a folder as files named 0.c, 1.sh, 2.console ...; what it
 * doesn't know, it leaves uncoloured. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "99-weave/text.h"
#include "99-weave/weave.h"

static char *file_of(const char *folder, size_t number, const struct listing *listing) {
    const char *language = listing->language;
    for (const char *at = language; *at; at++)
        if (!isalnum((unsigned char)*at))
            language = "";
    return text_of("%s/%zu.%s", folder, number, *language ? language : "txt");
}

/* Takes over what source-highlight wrote, without the page that it puts around it. */
static void read_back(struct listing *listing, const char *file) {
    size_t length;
    char *html = file_read(file, &length);
    char *start = html ? strstr(html, "<pre><tt>") : NULL;
    char *end = start ? strstr(start, "</tt></pre>") : NULL;
    if (end) {
        *end = '\0';
        listing->coloured = start + strlen("<pre><tt>");
    }
    unlink(file);
}

void listings_colour(void) {
    char folder[] = "/tmp/weave-XXXXXX"; /* it needs no quoting in a shell */
    if (!book.listings || !mkdtemp(folder))
        return;
    size_t number = 0;
    for (struct listing *at = book.listings; at; at = at->next)
        file_write(file_of(folder, number++, at), at->text, strlen(at->text));
    const char *command = "source-highlight --quiet --failsafe -f html-css *";
    if (system(text_of("cd %s && %s", folder, command)) != 0)
        problem("source-highlight", 0, "failed, so no code is coloured; install it");
    number = 0;
    for (struct listing *at = book.listings; at; at = at->next) {
        char *file = file_of(folder, number++, at);
        read_back(at, text_of("%s.html", file));
        unlink(file);
    }
    rmdir(folder);
}
