#include "00-ground/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "program";

void program_named(const char *argv0) {
    const char *slash = strrchr(argv0, '/');
    program = slash ? slash + 1 : argv0;
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
