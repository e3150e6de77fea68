/* A native loop whose turns the test makes itself, on the thread that its clients run
 * on too, and an application that keeps each exchange until the test answers it. */
#ifndef PASS_TEST_RIG_H
#define PASS_TEST_RIG_H

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/test_support.h"
#include "04-pass/pass.h"

#define ASK "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

struct rig {
    struct sweep_outbox outbox;
    int port;
    int submits, notices;         /* calls of submit, and the notices in all of them */
    uint64_t events_at_submit;    /* events counted when submit was called last */
    struct exchange *kept[SLOTS]; /* exchanges in the order they began */
    int begun, rooms, disconnects;
    void (*on_begin)(struct exchange *exchange); /* instead of keeping it; or NULL */
    void (*on_room)(struct exchange *exchange);
    const struct gate *gate;
    struct loop_state loop;
};

/* It begins empty: so large, it would fill the test's object file. */
static struct rig rig;

/* Set before rig_start() what shall differ. */
static struct server_options rig_options = {
    .host = "127.0.0.1",
    .parse = parse_plain,
    .head_timeout_ms = 60000,
    .idle_timeout_ms = 60000,
    .stall_timeout_ms = 60000,
    .no_date_header = true,
};

static inline void rig_begin(void *unused, struct exchange *exchange) {
    (void)unused;
    if (rig.on_begin)
        rig.on_begin(exchange);
    else
        rig.kept[rig.begun] = exchange;
    rig.begun++;
}

static inline void rig_room(void *unused, struct exchange *exchange) {
    (void)unused;
    rig.rooms++;
    if (rig.on_room)
        rig.on_room(exchange);
}

static inline void rig_disconnect(void *unused, struct exchange *exchange) {
    (void)unused;
    (void)exchange;
    rig.disconnects++;
}

static inline void rig_submit(void *unused, const struct notice *notices, int count) {
    static const struct application application = {
        .begin = rig_begin, .on_room = rig_room, .disconnect = rig_disconnect};
    (void)unused;
    cr_assert_gt(count, 0);
    rig.submits++;
    rig.notices += count;
    rig.events_at_submit = rig.loop.counters.events;
    for (int i = 0; i < count; i++)
        notice_deliver(notices[i], &rig.loop.conns[notices[i].slot].exchange,
                       &application, &rig.loop.counters);
}

static inline void rig_answered(void *unused, uint32_t slot) {
    (void)unused;
    rig.outbox.outbox.put(&rig.outbox.outbox, slot);
}

static inline void rig_start(void) {
    const struct loop_links links = {
        .submit = rig_submit,
        .answered = rig_answered,
        .wake = -1,
        .outbox = sweep_outbox_init(&rig.outbox),
        .gate = rig.gate,
    };
    struct sockaddr_in bound;
    socklen_t length = sizeof bound;
    cr_assert_not_null(freopen("/dev/null", "w", stdout)); /* "listening on ..." */
    loop_prepare(&rig.loop, &rig_options, &links);
    cr_assert_eq(getsockname(rig.loop.listener, (struct sockaddr *)&bound, &length), 0);
    rig.port = ntohs(bound.sin_port);
}

/* Makes passes until `condition` holds, which is evaluated after each of them. */
#define TURN_UNTIL(condition)                                                          \
    do {                                                                               \
        uint64_t turn_deadline_ = clock_now() + WAIT_MS * NS_PER_MS;                   \
        while (!(condition)) {                                                         \
            cr_assert_lt(clock_now(), turn_deadline_, "never came: " #condition);      \
            loop_pass(&rig.loop, 1);                                                   \
        }                                                                              \
    } while (0)

/* A client whom the loop has accepted. */
static inline int rig_client(void) {
    int taken = SLOTS - rig.loop.slots.free_count;
    int fd = connect_to(rig.port);
    TURN_UNTIL(SLOTS - rig.loop.slots.free_count == taken + 1);
    return fd;
}

/* The slot of the one client there is, or of any of them. */
static inline uint32_t rig_slot(void) {
    uint32_t slot = 0;
    while (slot < SLOTS && !rig.loop.slots.taken[slot])
        slot++;
    cr_assert_lt(slot, SLOTS);
    return slot;
}

/* Sends `text`; the application has `more` exchanges more afterwards. */
static inline void rig_ask(int fd, const char *text, int more) {
    int before = rig.begun;
    send_text(fd, text);
    TURN_UNTIL(rig.begun == before + more);
}

static inline void rig_answer(struct exchange *exchange, const char *body) {
    exchange_answer(exchange, 200, "text/plain", body, strlen(body));
}

/* Makes passes until a response has come, which has to be a 200 with `body`. */
static inline void rig_expect(int fd, const char *body) {
    static struct response response;
    TURN_UNTIL(readable_within(fd, 0));
    read_response(fd, &response);
    cr_assert_eq(response.status, 200);
    cr_assert_str_eq(response.body, body);
}

/* Makes passes until the server has closed, after nothing more. */
static inline void rig_expect_end(int fd) {
    char nothing[2];
    TURN_UNTIL(readable_within(fd, 0));
    cr_assert_eq(read_to_end(fd, nothing, sizeof nothing), 0);
}

/* Closes so that the server gets a reset. */
static inline void rig_reset(int fd) {
    struct linger none = {.l_onoff = 1};
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
    close(fd);
}

static inline int slots_in_use(void) {
    return SLOTS - rig.loop.slots.free_count;
}

#endif
