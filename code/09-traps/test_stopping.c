/* What a stream does with the word that the server begins to stop: over a real executor,
 * with exchanges made by hand. */
#include "05-executor/test_bench.h"

#include <stdio.h>
#include <string.h>

#include "03-request/test_support_exchange.h"
#include "09-traps/stream.h"

TestSuite(stopping, .timeout = 300);

enum { EXCHANGES = 2 };

static struct stream stream;
static struct exchange exchanges[EXCHANGES];
static char outputs[EXCHANGES][OUTPUT_MOST];
static int told; /* how often the application behind the stream has heard of it */

static void on_ready(void *unused, uint32_t slot) {
    (void)unused;
    (void)slot;
}

static void hear(void *unused) {
    (void)unused;
    told++;
}

static void start(void) {
    static const struct application rest = {.stopping = hear};
    stream_init(&stream, bench.executor, &rest, exchange_chunk);
    stream.stopping = false;
    told = 0;
}

static void ask(uint32_t slot, const char *target) {
    static char heads[EXCHANGES][HAND_HEAD];
    struct exchange *exchange = &exchanges[slot];
    exchange_by_hand(exchange, slot, target, heads[slot]);
    exchange->output = outputs[slot];
    exchange->ready = on_ready;
    stream.application.begin(&stream, exchange);
}

static void say_stopping(void) {
    stream.application.stopping(&stream);
}

static bool has_ended(uint32_t slot) {
    return atomic_load(&exchanges[slot].ended);
}

/* The chunk that says that nothing is missing. */
static bool ends_whole(uint32_t slot) {
    size_t filled = atomic_load(&exchanges[slot].filled);
    return has_ended(slot) && filled >= 7 &&
           !memcmp(outputs[slot] + filled - 7, "\r\n0\r\n\r\n", 7);
}

/* Runs what is due in the executor, and returns. */
static void turn(void) {
    later(20, run_stop, NULL);
    run();
}

EACH_BACKEND(stopping, ends_an_endless_stream_between_two_chunks) {
    start();
    ask(0, "/stream?chunks=0&ms=60000&bytes=6");
    cr_assert(!has_ended(0));
    say_stopping();
    cr_assert(ends_whole(0));
}

EACH_BACKEND(stopping, ends_an_endless_stream_once_its_chunk_has_gone_out) {
    start();
    ask(0, "/stream?chunks=0&ms=0&bytes=100000");
    cr_assert(atomic_load(&exchanges[0].wants_room));
    say_stopping();
    cr_assert(!has_ended(0), "there is no room for its end");
    atomic_store(&exchanges[0].filled, 0); /* as the loop does */
    atomic_store(&exchanges[0].wants_room, false);
    stream.application.on_room(&stream, &exchanges[0]);
    cr_assert(ends_whole(0));
}

EACH_BACKEND(stopping, leaves_a_stream_alone_that_has_an_end) {
    start();
    ask(0, "/stream?chunks=2&ms=1&bytes=6");
    say_stopping();
    cr_assert(!has_ended(0));
    turn();
    cr_assert(ends_whole(0));
    outputs[0][atomic_load(&exchanges[0].filled)] = '\0';
    cr_assert_not_null(strstr(outputs[0], "6\r\nstream\r\n6\r\nstream\r\n0\r\n"), "%s",
                       outputs[0]);
}

EACH_BACKEND(stopping, gives_one_chunk_to_who_comes_later) {
    start();
    say_stopping();
    ask(1, "/stream?chunks=0&ms=60000&bytes=6");
    cr_assert(ends_whole(1));
}

EACH_BACKEND(stopping, is_said_to_the_application_behind_too) {
    start();
    say_stopping();
    cr_assert_eq(told, 1);
}
