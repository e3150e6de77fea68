/* What an outbox costs a pass: 04's sweep and 12's list, with 0 to 1,024 answers in it.
 * One thread does both ends and the caches are warm, so it is the least that it can be.
 * A line for each price: the outbox, how many answers, CPU nanoseconds for putting and
 * flushing them; the whole is repeated in turns. */
#include <stdio.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "04-pass/outbox.h"
#include "12-levers/outbox_list.h"

enum {
    REPEATS = 15,
    KINDS = 2,
    FLUSHED = 200000
}; /* slots that a measurement flushes */

static uint64_t came;

static void count(void *argument, uint32_t slot) {
    (void)argument;
    came += slot < SLOTS;
}

/* For a flush with `answers` in it, spread over the table as connections are. */
static double price(struct outbox *outbox, uint32_t answers) {
    struct counters counters = {0};
    uint32_t flushes = FLUSHED / (answers + 50);
    came = 0;
    uint64_t began = clock_thread_cpu();
    for (uint32_t i = 0; i < flushes; i++) {
        for (uint32_t k = 0; k < answers; k++)
            outbox->put(outbox, (k * 611) % SLOTS);
        outbox->flush(outbox, count, NULL, &counters);
    }
    uint64_t spent = clock_thread_cpu() - began;
    if (came != (uint64_t)flushes * answers)
        die("an outbox lost something");
    return (double)spent / flushes;
}

int main(void) {
    static const uint32_t answers[] = {0, 1, 4, 16, 64, 256, 1024};
    static const char *const names[KINDS] = {"sweep", "list"};
    static struct sweep_outbox sweep;
    static struct list_outbox list;
    struct outbox *const boxes[KINDS] = {sweep_outbox_init(&sweep),
                                         list_outbox_init(&list)};
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
            for (int kind = 0; kind < KINDS; kind++)
                printf("%s %u %.1f\n", names[kind], answers[i],
                       price(boxes[kind], answers[i]));
    return 0;
}
