/* The network and the loop of a story: they do what transport.c and a main.c do with
 * sockets, and look at the connection after each call. */
#include "03-request/test_support_fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/clock.h"
#include "02-readiness/backend.h"

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

/* --- the connection, looked at after each call ------------------------------------- */

static void look(void) {
    const struct conn *conn = story.conn;
    size_t filled = atomic_load(&conn->exchange.filled);
    if (conn->in.start > conn->in.end || conn->in.end > INPUT_MOST)
        fault("the input lies from %zu to %zu", conn->in.start, conn->in.end);
    if (conn->sent > filled || filled > OUTPUT_MOST)
        fault("%zu of %zu bytes of output are sent", conn->sent, filled);
    if (atomic_load(&conn->exchange.body_filled) > BODY_ROOM)
        fault("the body has no room");
    if (conn->own_sent > conn->own_length || conn->own_length > OWN_MOST)
        fault("%zu of %zu bytes of our own are sent", conn->own_sent, conn->own_length);
    if (story.over && conn->phase != CONN_OVER)
        fault("it was over");
    story.over = conn->phase == CONN_OVER;
    if (story.counters.responses > story.answers) {
        story.answers++;
        story.told->got_end = story.got_length;
        if (!story.told->ended || story.open)
            fault("an exchange is over that hasn't ended");
    }
}

#define CALL(call)                                                                     \
    do {                                                                               \
        call;                                                                          \
        look();                                                                        \
    } while (0)

static void on_ready(void *argument, uint32_t slot) {
    if (argument != &story || slot != 7)
        fault("ready for somebody else");
    story.ready = true;
}

/* --- the transport ------------------------------------------------------------------ */

static bool take_input(void) {
    struct conn *conn = story.conn;
    char *at;
    size_t room = conn_input_room(conn, &at), n = story.arrived - story.taken;
    if (room == 0)
        return true;
    if (story.broken)
        return false;
    n = n < room ? n : room;
    if (n > 0) {
        memcpy(at, story.sent + story.taken, n);
        story.taken += n;
        CALL(conn_took_input(conn, n, story.now));
    } else if (story.client_ended)
        CALL(conn_input_ended(conn, story.now));
    return true;
}

static void give(const char *at, size_t n) {
    while (story.got_length + n > story.got_capacity) {
        story.got_capacity *= 2;
        story.got = realloc(story.got, story.got_capacity);
    }
    if (story.half_closes > 0)
        fault("output after the end of output");
    memcpy(story.got + story.got_length, at, n);
    story.got_length += n;
    story.takes -= n;
}

static bool give_output(void) {
    struct conn *conn = story.conn;
    const char *at;
    size_t left = story.gulp;
    for (size_t n = conn_output(conn, &at); n > 0; n = conn_output(conn, &at)) {
        if (story.broken)
            return false;
        n = n < left ? n : left;
        n = n < story.takes ? n : story.takes;
        if (n == 0)
            break;
        left -= n;
        give(at, n);
        CALL(conn_sent(conn, n, story.now));
    }
    CALL(conn_sent(conn, 0, story.now));
    if (conn_half_closes(conn) && story.half_closes++ == 0)
        story.half_closed_at = story.now;
    return true;
}

/* transport_move(), and what a loop does when it says false. */
static void move(bool readable) {
    enum { TURNS = 16 };
    struct conn *conn = story.conn;
    bool begins, sound = true;
    int turns = 0;
    if (story.closed)
        CALL(conn_sent(conn, 0, story.now));
    else if (readable)
        sound = take_input();
    do {
        CALL(begins = sound && conn_begins(conn, story.now));
        if (begins)
            story_begin(&story, &conn->exchange);
        while (sound && conn_has_body(conn, story.now))
            story_body(&story);
        look();
        if (sound && !story.closed)
            sound = give_output();
    } while (sound && conn_has_unread(conn) && ++turns < TURNS);
    if (!sound)
        CALL(conn_broken(conn));
    if (conn_has_room(conn))
        story_room(&story);
    if (conn_disconnects(conn))
        story_disconnect(&story);
    look();
    if (conn->phase == CONN_GONE || conn->phase == CONN_OVER) {
        story.closed = true;
        CALL(conn_broken(conn));
    }
}

/* --- the loop ----------------------------------------------------------------------- */

/* What a loop sleeps on: there must be something that ends its sleep. */
static void expect_future(void) {
    const struct conn *conn = story.conn;
    int interest = conn_interest(conn);
    const char *at;
    if (conn->phase == CONN_OVER) {
        if (story.open || interest)
            fault("it is over, but not for all");
        return;
    }
    if (conn->deadline <= story.now)
        fault("a deadline that has passed");
    if (conn->phase == CONN_LINGERING &&
        (story.half_closes != 1 ||
         conn->deadline > story.half_closed_at + 30 * NS_PER_S))
        fault("it lingers for more than 30 s, or without a word");
    if (story.closed && !story.open)
        fault("the socket is closed and nobody has the exchange");
    bool unsent = !story.closed && conn_output(story.conn, &at) > 0;
    if (unsent && (!(interest & WRITABLE) || conn->deadline == NEVER))
        fault("output that nobody sends, or that may wait for ever");
    if (!unsent && interest & WRITABLE)
        fault("watched for room that isn't needed");
    if (interest == 0 && conn->deadline == NEVER && (!story.open || !story.waits))
        fault("it waits for nobody");
    if (story.open && !story.waits && story.full && !unsent)
        fault("there is room, but the application wasn't told");
    if (story.open && !story.waits && story.wants_body &&
        (!(interest & READABLE) || conn->deadline == NEVER))
        fault("the application waits for a body that nobody reads");
    if (interest & READABLE && conn->input_ended)
        fault("watched for what has ended");
}

/* Moves the connection while the socket is ready for it, as a level-triggered backend
 * says, then sees it asleep. */
static void settle(void) {
    struct conn *conn = story.conn;
    for (int idle = 0; idle < 3;) {
        int interest = story.closed ? 0 : conn_interest(conn);
        bool input = story.arrived > story.taken || story.client_ended || story.broken;
        bool readable = interest & READABLE && input;
        bool writable = interest & WRITABLE && (story.takes > 0 || story.broken);
        if (!readable && !writable && !story.ready && !conn_has_unread(conn)) {
            expect_future();
            return;
        }
        size_t before = story.taken + story.got_length + story.begins + story.answers +
                        story.given_in_all;
        bool closed = story.closed, ready = story.ready, told = conn->input_ended;
        story.ready = false;
        move(readable);
        bool moved = before != story.taken + story.got_length + story.begins +
                                   story.answers + story.given_in_all;
        if (moved || ready || closed != story.closed || told != conn->input_ended)
            idle = 0;
        else
            idle++;
    }
    fault("it spins");
}

static void pass(uint64_t until) {
    story.now = until;
    if (story.closed || story.conn->deadline > until)
        return;
    CALL(conn_expired(story.conn, story.now));
    move(false);
    settle();
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
    story.got = got;
    story.got_capacity = capacity;
    story.steps = (struct steps){.at = steps, .end = end};
    story.status = 200;
    story.odd = -1;
    conn_open(conn, &story.http, 7, 8, on_ready, &story, story.now);
    conn->in.bytes = input;
    conn->exchange.body = body;
    move(false);
    settle();
}

static void close_story(void) {
    story.hurries = true;
    story.waits = false;
    story_work(&story);
    settle();
    for (int i = 0; i < 10 && story.conn->phase != CONN_OVER; i++) {
        if (story.conn->deadline == NEVER)
            fault("the application has ended all, but it isn't over");
        pass(story.conn->deadline);
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
    settle();
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
        settle();
        break;
    case 'b':
        story.broken = true;
        settle();
        break;
    case 'w':
        story.takes = numbered ? number : SIZE_MAX;
        settle();
        break;
    case 't':
        if (numbered)
            pass(story.now + number * NS_PER_MS);
        else if (story.conn->deadline != NEVER)
            pass(story.conn->deadline);
        break;
    case 'a':
        story.waits = false;
        story_work(&story);
        settle();
        break;
    case 'm':
        move(false);
        settle();
        break;
    default:
        break;
    }
}

/* Plays the client's bytes alone, in these pieces, to an application that repeats what
 * it is asked; returns what the client got, for free(). */
static char *play_plain(struct steps steps, size_t length, size_t gulp, size_t *got) {
    open_story(steps.end, steps.end, length);
    story.plain = true;
    story.gulp = gulp;
    for (char letter; (letter = next_step(&steps));)
        if (letter == 'f')
            feed(steps.numbered ? steps.number : SIZE_MAX);
    feed(SIZE_MAX);
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

/* However the bytes are cut, on the way in or out, the answers are the same. */
static void compare_cuts(struct steps steps, size_t length) {
    size_t whole_length, cut_length;
    struct steps none = {.at = steps.end, .end = steps.end};
    char *whole = play_plain(none, length, SIZE_MAX, &whole_length);
    char *cut = play_plain(steps, length, 33, &cut_length);
    if (whole_length != cut_length || memcmp(whole, cut, cut_length) != 0)
        fault("whole:\n%.*s\nin pieces:\n%.*s", (int)whole_length, whole,
              (int)cut_length, cut);
    free(whole);
    free(cut);
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
        memset(sent + n, *bytes++, times);
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
