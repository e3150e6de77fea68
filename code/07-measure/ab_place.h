/* Which CPUs the server and the client run on. */
#ifndef MEASURE_AB_PLACE_H
#define MEASURE_AB_PLACE_H

#include <stdbool.h>

enum place_role { PLACE_SERVER, PLACE_CLIENT };

/* Settles the placement of all children that come later. Dies of usage, in a line that
 * says what is missing, if this machine can't:
 *   free        wherever the scheduler likes
 *   one-cpu     the server on one CPU, the client on another
 *   spare-core  the server on two CPUs, the client on a third
 *   quota=0.5   the server may use half a CPU, on any of them
 * A quota makes a control group below `cgroups`, where control groups are mounted, be it
 * version 2 or the trees of version 1 (cgroups(7)), and removes it at exit. */
void place_settle(const char *place, const char *cgroups);

/* In a child, before it becomes the program. False with errno. */
bool place_enter(enum place_role role);

#endif
