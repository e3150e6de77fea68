/* Does a server's memory grow with the requests it has served? */
#ifndef REQUEST_TEST_SUPPORT_MEMORY_H
#define REQUEST_TEST_SUPPORT_MEMORY_H

/* Starts `program`, asks for / 11,000 times over the same 16 connections, and fails
 * unless its resident memory (Rss of smaps_rollup, proc(5)) is after the last the same
 * as after the 1,000th. Does nothing where there is no such file. */
void check_memory(const char *program);

#endif
