#include "07-measure/ab_place.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "00-ground/error.h"

enum { PERIOD_US = 100000 }; /* in which a quota has to last */

static int server_cpus;      /* 0: wherever the scheduler likes */
static char group[256];      /* the control group of the server, or "" */
static char group_door[300]; /* the file that takes a process into it */

/* --- Pinned: sched_setaffinity(2), which is Linux's ---------------------------------- */

#ifdef __linux__
static cpu_set_t
    allowed; /* the CPUs that ab itself may use, which may not begin at 0 */

static int cpus_allowed(void) {
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
                                                               : 0;
}

/* The server's CPUs are the first of those allowed, the client's is the next one. */
static bool pin(enum place_role role) {
    cpu_set_t set;
    CPU_ZERO(&set);
    int seen = 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed)) {
            bool wanted =
                role == PLACE_SERVER ? seen < server_cpus : seen == server_cpus;
            if (wanted)
                CPU_SET(cpu, &set);
            seen++;
        }
    return sched_setaffinity(0, sizeof set, &set) == 0;
}
#else
static int cpus_allowed(void) {
    die_of_usage("programs can't be pinned to CPUs on this system; use --place free");
}

static bool pin(enum place_role role) {
    (void)role;
    return false;
}
#endif

/* --- A quota: control groups --------------------------------------------------------- */

static bool write_text(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = (ssize_t)strlen(text);
    bool written = write(fd, text, (size_t)length) == length;
    close(fd);
    return written;
}

static void leave_group(void) {
    rmdir(group); /* the kernel refuses while somebody is in it */
}

/* `name` within the group's folder. */
static bool write_to_group(const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", group, name);
    return write_text(path, text);
}

static bool make_group(const char *cgroups, const char *below) {
    snprintf(group, sizeof group, "%s%s/ab-%ld", cgroups, below, (long)getpid());
    if (mkdir(group, 0755) != 0 && errno != EEXIST)
        return false;
    atexit(leave_group);
    return true;
}

/* Version 2 has one tree, and a group hands a controller on to those below. */
static bool limit_in_one_tree(const char *cgroups, double share) {
    char path[300], text[64];
    snprintf(path, sizeof path, "%s/cgroup.subtree_control", cgroups);
    snprintf(text, sizeof text, "%.0f %d", share * PERIOD_US, PERIOD_US);
    return write_text(path, "+cpu") && make_group(cgroups, "") &&
           write_to_group("cpu.max", text);
}

/* Version 1 has a tree for each controller. */
static bool limit_in_cpu_tree(const char *cgroups, double share) {
    char period[32], quota[32];
    snprintf(period, sizeof period, "%d", PERIOD_US);
    snprintf(quota, sizeof quota, "%.0f", share * PERIOD_US);
    return make_group(cgroups, "/cpu") && write_to_group("cpu.cfs_period_us", period) &&
           write_to_group("cpu.cfs_quota_us", quota);
}

static void settle_quota(const char *cpus, const char *cgroups) {
    char path[300], *end;
    double share = strtod(cpus, &end);
    if (end == cpus || *end || !isfinite(share) || share < 0.01 || share > 1024)
        die_of_usage("quota= wants a number of CPUs from 0.01 to 1024, not '%s'", cpus);
    snprintf(path, sizeof path, "%s/cgroup.subtree_control", cgroups);
    bool one_tree = access(path, F_OK) == 0;
    if (!(one_tree ? limit_in_one_tree : limit_in_cpu_tree)(cgroups, share))
        die_of_usage(
            "--place quota needs control groups at %s, with the cpu controller "
            "and the right to write there (%s)",
            cgroups, strerror(errno));
    snprintf(group_door, sizeof group_door, "%s/cgroup.procs", group);
}

/* --- Both ---------------------------------------------------------------------------- */

void place_settle(const char *place, const char *cgroups) {
    if (!strcmp(place, "free"))
        return;
    if (!strncmp(place, "quota=", 6)) {
        settle_quota(place + 6, cgroups);
        return;
    }
    if (!strcmp(place, "one-cpu"))
        server_cpus = 1;
    else if (!strcmp(place, "spare-core"))
        server_cpus = 2;
    else
        die_of_usage("--place is free, one-cpu, spare-core or quota=N, not '%s'",
                     place);
    int have = cpus_allowed();
    if (have < server_cpus + 1)
        die_of_usage("--place %s needs %d CPUs, and there are %d; use --place free",
                     place, server_cpus + 1, have);
}

bool place_enter(enum place_role role) {
    if (server_cpus > 0 && !pin(role))
        return false;
    if (*group_door && role == PLACE_SERVER)
        return write_text(group_door, "0"); /* 0 is whoever writes */
    return true;
}
