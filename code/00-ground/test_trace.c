/* The trace: a JSON file of what two threads did. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "00-ground/trace.h"

TestSuite(trace, .timeout = 300);

/* A reader of JSON that keeps nothing: returns what follows one value, NULL if it isn't
 * one. It knows as much as a trace needs: no escapes in strings, no literals. */
static const char *skip_space(const char *at) {
    return at + strspn(at, " \n\r\t");
}

static const char *skip_string(const char *at) {
    if (*at != '"')
        return NULL;
    at += 1 + strcspn(at + 1, "\"\\\n");
    return *at == '"' ? at + 1 : NULL;
}

static const char *skip_value(const char *at);

/* The members of an object, or the values of an array, up to `end`. */
static const char *skip_members(const char *at, char end) {
    at = skip_space(at + 1);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (end == '}') {
            if (!(at = skip_string(skip_space(at))) || *(at = skip_space(at)) != ':')
                return NULL;
            at++;
        }
        if (!(at = skip_value(at)))
            return NULL;
        at = skip_space(at);
        if (*at == end)
            return at + 1;
        if (*at++ != ',')
            return NULL;
    }
}

static const char *skip_value(const char *at) {
    at = skip_space(at);
    if (*at == '{')
        return skip_members(at, '}');
    if (*at == '[')
        return skip_members(at, ']');
    if (*at == '"')
        return skip_string(at);
    size_t length = strspn(at, "-0123456789.");
    return length > 0 && isdigit((unsigned char)at[length - 1]) ? at + length : NULL;
}

static char path[] = "/tmp/trace-test-XXXXXX";
static char *content;

static void open_trace(void) {
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    cr_assert_eq(trace_open(path), 0);
}

/* Ends the trace, checks that it is JSON and leaves it in `content`. */
static void close_trace(void) {
    cr_assert_eq(trace_close(), 0);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    content = calloc(1, size + 1);
    cr_assert_eq(fread(content, 1, size, file), size);
    fclose(file);
    unlink(path);
    const char *end = skip_value(content);
    cr_assert(end && *skip_space(end) == '\0', "not JSON: %.200s", content);
}

static size_t count_of(const char *part) {
    size_t count = 0, length = strlen(part);
    for (const char *at = content; *at; at++) /* strstr is slow under the sanitizer */
        count += *at == *part && !strncmp(at, part, length);
    return count;
}

static void *leave_spans(void *name) {
    trace_thread(name);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t began = trace_begin();
        cr_assert_neq(began, 0);
        trace_end(began, "parse", i, 100 + i);
    }
    trace_end(trace_begin(), "sleep", NO_SLOT, 0);
    return NULL;
}

Test(trace, names_two_threads_and_their_spans) {
    pthread_t other;
    open_trace();
    leave_spans("native loop");
    cr_assert_eq(pthread_create(&other, NULL, leave_spans, "executor"), 0);
    cr_assert_eq(pthread_join(other, NULL), 0);
    close_trace();
    cr_assert_eq(count_of("\"name\":\"native loop\""), 1);
    cr_assert_eq(count_of("\"name\":\"executor\""), 1);
    cr_assert_eq(count_of("\"name\":\"parse\",\"ph\":\"X\",\"pid\":1,\"tid\":0"), 3);
    cr_assert_eq(count_of("\"name\":\"parse\",\"ph\":\"X\",\"pid\":1,\"tid\":1"), 3);
    cr_assert_eq(count_of("{\"slot\":2,\"tag\":102}"), 2);
    cr_assert_eq(count_of("\"name\":\"sleep\""), 2);
    cr_assert_eq(count_of("\"slot\":"), 6, "a sleep belongs to no slot");
    cr_assert_eq(count_of("\"dropped\":0"), 2);
    free(content);
}

Test(trace, keeps_the_first_spans_and_says_how_many_it_dropped) {
    open_trace();
    trace_thread("executor");
    for (uint32_t i = 0; i < 65536 + 5; i++)
        trace_end(trace_begin(), "parse", i, 0);
    close_trace();
    cr_assert_eq(count_of("\"dropped\":5"), 1);
    cr_assert_eq(count_of("\"ph\":\"X\""), 65536);
    cr_assert_eq(count_of("\"slot\":65535,"), 1);
    cr_assert_eq(count_of("\"slot\":65536,"), 0);
    free(content);
}

Test(trace, takes_microseconds_since_it_was_opened) {
    double ts = -1, dur = -1;
    open_trace();
    trace_thread("executor");
    uint64_t began = trace_begin();
    while (clock_now() < began + 2 * NS_PER_MS)
        ;
    trace_end(began, "work", NO_SLOT, 0);
    close_trace();
    const char *span = strstr(content, "\"ts\":");
    cr_assert_not_null(span);
    cr_assert_eq(sscanf(span, "\"ts\":%lf,\"dur\":%lf", &ts, &dur), 2);
    cr_assert(ts >= 0 && ts < 60e6);
    cr_assert(dur >= 2000 && dur < 60e6);
    free(content);
}

Test(trace, without_a_file_nothing_is_traced_and_no_clock_is_read) {
    trace_thread("executor");
    cr_assert_eq(trace_begin(), 0);
    trace_end(0, "parse", 1, 1);
    cr_assert_eq(trace_close(), 0);
}

Test(trace, says_when_the_file_cannot_be_opened) {
    cr_assert_eq(trace_open("/no/such/folder/trace.json"), -1);
}
