/* The two levers of one program: what tells them apart. */
#include <criterion/criterion.h>
#include <unistd.h>

#include "02-readiness/slots.h"
#include "05-executor/test_load.h"

TestSuite(levers, .timeout = 300);

enum { REQUESTS = 100 };

static struct program program;

static uint64_t counted(const char *name) {
    return json_number(program.output, name);
}

/* One client, one request after the other. */
static void serve(const char *topology, const char *outbox) {
    program_start(&program, "12-levers", "--topology", topology, "--outbox", outbox,
                  "--stats", NULL);
    int client = connect_to(program.port);
    for (int i = 0; i < REQUESTS; i++) {
        send_text(client, LOAD_GET("/"));
        load_expect(client, "hello\n");
    }
    close(client);
    load_stop(&program);
    cr_assert_eq(counted("responses"), REQUESTS);
}

static void sweep_looks_at_all(const char *topology) {
    serve(topology, "sweep");
    cr_assert_eq(counted("slots_swept"), SLOTS * counted("passes"));
}

static void list_looks_at_answers(const char *topology) {
    serve(topology, "list");
    cr_assert_eq(counted("slots_swept"), REQUESTS);
}

Test(levers, the_sweep_looks_at_all_slots_in_each_pass) {
    sweep_looks_at_all("pump");
    sweep_looks_at_all("inversion");
}

Test(levers, the_list_looks_at_a_slot_for_each_answer) {
    list_looks_at_answers("pump");
    list_looks_at_answers("inversion");
}

/* Each of the four pairs is a server. */
Test(levers, the_levers_can_be_pulled_one_by_one) {
    static const char *const parsers[] = {"plain", "fast"};
    static const char *const outboxes[] = {"sweep", "list"};
    for (int i = 0; i < 4; i++) {
        program_start(&program, "12-levers", "--parser", parsers[i / 2], "--outbox",
                      outboxes[i % 2], "--stats", NULL);
        int client = connect_to(program.port);
        send_text(client, LOAD_GET("/fanout?n=3"));
        load_expect(client, "3 callbacks, sum 6\n");
        close(client);
        load_stop(&program);
    }
}

Test(levers, what_is_not_there_is_refused) {
    sequence_refused_command("12-levers", "--parser", "faster");
    sequence_refused_command("12-levers", "--parser", "");
    sequence_refused_command("12-levers", "--outbox", "heap");
    sequence_refused_command("12-levers", "--topology", "both");
}
