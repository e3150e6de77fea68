/* What became of the requests of one round, in which a server is told to stop. */
#ifndef STEPPED_STRESS_H
#define STEPPED_STRESS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LATE_MS = 3000, /* an answer may come so much later than it was asked for */
};

struct stress_round {
    uint64_t number;
    uint64_t budget; /* ns that the server has to end what is in flight */
    uint64_t stop;   /* when SIGTERM was sent; NEVER before that */
    /* Requests, by how they ended. */
    uint64_t answered;  /* in full, and with their own words */
    uint64_t abandoned; /* the client reset the connection */
    uint64_t refused;   /* sent after SIGTERM; its connection ended without a byte */
    uint64_t cut;       /* closed on when the budget was over */
    uint64_t faults;    /* anything else, and what else isn't as it should be */
};

/* Counts a fault and says what it is, in a line that begins with the round's number.
 * The first few of a round are printed. */
void stress_fault(struct stress_round *round, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whole milliseconds from one time to a later one. */
uint64_t stress_ms(uint64_t from, uint64_t to);

/* Has SIGTERM been sent; and is the budget over since then? */
bool stress_stopped(const struct stress_round *round);
bool stress_past_budget(const struct stress_round *round, uint64_t now);

/* What the whole tool is asked for. */
struct stress {
    char *const *command; /* the server's, with a NULL at the end */
    uint64_t rounds, clients, requests, over, hogs, seed, budget_ms;
};

/* Plays a round with a server of its own; true if it had no fault. */
bool stress_play(const struct stress *stress, uint64_t number);

#endif
