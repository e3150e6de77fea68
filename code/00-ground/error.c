#include "00-ground/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program = "program";

void program_named(const char *argv0) {
    const char *slash = strrchr(argv0, '/');
    program = slash ? slash + 1 : argv0;
    int fd = open("/dev/null", O_RDWR); /* takes the lowest number that is free */
    while (fd >= STDIN_FILENO && fd <= STDERR_FILENO)
        fd = dup(fd);
    if (fd >= 0)
        close(fd);
}

static void complain(const char *format, va_list arguments) {
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

void die_of_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
    exit(2);
}

void output_flushed(void) {
    if (fflush(stdout) != 0 || ferror(stdout))
        die("can't write its output: %s", strerror(errno));
}
