/* Sees to it that no server outlives the probe, not even one that is killed. */
#ifndef STEPPED_STOP_PROBE_KEEPER_H
#define STEPPED_STOP_PROBE_KEEPER_H

#include <sys/types.h>

/* Starts the keeper, a process of its own that sleeps until this one and every child of
 * it that is about to become a server have ended or let go. Then it sends SIGKILL to the
 * last group that it was told of. Dies with one line if it can't. */
void keeper_start(void);

/* Tells it which process group to end; 0: none. Also for a child between fork and exec. */
void keeper_tell(pid_t group);

#endif
