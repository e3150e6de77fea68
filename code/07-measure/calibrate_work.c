/* What our own code charges: parser, sweep, and the turns of /work. */
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "03-request/request.h"
#include "04-pass/outbox.h"
#include "05-executor/demo.h"
#include "07-measure/calibrate.h"

enum { PARSES = 20000, SWEEPS = 500 };

/* As wrk writes it. */
static const char head[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";

static double time_parse(void) {
    struct request request;
    int bad = 0;
    uint64_t began = clock_thread_cpu();
    for (int i = 0; i < PARSES; i++)
        bad += parse_plain(head, sizeof head - 1, 0, &request) != sizeof head - 1;
    uint64_t spent = clock_thread_cpu() - began;
    if (bad)
        die("the parser refuses wrk's request");
    return (double)spent / PARSES;
}

static void deliver_nothing(void *argument, uint32_t slot) {
    (void)argument;
    die("slot %u was in an empty outbox", slot);
}

static double time_sweep(void) {
    static struct sweep_outbox sweep;
    struct counters counters = {0};
    sweep_outbox_init(&sweep);
    uint64_t began = clock_thread_cpu();
    for (int i = 0; i < SWEEPS; i++)
        sweep.outbox.flush(&sweep.outbox, deliver_nothing, NULL, &counters);
    return (double)(clock_thread_cpu() - began) / SWEEPS;
}

void calibrate_work(double ns[CONSTANTS]) {
    uint64_t noise = 88172645463325252ULL;
    ns[PARSE] = time_parse();
    ns[SWEEP] = time_sweep();
    ns[SPIN] = (double)NS_PER_US / (double)demo_measure_spins_per_us(&noise);
}
