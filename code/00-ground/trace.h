/* What each thread did and when, as Chrome trace events: chrome://tracing and Perfetto
 * open the file, and the timelines of this book are drawn from such files. */
#ifndef GROUND_TRACE_H
#define GROUND_TRACE_H

#include <stdint.h>

/* A span that belongs to no connection: a thread's sleep, say. */
#define NO_SLOT UINT32_MAX

/* Starts tracing to `path`; every other call does nothing before this one. Returns -1
 * with errno. Call once, before the threads start. */
int trace_open(const char *path);

/* Names the calling thread in the trace. Without it a thread leaves no spans. */
void trace_thread(const char *name);

/* The start of a span: clock_now() while tracing, else 0 and no clock is read. */
uint64_t trace_begin(void);

/* The end of a span that began at `began`. `what` must be a literal without quotes.
 * A thread keeps its first 65,536 spans; the file says how many more there were. */
void trace_end(uint64_t began, const char *what, uint32_t slot, uint32_t tag);

/* Writes the file. The traced threads other than the caller must have been joined.
 * Returns -1 with errno if it can't be written whole. */
int trace_close(void);

#endif
