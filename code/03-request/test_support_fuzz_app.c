/* The application of a story: it does what its line of steps says. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "03-request/test_support_fuzz.h"

char story_byte(size_t request, size_t at) {
    return (char)('A' + (request + at / 26) % 26 + at % 7);
}

/* FNV-1a, over everything that the request's texts point to. */
static uint64_t sum(uint64_t hash, struct text text) {
    for (size_t i = 0; i < text.length; i++)
        hash = (hash ^ (unsigned char)text.at[i]) * 0x100000001b3;
    return (hash ^ text.length) * 0x100000001b3;
}

static uint64_t sum_request(const struct request *request) {
    uint64_t hash = sum(0xcbf29ce484222325, request->method);
    hash = sum(hash, request->target);
    for (int i = 0; i < request->field_count; i++)
        hash = sum(sum(hash, request->fields[i].name), request->fields[i].value);
    return hash;
}

/* --- the answer --------------------------------------------------------------------- */

static const struct field odd_fields[] = {
    {{"a b", 3}, {"x", 1}},
    {{"A", 1}, {"b\r\nC: d", 7}},
    {{"Connection", 10}, {"close", 5}},
    {{"content-length", 14}, {"1", 1}},
    {{"Transfer-Encoding", 17}, {"chunked", 7}},
    {{"", 0}, {"x", 1}},
    {{"A", 1}, {"\0", 1}},
    {{"DATE", 4}, {"today", 5}},
    {{"A:", 2}, {"", 0}},
    {{"Large", 5}, {NULL, HEAD_MOST}},
};

static void start(struct story *story, uint64_t length) {
    static char number[24], large[HEAD_MOST];
    struct told *told = story->told;
    snprintf(number, sizeof number, "%zu", story->begins - 1);
    struct field fields[2] = {{{"N", 1}, {number, strlen(number)}}};
    bool odd = story->odd >= 0;
    if (odd)
        fields[1] =
            odd_fields[(size_t)story->odd % (sizeof odd_fields / sizeof odd_fields[0])];
    if (odd && !fields[1].value.at) {
        memset(large, 'x', sizeof large);
        fields[1].value.at = large;
    }
    bool refused = odd || story->status < 200 || story->status > 599;
    told->came = story->taken > told->head_end;
    int failed =
        exchange_start(story->open, story->status, fields, odd ? 2 : 1, length);
    if ((failed != 0) != refused)
        fault("an answer of status %d, field %d, %s", story->status, story->odd,
              failed ? "can't be started" : "was started");
    if (failed && errno != EINVAL && errno != EMSGSIZE)
        fault("errno is %d", errno);
    if (!failed) {
        told->started = true;
        told->status = story->status;
        told->length = length;
    }
    story->status = 200;
    story->odd = -1;
}

/* Gives up to `n` bytes; returns false if the output was full. */
static bool chunk(struct story *story, size_t n, bool more) {
    static char bytes[ANSWERS_MOST];
    struct told *told = story->told;
    if (told->length != LENGTH_UNKNOWN && n > told->length - told->given)
        n = told->length - told->given;
    for (size_t i = 0; i < n; i++)
        bytes[i] = story_byte(story->begins - 1, told->given + i);
    size_t taken = exchange_chunk(story->open, bytes, n, more);
    if (taken > n)
        fault("%zu bytes taken of %zu", taken, n);
    told->given += taken;
    story->given_in_all += taken;
    story->full = taken < n;
    story->last_left = n - taken;
    return !story->full;
}

static void end(struct story *story) {
    struct told *told = story->told;
    struct exchange *exchange = story->open;
    if (sum_request(&exchange->request) != told->sum)
        fault("the request has changed");
    if (exchange->request.method.length == 0)
        fault("a request without a method");
    told->ended = true;
    if (!told->started) {
        told->status = 500;
        told->came = story->taken > told->head_end;
    }
    story->open = NULL;
    story->full = story->wants_body = story->waits = false;
    exchange_end(exchange);
}

/* --- the body ----------------------------------------------------------------------- */

/* Reads once; as exchange_read(). */
static int read_some(struct story *story, size_t most) {
    static char bytes[BODY_ROOM + 1];
    struct told *told = story->told;
    most = most == 0 ? 1 : most < sizeof bytes ? most : sizeof bytes;
    int n = exchange_read(story->open, bytes, (int)most);
    if (n < -1 || n > (int)most)
        fault("read %d bytes of %zu", n, most);
    if (n > 0 && (told->body_length - told->read < (size_t)n ||
                  memcmp(bytes, story->body + told->read, (size_t)n) != 0))
        fault("bytes that aren't the body's, at %zu", told->read);
    if (n > 0)
        told->read += (size_t)n;
    if (told->read > BODY_MOST)
        fault("a body of more than BODY_MOST");
    if (n == -1 && (!told->body_whole || told->read < told->body_length))
        fault("a body is over that isn't: %zu of %zu", told->read, told->body_length);
    return n;
}

/* True when the body has been read to its end, or never will be. */
static bool read_all(struct story *story) {
    int n;
    do
        n = read_some(story, SIZE_MAX);
    while (n > 0);
    bool never = story->told->told_disconnect && !exchange_body_is_whole(story->open);
    story->wants_body = n == 0 && !never;
    return !story->wants_body;
}

/* --- the steps ---------------------------------------------------------------------- */

/* The last bytes of an answer: again until all were taken, then its end. */
static void give_last(struct story *story, size_t n) {
    if (story->lasts)
        n = story->last_left;
    story->lasts = true;
    if (!chunk(story, n, false))
        return;
    story->told->last = true;
    end(story);
}

static void answer_plainly(struct story *story) {
    static const struct field fields[1];
    char text[64];
    struct told *told = story->told;
    if (!read_all(story))
        return;
    int n = snprintf(text, sizeof text, "%016llx %zu\n", (unsigned long long)told->sum,
                     told->read);
    told->started = told->last = told->came = true;
    told->status = 200;
    told->length = told->given = (size_t)n;
    exchange_start(story->open, 200, fields, 0, told->length);
    exchange_chunk(story->open, text, told->given, false);
    end(story);
}

static void answer_shortly(struct story *story) {
    if (story->full || (!story->told->started && !read_all(story)))
        return;
    if (!story->told->started)
        start(story, 2);
    if (story->told->started)
        give_last(story, 2);
    else
        end(story);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Does one step; false if it can't be done now and has to be done again. */
static bool work_once(struct story *story, char letter, bool numbered, size_t number) {
    struct told *told = story->told;
    switch (letter) {
    case 'R':
        return read_all(story);
    case 'r':
        read_some(story, numbered ? number : SIZE_MAX);
        return true;
    case 's':
        if (!told->started)
            start(story, numbered ? number : LENGTH_UNKNOWN);
        return true;
    case 'S':
        story->status = (int)number;
        return true;
    case 'F':
        story->odd = (int)number;
        return true;
    case 'c':
        if (story->full)
            return false;
        if (told->started)
            chunk(story, least(number, ANSWERS_MOST - story->given_in_all), true);
        return true;
    case 'l':
        if (story->full)
            return false;
        if (!told->started)
            return true;
        if (!numbered && told->length != LENGTH_UNKNOWN)
            number = told->length;
        give_last(story, least(number, ANSWERS_MOST - story->given_in_all));
        return !story->open;
    case 'e':
        end(story);
        return true;
    case '.':
        story->waits = !story->hurries;
        return true;
    default:
        return true;
    }
}

void story_work(struct story *story) {
    while (story->open && !story->waits) {
        if (story->plain) {
            answer_plainly(story);
            return;
        }
        struct steps before = story->steps;
        char letter = next_step(&story->steps);
        if (letter == 0) {
            answer_shortly(story);
            return;
        }
        if (!work_once(story, letter, story->steps.numbered, story->steps.number)) {
            story->steps = before;
            return;
        }
    }
}

/* --- what the loop tells it --------------------------------------------------------- */

void story_begin(struct story *story, struct exchange *exchange) {
    if (story->open)
        fault("an exchange begins before the last one has ended");
    if (story->begins == REQUESTS_MOST)
        fault("more requests than there can be");
    const struct told *last = story->told;
    struct told *told = &story->all[story->begins++];
    *told = (struct told){.at = last ? last->end : 0};
    if (last && !last->body_whole)
        fault("a request begins within a body");
    story->told = told;
    story->open = exchange;
    exchange->with_application = true;
    read_request(story, told);
    told->sum = sum_request(&exchange->request);
    struct text method = exchange->request.method;
    if (memcmp(story->sent + told->at, method.at, method.length) != 0 ||
        story->sent[told->at + method.length] != ' ')
        fault("it isn't the request at %zu that begins", told->at);
    story->full = story->wants_body = story->waits = story->lasts = false;
    story_work(story);
}

static void expect_open(const struct story *story, const char *what) {
    if (!story->open)
        fault("%s, and no exchange is open", what);
}

void story_body(struct story *story) {
    expect_open(story, "body");
    story_work(story);
}

void story_room(struct story *story) {
    expect_open(story, "room");
    if (!story->full)
        fault("room for who didn't ask");
    story->full = false;
    story_work(story);
}

void story_disconnect(struct story *story) {
    expect_open(story, "disconnect");
    if (story->told->told_disconnect)
        fault("told twice of a disconnect");
    story->told->told_disconnect = true;
    story_work(story);
}
