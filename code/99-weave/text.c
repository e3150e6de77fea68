#include "99-weave/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "00-ground/error.h"

static void **kept;
static size_t kept_count;

static void *keep_block(void *block) {
    if ((kept_count & (kept_count - 1)) == 0) { /* at 0, 1, 2, 4, 8 ... */
        void **more = realloc(kept, 2 * (kept_count + 1) * sizeof *kept);
        if (!more)
            die("out of memory");
        kept = more;
    }
    if (!block)
        die("out of memory");
    return kept[kept_count++] = block;
}

void *keep(size_t size) {
    return keep_block(calloc(1, size));
}

void keep_nothing(void) {
    while (kept_count > 0)
        free(kept[--kept_count]);
    free(kept);
    kept = NULL;
}

FILE *text_open(struct text *text) {
    text->out = open_memstream(&text->bytes, &text->length);
    if (!text->out)
        die("out of memory");
    return text->out;
}

char *text_close(struct text *text) {
    if (fclose(text->out) != 0)
        die("out of memory");
    return keep_block(text->bytes);
}

char *text_of(const char *format, ...) {
    struct text text;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(text_open(&text), format, arguments);
    va_end(arguments);
    return text_close(&text);
}

char *escaped(const char *string) {
    static const char special[] = "&<>\"";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    struct text text;
    FILE *out = text_open(&text);
    for (; *string; string++) {
        const char *found = strchr(special, *string);
        if (found)
            fputs(entities[found - special], out);
        else
            putc(*string, out);
    }
    return text_close(&text);
}

char *file_read(const char *path, size_t *length) {
    struct stat status;
    char *bytes = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode)) {
        bytes = keep((size_t)status.st_size + 1);
        *length = fread(bytes, 1, (size_t)status.st_size, file);
    }
    fclose(file);
    if (!bytes)
        errno = EISDIR; /* or a device, which is no better */
    return bytes;
}

void file_write(const char *path, const char *bytes, size_t length) {
    char *folder = text_of("%s", path);
    for (char *slash = folder; (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            die("can't make the folder %s: %s", folder, strerror(errno));
    }
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        die("can't write %s: %s", path, strerror(errno));
}
