#include <stdint.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "12-levers/bench.h"

/* A server's next request doesn't begin where the last one began. */
enum { PLACES = 16, LINE = 64 };

double bench_time(const struct bench_way *way, const struct bench_input *input,
                  size_t bytes) {
    static char room[PLACES * (BENCH_LARGE + 4 * LINE)];
    static struct request request;
    size_t step = (input->length + LINE) / LINE * LINE + LINE + 1;
    if (step > sizeof room / PLACES)
        die("a head of %zu bytes is too large", input->length);
    for (size_t place = 0; place < PLACES; place++)
        memcpy(room + place * step, input->bytes, input->length);
    size_t turns = (bytes / (input->length + 1) / PLACES + 1) * PLACES, taken = 0;
    uint64_t began = clock_thread_cpu();
    for (size_t turn = 0; turn < turns; turn++)
        taken += way->parse(room + turn % PLACES * step, input->length, 0, &request) ==
                 (int)input->length;
    uint64_t spent = clock_thread_cpu() - began;
    if (taken != turns)
        die("%s doesn't take %s", way->name, input->is);
    return (double)spent / (double)turns;
}
