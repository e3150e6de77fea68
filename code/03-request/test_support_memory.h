/* How much memory a server has, and whether that grows with the requests it has served. */
#ifndef REQUEST_TEST_SUPPORT_MEMORY_H
#define REQUEST_TEST_SUPPORT_MEMORY_H

#include <sys/types.h>

/* A process's resident memory in KiB, now and at its most (Rss of smaps_rollup and VmHWM
 * of status, proc(5)); 0 if the system doesn't say, or if a sanitizer's is in it too. */
unsigned long memory_kb(pid_t pid);
unsigned long memory_peak_kb(pid_t pid);

/* Starts `program`, asks for / 11,000 times over the same 16 connections, and fails
 * unless its resident memory is after the last the same as after the 1,000th. */
void check_memory(const char *program);

#endif
