#include "00-ground/trace.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "00-ground/clock.h"

enum { SPANS = 65536, THREADS = 4 };

struct span {
    uint64_t began, ended;
    const char *what;
    uint32_t slot, tag;
};

struct lane { /* one thread's spans */
    const char *name;
    uint64_t count; /* may pass SPANS: the rest were dropped */
    struct span spans[SPANS];
};

static FILE *file;
static uint64_t opened;
static struct lane *lanes[THREADS];
static int lane_count;
static pthread_mutex_t lanes_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct lane *own;

int trace_open(const char *path) {
    file = fopen(path, "we");
    opened = clock_now();
    return file ? 0 : -1;
}

void trace_thread(const char *name) {
    if (!file)
        return;
    pthread_mutex_lock(&lanes_lock);
    if (lane_count < THREADS && (own = calloc(1, sizeof *own))) {
        own->name = name;
        lanes[lane_count++] = own;
    }
    pthread_mutex_unlock(&lanes_lock);
}

uint64_t trace_begin(void) {
    return own ? clock_now() : 0;
}

void trace_end(uint64_t began, const char *what, uint32_t slot, uint32_t tag) {
    if (!own)
        return;
    if (own->count < SPANS)
        own->spans[own->count] = (struct span){began, clock_now(), what, slot, tag};
    own->count++;
}

static double us(uint64_t ns) {
    return (double)ns / (double)NS_PER_US;
}

static void write_span(int thread, const struct span *span) {
    fprintf(file,
            ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,"
            "\"dur\":%.3f",
            span->what, thread, us(span->began - opened),
            us(span->ended - span->began));
    if (span->slot != NO_SLOT)
        fprintf(file, ",\"args\":{\"slot\":%" PRIu32 ",\"tag\":%" PRIu32 "}",
                span->slot, span->tag);
    fputc('}', file);
}

int trace_close(void) {
    if (!file)
        return 0;
    fputs("{\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,"
          "\"args\":{\"name\":\"server\"}}",
          file);
    for (int i = 0; i < lane_count; i++) {
        struct lane *lane = lanes[i];
        uint64_t kept = lane->count < SPANS ? lane->count : SPANS;
        fprintf(file,
                ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,"
                "\"args\":{\"name\":\"%s\",\"dropped\":%" PRIu64 "}}",
                i, lane->name, lane->count - kept);
        for (uint64_t k = 0; k < kept; k++)
            write_span(i, &lane->spans[k]);
        free(lane);
        lanes[i] = NULL;
    }
    fputs("\n]}\n", file);
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0)
        bad = true;
    file = NULL;
    own = NULL;
    lane_count = 0;
    return bad ? -1 : 0;
}
