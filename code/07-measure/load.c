#include "07-measure/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "02-readiness/slots.h"

enum { BATCH = 256 };

struct seat {
    struct asker asker;
    uint64_t due; /* when its request was; of a free one, when it became free */
};

struct run {
    const struct load_plan *plan;
    struct target *target;
    struct load_result *result;
    struct seat *seats;
    uint32_t *free; /* a ring: the seats that don't ask, longest free first */
    uint32_t first_free, free_count;
    uint64_t start, warm, end; /* the first request; the first measured; no more */
    uint64_t begun, measured; /* requests so far, and those of them after the warm-up */
    uint64_t deadline;        /* no answer times out before it */
    uint64_t last;            /* when the last measured request was over */
    uint64_t watch_began;     /* of the client's own CPU; 0: not yet */
    uint64_t now;             /* the end of the last turn */
    uint64_t cpu_before;      /* the CPU it had used then */
    uint64_t polled;          /* time in turns that didn't sleep */
    uint64_t idle;            /* and in those of them that had nothing to do */
};

static void set_free(struct run *run, struct seat *seat, uint64_t now) {
    uint32_t count = run->plan->connections;
    seat->due = now;
    run->free[(run->first_free + run->free_count++) % count] = seat->asker.number;
}

/* When the next request is due, or NEVER if there is none. In a closed loop that was
 * when the connection became free; in an open one the clock alone says it. */
static uint64_t next_due(const struct run *run) {
    const struct load_plan *plan = run->plan;
    uint64_t due = NEVER;
    if (plan->rate)
        due = run->start + run->begun * NS_PER_S / plan->rate;
    else if (run->free_count)
        due = run->seats[run->free[run->first_free]].due;
    bool enough = plan->requests && run->measured == plan->requests;
    return due >= run->end || enough ? NEVER : due;
}

static void begin_one(struct run *run, uint64_t due) {
    run->begun++;
    run->measured += due >= run->warm;
}

/* A seat's request is over, for good or ill. */
static void over(struct run *run, struct seat *seat, uint64_t now) {
    if (seat->due >= run->warm)
        run->last = now;
    set_free(run, seat, now);
}

/* A server that has gone won't come back: nothing more is asked. */
static void refused(struct run *run, struct seat *seat, uint64_t now) {
    if (run->end > now) {
        fprintf(stderr, "load: no more connections, so it ends early: %s\n",
                strerror(errno));
        run->end = now;
    }
    run->result->errors++;
    over(run, seat, now);
}

static void ask(struct run *run, struct seat *seat, uint64_t due) {
    uint64_t deadline = due + run->plan->timeout_ns;
    seat->due = due;
    if (deadline < run->deadline)
        run->deadline = deadline;
    if (asker_ask(&seat->asker, run->target) == ASKER_REFUSED)
        refused(run, seat, clock_now());
}

/* Asks all that is due, as far as there are connections to ask on. */
static void ask_due(struct run *run, uint64_t now) {
    uint64_t due;
    while (run->free_count && (due = next_due(run)) <= now) {
        struct seat *seat = &run->seats[run->free[run->first_free]];
        run->first_free = (run->first_free + 1) % run->plan->connections;
        run->free_count--;
        begin_one(run, due);
        ask(run, seat, due);
    }
}

static void answered(struct run *run, struct seat *seat, uint64_t now) {
    const struct answer *answer = &seat->asker.answer;
    struct load_result *result = run->result;
    result->non_2xx += answer->status / 100 != 2;
    if (seat->due >= run->warm) {
        samples_add(&result->latencies, now - seat->due);
        result->bytes += answer->bytes;
    } else
        result->warmup_requests++;
    over(run, seat, now);
}

/* Reads: what is to be written waits until the whole batch has been read. */
static void on_event(struct run *run, const struct readiness *event) {
    struct seat *seat = &run->seats[token_slot(event->token)];
    if (!asker_current(&seat->asker, event->token))
        return;
    bool asked = seat->asker.asked;
    enum asker_result got = asker_move(&seat->asker, run->target, event->ready);
    if (got == ASKER_WAITS)
        return;
    uint64_t now = clock_now();
    if (got == ASKER_ANSWERED)
        answered(run, seat, now);
    else if (got == ASKER_REFUSED)
        refused(run, seat, now);
    else if (!asked) /* a free one was closed, as servers may; or it got bytes */
        run->result->errors += got == ASKER_FAILED;
    else if (got == ASKER_LEFT && run->plan->may_repeat)
        ask(run, seat, seat->due); /* RFC 9112, section 9.3.1 */
    else {
        run->result->errors++;
        over(run, seat, now);
    }
}

/* Gives up whatever was due too long ago, sent or not, once there may be such a
 * request. */
static void check_deadlines(struct run *run, uint64_t now) {
    uint64_t timeout = run->plan->timeout_ns, due;
    if (now < run->deadline)
        return;
    run->deadline = NEVER;
    for (uint32_t i = 0; i < run->plan->connections; i++) {
        struct seat *seat = &run->seats[i];
        if (!seat->asker.asked)
            continue;
        if (seat->due + timeout <= now) {
            asker_close(&seat->asker, run->target);
            seat->asker.asked = false;
            run->result->timeouts++;
            over(run, seat, now);
        } else if (seat->due + timeout < run->deadline)
            run->deadline = seat->due + timeout;
    }
    while (run->plan->rate && (due = next_due(run)) != NEVER && due + timeout <= now) {
        begin_one(run, due);
        run->result->timeouts++;
        if (due >= run->warm)
            run->last = now;
    }
}

/* How long to sleep, which is not beyond the warm-up's end. The kernel counts
 * milliseconds and wakes us late, so the last one or two before something is due are
 * spent polling. */
static int wait_ms(const struct run *run, uint64_t now) {
    uint64_t next = run->deadline;
    if (!run->watch_began && run->warm < next)
        next = run->warm;
    if (run->free_count && next_due(run) < next)
        next = next_due(run);
    return run->plan->spin ? 0 : clock_wait_ms(next - 2 * NS_PER_MS, now);
}

static void turn(struct run *run) {
    struct readiness events[BATCH];
    uint64_t before = run->now, begun = run->begun;
    if (!run->watch_began && before >= run->warm) {
        run->watch_began = before;
        run->cpu_before = clock_cpu();
        run->polled = run->idle = 0;
    }
    int ms = wait_ms(run, before);
    int n = backend_wait(run->target->backend, events, BATCH, ms);
    if (n < 0)
        die("can't wait: %s", strerror(errno));
    for (int i = 0; i < n; i++)
        on_event(run, &events[i]);
    uint64_t now = clock_now();
    check_deadlines(run, now);
    ask_due(run, now);
    run->now = clock_now();
    if (ms == 0)
        run->polled += run->now - before;
    if (ms == 0 && n == 0 && run->begun == begun)
        run->idle += run->now - before;
}

/* Has all connections before the first request, so that none of them pays for that. */
static void connect_all(struct run *run) {
    uint32_t count = run->plan->connections;
    for (uint32_t i = 0; i < count; i++) {
        run->seats[i].asker = asker_new(i);
        if (asker_open(&run->seats[i].asker, run->target) == ASKER_REFUSED)
            die_of_usage("can't connect: %s; is the server there?", strerror(errno));
    }
    uint64_t deadline = clock_now() + run->plan->timeout_ns;
    for (uint32_t i = 0; i < count;) {
        struct readiness events[BATCH];
        if (run->seats[i].asker.connected) {
            set_free(run, &run->seats[i++], 0);
            continue;
        }
        int n = backend_wait(run->target->backend, events, BATCH,
                             clock_wait_ms(deadline, clock_now()));
        if (n == 0 && clock_now() >= deadline)
            die_of_usage("can't connect: not all of %u connections were taken within "
                         "--timeout-ms; ask for fewer by --connections",
                         count);
        for (int k = 0; k < n; k++) {
            struct asker *asker = &run->seats[token_slot(events[k].token)].asker;
            if (!asker_current(asker, events[k].token))
                continue;
            if (asker_move(asker, run->target, events[k].ready) == ASKER_REFUSED)
                die_of_usage("can't connect: %s; is the server there?",
                             strerror(errno));
        }
    }
}

static void sum_up(struct run *run) {
    const struct load_plan *plan = run->plan;
    struct load_result *result = run->result;
    uint64_t planned = run->end > run->warm ? run->end - run->warm : 0;
    if (plan->requests && run->measured == plan->requests)
        planned = plan->rate ? plan->requests * NS_PER_S / plan->rate : 0;
    uint64_t took = run->last - run->warm, now = clock_now();
    result->seconds = (double)(took > planned ? took : planned) / NS_PER_S;
    result->reconnects = run->target->opened - plan->connections;
    if (run->watch_began && now > run->watch_began) {
        result->client_cpu =
            (double)(clock_cpu() - run->cpu_before) / (double)(now - run->watch_began);
        double idle = run->polled ? (double)run->idle / (double)run->polled : 0;
        result->client_busy = result->client_cpu * (1 - idle);
    }
}

void load_run(const struct load_plan *plan, struct target *target,
              struct load_result *result) {
    uint32_t count = plan->connections;
    struct run run = {.plan = plan, .target = target, .result = result};
    *result = (struct load_result){0};
    run.seats = calloc(count, sizeof *run.seats);
    run.free = calloc(count, sizeof *run.free);
    if (!run.seats || !run.free)
        die("no memory for %u connections", count);
    connect_all(&run);
    run.start = run.now = clock_now();
    run.warm = run.last = run.start + plan->warmup_ns;
    run.end = run.warm + plan->measure_ns;
    run.deadline = NEVER;
    for (uint32_t i = 0; i < count; i++)
        run.seats[i].due = run.start;
    ask_due(&run, run.start);
    while (run.free_count < count || next_due(&run) != NEVER)
        turn(&run);
    sum_up(&run);
    for (uint32_t i = 0; i < count; i++)
        asker_close(&run.seats[i].asker, target);
    free(run.seats);
    free(run.free);
}
