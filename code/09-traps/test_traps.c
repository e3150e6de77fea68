/* The traps: each is caught by what should catch it, and the good way isn't. */
#include "09-traps/test_reader.h"

#include "00-ground/clock.h"
#include "02-readiness/test_support_backend.h"

TestSuite(traps, .timeout = 300);

/* More than one output holds, so that whoever produces it has to wait for room. */
#define LARGE "/stream?chunks=4&ms=0&bytes=200000"

enum { STUCK_MS = 500 }; /* without an answer to a client who asks for hello */

static struct program program;
static struct response response;

static void start(const char *topology, const char *trap) {
    program_start(&program, "09-traps", "--topology", topology, "--trap", trap,
                  "--stats", NULL);
}

static void stop(void) {
    program_stop(&program);
    cr_assert_eq(program.status, 0);
}

/* Asks until an answer stays out, and leaves that one unread. */
static void ask_until_stuck(int client) {
    uint64_t limit = clock_now() + WAIT_MS * NS_PER_MS;
    ask(client, "/");
    while (readable_within(client, STUCK_MS)) {
        cr_assert_lt(clock_now(), limit, "others are served all the time");
        read_response(client, &response);
        ask(client, "/");
    }
}

static void read_hello(int client) {
    read_response(client, &response);
    cr_assert_str_eq(response.body, "hello\n");
}

/* A client who asks for a stream without end and doesn't read it. */
static int ask_and_sleep(void) {
    int client = connect_narrowly(program.port);
    ask(client, "/stream?chunks=0&ms=0&bytes=60000");
    return client;
}

/* In the pump the native loop's thread makes room; inverted it can't before the wait is
 * given up. */
Test(traps, self_wait_works_in_the_pump) {
    start("pump", "self-wait");
    int client = connect_to(program.port);
    ask(client, LARGE);
    read_stream(client, 200000, 800000, "stream");
    stop();
}

Test(traps, self_wait_waits_for_itself_in_the_inversion) {
    start("inversion", "self-wait");
    int client = connect_to(program.port), other = connect_to(program.port);
    ask(client, LARGE);
    ask_until_stuck(other);
    cr_assert_not(readable_within(client, 0), "its own reader has nothing either");
    read_hello(other);
    stop();
}

/* Also in the pump a producer that waits keeps the application from all others. */
Test(traps, self_wait_for_a_slow_reader_holds_up_the_pump_too) {
    start("pump", "self-wait");
    int other = connect_to(program.port);
    ask_and_sleep();
    ask_until_stuck(other);
    stop();
}

/* While it waits, room comes and is used up, and each time a notice is left behind, 16 of
 * them for a chunk of this size. None of them waits again once the wait was given up. */
Test(traps, self_wait_is_given_up_once_for_a_stream) {
    start("pump", "self-wait");
    int other = connect_to(program.port), client = connect_to(program.port);
    ask(client, "/stream?chunks=0&ms=0&bytes=1000000");
    ask_until_stuck(other);
    uint64_t told = clock_now();
    stop();
    cr_assert_lt(clock_now() - told, 7 * NS_PER_S);
}

Test(traps, pass_instead_gives_the_reader_all_of_it) {
    start("inversion", "pass-instead");
    int client = connect_to(program.port);
    ask(client, LARGE);
    read_stream(client, 200000, 800000, "stream");
    stop();
}

Test(traps, pass_instead_holds_up_the_others_until_the_reader_leaves) {
    start("inversion", "pass-instead");
    int other = connect_to(program.port), reader = ask_and_sleep();
    ask_until_stuck(other);
    reset(reader);
    read_hello(other);
    stop();
}

Test(traps, pass_instead_stops_when_it_is_told_to) {
    start("inversion", "pass-instead");
    int other = connect_to(program.port);
    ask_and_sleep();
    ask_until_stuck(other);
    stop();
}

/* --- the recycled-slot probe ----------------------------------------------------------- */

static struct program probe;

static void run_probe(int recycles, const char *limit_ms) {
    char port[16], number[16];
    snprintf(port, sizeof port, "%d", program.port);
    snprintf(number, sizeof number, "%d", recycles);
    program_run(&probe, "recycle-probe", "--port", port, "--recycles", number,
                "--limit-ms", limit_ms, NULL);
}

static void passes_the_probe(void) {
    run_probe(OFTEN(2000), "9000");
    cr_assert_eq(probe.status, 0, "%s", probe.errors);
    stop();
    cr_assert_eq(json_number(program.output, "requests"), 2 * OFTEN(2000));
}

/* It times out long before it has made so many, and says where; the server knows of
 * nothing wrong. */
static void hangs_in_the_probe(int recycles) {
    run_probe(recycles, "1500");
    cr_assert_eq(probe.status, 1);
    cr_assert_not_null(strstr(probe.errors, "hung at recycle"), "%s", probe.errors);
    stop();
}

Test(traps, the_probe_passes_the_good_pump) {
    start("pump", "none");
    passes_the_probe();
}

Test(traps, the_probe_passes_the_good_pump_on_poll) {
    program_option("--backend=poll");
    start("pump", "none");
    passes_the_probe();
}

Test(traps, the_probe_passes_the_good_inversion) {
    start("inversion", "none");
    passes_the_probe();
}

Test(traps, the_probe_catches_an_overtaken_disconnect_in_the_pump) {
    start("pump", "overtake");
    hangs_in_the_probe(20000);
}

Test(traps, the_probe_catches_an_overtaken_disconnect_in_the_inversion) {
    start("inversion", "overtake");
    hangs_in_the_probe(20000);
}

/* The second of those who leave asks for more than an output holds. */
Test(traps, the_probe_catches_who_waits_for_himself) {
    start("inversion", "self-wait");
    hangs_in_the_probe(2);
}

Test(traps, the_probe_refuses_what_it_cannot_have) {
    program_run(&probe, "recycle-probe", "--port", "0", NULL);
    cr_assert_eq(probe.status, 2);
}
