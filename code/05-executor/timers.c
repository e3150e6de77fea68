/* ANCHOR: rows */
#include "05-executor/timers.h"

#include <errno.h>
#include <stdlib.h>

#include "00-ground/clock.h"

#define NOT_IN_HEAP UINT32_MAX

struct timer {
    uint64_t when;
    uint64_t number; /* of creation, to break ties */
    callback *run;   /* NULL in a free row */
    void *argument;
    uint32_t
        tenant;     /* counts the row's timers: an old handle names none of the later */
    uint32_t place; /* in the heap, or NOT_IN_HEAP: due; in a free row the next one */
};

/* A handle is the row's tenant above the row + 1, so that none is 0. */
static timer_handle handle_of(const struct timers *timers, uint32_t row) {
    return (uint64_t)timers->table[row].tenant << 32 | (row + 1);
}

/* The row that `handle` names, or `capacity`. */
static uint32_t row_of(const struct timers *timers, timer_handle handle) {
    uint32_t row = (uint32_t)handle - 1; /* wraps to the largest for 0 */
    if (row >= timers->capacity || !timers->table[row].run ||
        timers->table[row].tenant != handle >> 32)
        return timers->capacity;
    return row;
}
/* ANCHOR_END: rows */

/* ANCHOR: heap */
static bool earlier(const struct timers *timers, uint32_t a, uint32_t b) {
    const struct timer *x = &timers->table[a], *y = &timers->table[b];
    return x->when < y->when || (x->when == y->when && x->number < y->number);
}

static void put(struct timers *timers, uint32_t place, uint32_t row) {
    timers->heap[place] = row;
    timers->table[row].place = place;
}

/* Moves `row` from the free place `place` up or down to where it belongs. */
static void settle(struct timers *timers, uint32_t place, uint32_t row) {
    while (place > 0) {
        uint32_t parent = (place - 1) / 2;
        if (!earlier(timers, row, timers->heap[parent]))
            break;
        put(timers, place, timers->heap[parent]);
        place = parent;
    }
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= timers->waiting)
            break;
        if (child + 1 < timers->waiting &&
            earlier(timers, timers->heap[child + 1], timers->heap[child]))
            child++;
        if (!earlier(timers, timers->heap[child], row))
            break;
        put(timers, place, timers->heap[child]);
        place = child;
    }
    put(timers, place, row);
}
/* ANCHOR_END: heap */

/* ANCHOR: table */
static void leave_heap(struct timers *timers, uint32_t row) {
    uint32_t place = timers->table[row].place;
    uint32_t last = timers->heap[--timers->waiting];
    timers->table[row].place = NOT_IN_HEAP;
    if (last != row) /* the last one fills the gap */
        settle(timers, place, last);
}

static void free_row(struct timers *timers, uint32_t row) {
    struct timer *timer = &timers->table[row];
    timer->run = NULL;
    timer->tenant++;
    timer->place = timers->free_row;
    timers->free_row = row;
    timers->alive--;
}

static int grow(struct timers *timers) {
    uint32_t old = timers->capacity, capacity = old ? 2 * old : 64;
    struct timer *table = NULL;
    uint32_t *heap = NULL;
    if (capacity < UINT32_MAX / 2) {
        if ((table = realloc(timers->table, capacity * sizeof *table)))
            timers->table = table;
        if ((heap = realloc(timers->heap, capacity * sizeof *heap)))
            timers->heap = heap;
    }
    if (!table || !heap) { /* a block that did grow is used as far as before */
        errno = ENOMEM;
        return -1;
    }
    for (uint32_t row = old; row < capacity; row++)
        table[row] = (struct timer){.place = row + 1};
    timers->capacity = capacity;
    timers->free_row = old;
    return 0;
}
/* ANCHOR_END: table */

/* ANCHOR: add */
timer_handle timers_add(struct timers *timers, uint64_t when, callback *run,
                        void *argument) {
    if (timers->free_row == timers->capacity && grow(timers) != 0)
        return 0;
    uint32_t row = timers->free_row;
    struct timer *timer = &timers->table[row];
    timers->free_row = timer->place;
    timer->when = when;
    timer->number = timers->created++;
    timer->run = run;
    timer->argument = argument;
    timers->alive++;
    timers->waiting++;
    settle(timers, timers->waiting - 1, row);
    return handle_of(timers, row);
}

void timers_cancel(struct timers *timers, timer_handle handle) {
    uint32_t row = row_of(timers, handle);
    if (row == timers->capacity)
        return;
    if (timers->table[row].place != NOT_IN_HEAP)
        leave_heap(timers, row);
    free_row(timers, row);
}
/* ANCHOR_END: add */

/* ANCHOR: due */
uint64_t timers_next(const struct timers *timers) {
    return timers->waiting > 0 ? timers->table[timers->heap[0]].when : NEVER;
}

timer_handle timers_due(struct timers *timers, uint64_t now) {
    if (timers->waiting == 0 || timers_next(timers) > now)
        return 0;
    uint32_t row = timers->heap[0];
    leave_heap(timers, row);
    return handle_of(timers, row);
}

bool timers_take(struct timers *timers, timer_handle handle, callback **run,
                 void **argument) {
    uint32_t row = row_of(timers, handle);
    if (row == timers->capacity)
        return false;
    *run = timers->table[row].run;
    *argument = timers->table[row].argument;
    free_row(timers, row);
    return true;
}

void timers_free(struct timers *timers) {
    free(timers->table);
    free(timers->heap);
    *timers = (struct timers){0};
}
/* ANCHOR_END: due */
