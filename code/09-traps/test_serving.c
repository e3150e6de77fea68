/* The server of this room, from outside: what it does beside its streams is what the
 * servers of the two topologies do. */
#include <criterion/criterion.h>

#include "03-request/test_sequences.h"
#include "03-request/test_support_http.h"
#include "03-request/test_support_memory.h"
#include "05-executor/test_load.h"

TestSuite(serving, .timeout = 300);

static void pumped_http(const char *program, const char *backend) {
    program_option("--topology=pump");
    check_http(program, backend);
}

static void pumped_demo(const char *program, const char *backend) {
    program_option("--topology=pump");
    check_demo(program, backend);
}

static void pumped_readers(const char *program, const char *backend) {
    program_option("--topology=pump");
    check_readers(program, backend);
}

static void pumped_crossings(const char *program, const char *backend) {
    program_option("--topology=pump");
    load_crossings(program, backend);
}

/* What the checks of the rooms before this one see of a trap: nothing. */
static void trapped(const char *option) {
    const char *backend = has_backend("epoll") ? "epoll" : "kqueue";
    program_option(option);
    check_http("09-traps", backend);
    check_demo("09-traps", backend);
    load_crossings("09-traps", backend);
}

Test(serving, as_if_there_were_no_self_wait) {
    trapped("--trap=self-wait");
}

Test(serving, as_if_there_were_no_pass_instead) {
    trapped("--trap=pass-instead");
}

Test(serving, as_if_there_were_no_overtake) {
    trapped("--trap=overtake");
}

SERVING_NESTED("09-traps", http, check_http)
SERVING_NESTED("09-traps", demo, check_demo)
SERVING_NESTED("09-traps", readers, check_readers)
SERVING_NESTED("09-traps", crossings, load_crossings)
SERVING("09-traps", pumped_http, pumped_http)
SERVING("09-traps", pumped_demo, pumped_demo)
SERVING("09-traps", pumped_readers, pumped_readers)
SERVING("09-traps", pumped_crossings, pumped_crossings)

Test(serving, refuses_what_it_cannot_have) {
    sequence_refused_commands("09-traps");
    sequence_refused_command("09-traps", "--topology", "ring");
    sequence_refused_command("09-traps", "--trap", "door");
    program_option("--topology=pump");
    sequence_refused_command("09-traps", "--trap", "nonsense");
}

Test(serving, refuses_passes_that_belong_to_another_thread) {
    struct program program;
    program_run(&program, "09-traps", "--port", "0", "--topology", "pump", "--trap",
                "pass-instead", NULL);
    cr_assert_eq(program.status, 2);
    cr_assert_str_eq(program.output, "");
    cr_assert_not_null(strstr(program.errors, "--topology inversion"), "%s",
                       program.errors);
}

Test(serving, does_not_grow_with_the_requests_served) {
    check_memory("09-traps");
}
