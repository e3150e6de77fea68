/* The network and the loop of a story: they do what transport.c and a main.c do with
 * sockets, and look at the connection after each call. */
#include <stdlib.h>
#include <string.h>

#include "00-ground/clock.h"
#include "02-readiness/backend.h"
#include "03-request/test_support_fuzz.h"

/* --- the connection, looked at after each call ------------------------------------- */

static void look(struct story *story) {
    const struct conn *conn = story->conn;
    size_t filled = atomic_load(&conn->exchange.filled);
    if (conn->in.start > conn->in.end || conn->in.end > INPUT_MOST)
        fault("the input lies from %zu to %zu", conn->in.start, conn->in.end);
    if (conn->sent > filled || filled > OUTPUT_MOST)
        fault("%zu of %zu bytes of output are sent", conn->sent, filled);
    if (atomic_load(&conn->exchange.body_filled) > BODY_ROOM)
        fault("the body has no room");
    if (conn->own_sent > conn->own_length || conn->own_length > OWN_MOST)
        fault("%zu of %zu bytes of our own are sent", conn->own_sent, conn->own_length);
    if (story->over && conn->phase != CONN_OVER)
        fault("it was over");
    story->over = conn->phase == CONN_OVER;
    if (story->counters.responses > story->answers) {
        story->answers++;
        story->told->got_end = story->got_length;
        if (!story->told->ended || story->open)
            fault("an exchange is over that hasn't ended");
    }
}

#define CALL(call)                                                                     \
    do {                                                                               \
        call;                                                                          \
        look(story);                                                                   \
    } while (0)

/* --- the transport ------------------------------------------------------------------ */

static bool take_input(struct story *story) {
    struct conn *conn = story->conn;
    char *at;
    size_t room = conn_input_room(conn, &at), n = story->arrived - story->taken;
    if (room == 0)
        return true;
    if (story->broken)
        return false;
    n = n < room ? n : room;
    if (n > 0) {
        memcpy(at, story->sent + story->taken, n);
        story->taken += n;
        CALL(conn_took_input(conn, n, story->now));
    } else if (story->client_ended)
        CALL(conn_input_ended(conn, story->now));
    return true;
}

static void give(struct story *story, const char *at, size_t n) {
    while (story->got_length + n > story->got_capacity) {
        story->got_capacity *= 2;
        story->got = realloc(story->got, story->got_capacity);
    }
    if (story->half_closes > 0)
        fault("output after the end of output");
    memcpy(story->got + story->got_length, at, n);
    story->got_length += n;
    story->takes -= n;
}

static bool give_output(struct story *story) {
    struct conn *conn = story->conn;
    const char *at;
    size_t left = story->gulp;
    for (size_t n = conn_output(conn, &at); n > 0; n = conn_output(conn, &at)) {
        if (story->broken)
            return false;
        n = n < left ? n : left;
        n = n < story->takes ? n : story->takes;
        if (n == 0)
            break;
        left -= n;
        give(story, at, n);
        CALL(conn_sent(conn, n, story->now));
    }
    CALL(conn_sent(conn, 0, story->now));
    if (conn_half_closes(conn) && story->half_closes++ == 0)
        story->half_closed_at = story->now;
    return true;
}

/* transport_move(), and what a loop does when it says false. */
void story_move(struct story *story, bool readable) {
    enum { TURNS = 16 };
    struct conn *conn = story->conn;
    bool begins, sound = true;
    int turns = 0;
    if (story->closed)
        CALL(conn_sent(conn, 0, story->now));
    else if (readable)
        sound = take_input(story);
    do {
        CALL(begins = sound && conn_begins(conn, story->now));
        if (begins)
            story_begin(story, &conn->exchange);
        while (sound && conn_has_body(conn, story->now))
            story_body(story);
        look(story);
        if (sound && !story->closed)
            sound = give_output(story);
    } while (sound && conn_has_unread(conn) && ++turns < TURNS);
    if (!sound)
        CALL(conn_broken(conn));
    if (conn_has_room(conn))
        story_room(story);
    if (conn_disconnects(conn))
        story_disconnect(story);
    look(story);
    if (conn->phase == CONN_GONE || conn->phase == CONN_OVER) {
        story->closed = true;
        CALL(conn_broken(conn));
    }
}

/* --- the loop ----------------------------------------------------------------------- */

/* What a loop sleeps on: there must be something that ends its sleep. */
static void expect_future(struct story *story) {
    const struct conn *conn = story->conn;
    int interest = conn_interest(conn);
    const char *at;
    if (conn->phase == CONN_OVER) {
        if (story->open || interest)
            fault("it is over, but not for all");
        return;
    }
    if (conn->deadline <= story->now)
        fault("a deadline that has passed");
    if (conn->phase == CONN_LINGERING &&
        (story->half_closes != 1 ||
         conn->deadline > story->half_closed_at + 30 * NS_PER_S))
        fault("it lingers for more than 30 s, or without a word");
    if (story->closed && !story->open)
        fault("the socket is closed and nobody has the exchange");
    bool unsent = !story->closed && conn_output(story->conn, &at) > 0;
    if (unsent && (!(interest & WRITABLE) || conn->deadline == NEVER))
        fault("output that nobody sends, or that may wait for ever");
    if (!unsent && interest & WRITABLE)
        fault("watched for room that isn't needed");
    if (interest == 0 && conn->deadline == NEVER && (!story->open || !story->waits))
        fault("it waits for nobody");
    if (story->open && !story->waits && story->full && !unsent)
        fault("there is room, but the application wasn't told");
    if (story->open && !story->waits && story->wants_body &&
        (!(interest & READABLE) || conn->deadline == NEVER))
        fault("the application waits for a body that nobody reads");
    if (interest & READABLE && conn->input_ended)
        fault("watched for what has ended");
}

/* Moves the connection while the socket is ready for it, as a level-triggered backend
 * says, then sees it asleep. */
void story_settle(struct story *story) {
    struct conn *conn = story->conn;
    for (int idle = 0; idle < 3;) {
        int interest = story->closed ? 0 : conn_interest(conn);
        bool input =
            story->arrived > story->taken || story->client_ended || story->broken;
        bool readable = interest & READABLE && input;
        bool writable = interest & WRITABLE && (story->takes > 0 || story->broken);
        if (!readable && !writable && !story->ready && !conn_has_unread(conn)) {
            expect_future(story);
            return;
        }
        size_t before = story->taken + story->got_length + story->begins +
                        story->answers + story->given_in_all;
        bool closed = story->closed, ready = story->ready, told = conn->input_ended;
        story->ready = false;
        story_move(story, readable);
        bool moved = before != story->taken + story->got_length + story->begins +
                                   story->answers + story->given_in_all;
        if (moved || ready || closed != story->closed || told != conn->input_ended)
            idle = 0;
        else
            idle++;
    }
    fault("it spins");
}

void story_pass(struct story *story, uint64_t until) {
    story->now = until;
    if (story->closed || story->conn->deadline > until)
        return;
    CALL(conn_expired(story->conn, story->held, story->now));
    story_move(story, false);
    story_settle(story);
}
