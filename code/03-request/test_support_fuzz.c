/* The story: what its steps do, one run of it, and the comparison of two runs. */
#include "03-request/test_support_fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/clock.h"

enum { BYTES_ALONE_MOST = 1024 }; /* more bytes aren't played one by one */

static struct story story;
static char sent[SENT_MOST];

void fault(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "fault: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n(phase %d, %zu begun, %zu of %zu bytes read, %zu sent)\n",
            (int)story.conn->phase, story.begins, story.taken, story.length,
            story.got_length);
    va_end(arguments);
    abort();
}

char next_step(struct steps *steps) {
    steps->numbered = false;
    steps->number = 0;
    for (; steps->at < steps->end; steps->at++) {
        uint8_t c = *steps->at;
        if (c >= '0' && c <= '9') {
            steps->numbered = true;
            if (steps->number < ANSWERS_MOST)
                steps->number = steps->number * 10 + (c - (size_t)'0');
        } else if (c > ' ' && c < 0x7f)
            return (char)*steps->at++;
    }
    return 0;
}

static void on_ready(void *argument, uint32_t slot) {
    if (argument != &story || slot != 7)
        fault("ready for somebody else");
    story.ready = true;
}

/* The same memory for all stories, as a slot is for its tenants. The pieces that may be
 * elsewhere are, so that a sanitizer sees where each ends. */
static void open_story(const uint8_t *steps, const uint8_t *end, size_t length) {
    static struct conn *conn;
    static char *input, *body;
    if (!conn) {
        conn = calloc(1, sizeof *conn);
        input = malloc(INPUT_MOST);
        body = malloc(BODY_ROOM);
    }
    size_t capacity = story.got ? story.got_capacity : 4096;
    char *got = story.got ? story.got : malloc(capacity);
    memset(&story, 0, offsetof(struct story, all));
    memset(&conn->exchange, 0, sizeof conn->exchange);
    story.conn = conn;
    story.http = (struct http){.parse = parse_plain,
                               .head_timeout = 10 * NS_PER_S,
                               .idle_timeout = 75 * NS_PER_S,
                               .stall_timeout = 30 * NS_PER_S,
                               .counters = &story.counters};
    story.counters.requests = 1; /* the memory is measured at the first */
    story.sent = sent;
    story.length = length;
    story.takes = story.gulp = SIZE_MAX;
    story.held = HELD_UNKNOWN;
    story.got = got;
    story.got_capacity = capacity;
    story.steps = (struct steps){.at = steps, .end = end};
    story.status = 200;
    story.odd = -1;
    conn_open(conn, &story.http, 7, 8, on_ready, &story, story.now);
    conn->in.bytes = input;
    conn->exchange.body = body;
    story_move(&story, false);
    story_settle(&story);
}

static void close_story(void) {
    story.hurries = true;
    story.waits = false;
    story_work(&story);
    story_settle(&story);
    for (int i = 0; i < 10 && story.conn->phase != CONN_OVER; i++) {
        if (story.conn->deadline == NEVER)
            fault("the application has ended all, but it isn't over");
        story_pass(&story, story.conn->deadline);
    }
    if (story.conn->phase != CONN_OVER)
        fault("it doesn't end");
    if (story.counters.requests != story.begins + 1)
        fault("%zu requests were counted", (size_t)story.counters.requests - 1);
    judge_answers(&story);
}

/* --- the story ---------------------------------------------------------------------- */

static void feed(size_t n) {
    const struct conn *conn = story.conn;
    size_t left = story.length - story.arrived, begins = story.begins;
    bool half_a_head = conn->phase == CONN_READING && conn->head_begun;
    uint64_t deadline = conn->deadline;
    if (!story.client_ended)
        story.arrived += n < left ? n : left;
    story_settle(&story);
    if (half_a_head && conn->phase == CONN_READING && story.begins == begins &&
        conn->deadline != deadline)
        fault("more of a head has put its deadline off");
}

static void step(char letter, bool numbered, size_t number) {
    switch (letter) {
    case 'f':
        feed(numbered ? number : SIZE_MAX);
        break;
    case 'e':
        story.client_ended = true;
        story_settle(&story);
        break;
    case 'b':
        story.broken = true;
        story_settle(&story);
        break;
    case 'w':
        story.takes = numbered ? number : SIZE_MAX;
        story_settle(&story);
        break;
    case 'h':
        story.held = numbered ? number : HELD_UNKNOWN;
        break;
    case 't':
        if (numbered)
            story_pass(&story, story.now + number * NS_PER_MS);
        else if (story.conn->deadline != NEVER)
            story_pass(&story, story.conn->deadline);
        break;
    case 'a':
        story.waits = false;
        story_work(&story);
        story_settle(&story);
        break;
    case 'm':
        story_move(&story, false);
        story_settle(&story);
        break;
    default:
        break;
    }
}

/* Plays the client's bytes alone, in the pieces of the steps and then in pieces of
 * `piece` bytes, to an application that repeats what it is asked. Returns what the client
 * got, for free(). */
static char *play_plain(struct steps steps, size_t length, size_t piece, size_t gulp,
                        size_t *got) {
    open_story(steps.end, steps.end, length);
    story.plain = true;
    story.gulp = gulp;
    for (char letter; (letter = next_step(&steps));)
        if (letter == 'f')
            feed(steps.numbered ? steps.number : SIZE_MAX);
    do
        feed(piece);
    while (story.arrived < length);
    step('e', false, 0);
    if (story.conn->phase != CONN_OVER)
        fault("the client has left, but it isn't over");
    judge_answers(&story);
    char *copy = malloc(story.got_length + 1);
    *got = 0;
    /* Who had sent the body already isn't asked for it. */
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    for (size_t i = 0; i < story.got_length;)
        if (story.got_length - i >= sizeof go_on - 1 &&
            !memcmp(story.got + i, go_on, sizeof go_on - 1))
            i += sizeof go_on - 1;
        else
            copy[(*got)++] = story.got[i++];
    return copy;
}

static void expect_same(const char *whole, size_t whole_length, char *cut,
                        size_t cut_length) {
    if (whole_length != cut_length || memcmp(whole, cut, cut_length) != 0)
        fault("whole:\n%.*s\nin pieces:\n%.*s", (int)whole_length, whole,
              (int)cut_length, cut);
    free(cut);
}

/* However the bytes are cut, on the way in or out, the answers are the same. */
static void compare_cuts(struct steps steps, size_t length) {
    size_t whole_length, cut_length;
    struct steps none = {.at = steps.end, .end = steps.end};
    char *whole = play_plain(none, length, SIZE_MAX, SIZE_MAX, &whole_length);
    char *cut = play_plain(steps, length, SIZE_MAX, 33, &cut_length);
    expect_same(whole, whole_length, cut, cut_length);
    if (length <= BYTES_ALONE_MOST) {
        cut = play_plain(none, length, 1, SIZE_MAX, &cut_length);
        expect_same(whole, whole_length, cut, cut_length);
    }
    free(whole);
}

static size_t expand(const uint8_t *bytes, const uint8_t *end) {
    size_t n = 0;
    while (bytes < end && n < SENT_MOST) {
        size_t times = 1;
        if (*bytes == 0xff && end - bytes >= 3) {
            times = (size_t)1 << bytes[1] % 21;
            bytes += 2;
        }
        times = times < SENT_MOST - n ? times : SENT_MOST - n;
        for (size_t i = 0; i < times; i++)
            sent[n + i] = (char)(*bytes ^ __builtin_parity((unsigned)i));
        bytes++;
        n += times;
    }
    return n;
}

static const uint8_t *line_end(const uint8_t *at, const uint8_t *end) {
    const uint8_t *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length > STORY_MOST || length == 0)
        return 0;
    const uint8_t *end = bytes + length;
    struct steps steps = {.at = bytes, .end = line_end(bytes, end)};
    const uint8_t *second = steps.end + (steps.end < end);
    const uint8_t *second_end = line_end(second, end);
    size_t expanded = expand(second_end + (second_end < end), end);
    struct steps again = steps;
    open_story(second, second_end, expanded);
    for (char letter; (letter = next_step(&steps));)
        step(letter, steps.numbered, steps.number);
    close_story();
    compare_cuts(again, expanded);
    return 0;
}
