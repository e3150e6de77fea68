/* Signals as readiness: a loop that waits on descriptors learns of SIGTERM from one. */
#ifndef GROUND_SIGNALS_H
#define GROUND_SIGNALS_H

/* From now on SIGINT and SIGTERM make the descriptor that is returned readable, a byte
 * for each, on whichever thread they arrive; SIGPIPE is ignored, for a write says EPIPE
 * itself. Returns -1 with errno. Call once; the descriptor lives as long as the
 * program. (The self-pipe trick, D. J. Bernstein; signal-safety(7).) */
int signals_open(void);

/* Takes the signals that have come since the last time out of that descriptor, which is
 * not readable after it; returns how many they were. */
unsigned signals_take(int fd);

#endif
