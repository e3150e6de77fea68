/* What a wake costs: a thread that sleeps, and one that wakes it again and again. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "00-ground/clock.h"
#include "00-ground/error.h"
#include "02-readiness/backend.h"
#include "07-measure/calibrate.h"

/* A burst fits into a datagram socket, whose queue may be as short as 10: unix(7). */
enum { ROUNDS = 64, BURSTS = 8, BURST = 8, ASLEEP_AFTER_NS = 50000 };

struct sleeper {
    struct wake wake;
    struct backend *backend;
    int cpu;            /* 0: the waker's; 1: another */
    _Atomic int sleeps; /* how often it has gone to sleep */
    _Atomic uint64_t sent_at;
    /* of each round, in ns; a disturbed one shouldn't count, so the medians do */
    double latency[ROUNDS], asleep[ROUNDS], sending[ROUNDS];
};

/* Where the two threads are is half of the price: to wake somebody on another CPU takes
 * an interrupt there, and on a virtual machine the hypervisor's help. */
#ifdef __linux__
static cpu_set_t allowed;

static bool place(int which) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && which-- == 0)
            CPU_SET(cpu, &one);
    return CPU_COUNT(&one) == 1 &&
           pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

/* Can there be two threads on so many CPUs? The calling one is put on the first. */
static bool places_begin(int cpus) {
    return pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) == 0 &&
           CPU_COUNT(&allowed) >= cpus && place(0);
}

static void places_end(void) {
    pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
}
#else /* the system decides, and gives two threads two CPUs if it can */
static bool place(int which) {
    (void)which;
    return true;
}
static bool places_begin(int cpus) {
    return cpus > 1 && sysconf(_SC_NPROCESSORS_ONLN) >= cpus;
}
static void places_end(void) {
}
#endif

static void sleep_once(struct backend *backend) {
    struct readiness event;
    int n;
    do
        n = backend_wait(backend, &event, 1, -1);
    while (n == 0); /* a signal came */
    if (n < 0)
        die("can't wait: %s", strerror(errno));
}

static void *run_sleeper(void *argument) {
    struct sleeper *sleeper = argument;
    if (!place(sleeper->cpu))
        die("can't be put on a CPU");
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = clock_thread_cpu();
        atomic_store(&sleeper->sleeps, i + 1);
        sleep_once(sleeper->backend);
        uint64_t woken_at = clock_now();
        wake_clear(&sleeper->wake);
        sleeper->asleep[i] = (double)(clock_thread_cpu() - before);
        sleeper->latency[i] = (double)(woken_at - atomic_load(&sleeper->sent_at));
    }
    return NULL;
}

/* Wakes it as often as it sleeps. Between two wakes it sleeps itself, so that all of
 * this works on a single CPU, too. */
static void wake_all(struct sleeper *sleeper) {
    static const struct timespec pause = {.tv_nsec = ASLEEP_AFTER_NS};
    for (int i = 0; i < ROUNDS; i++) {
        do
            nanosleep(&pause, NULL);
        while (atomic_load(&sleeper->sleeps) <= i);
        uint64_t before = clock_thread_cpu();
        atomic_store(&sleeper->sent_at, clock_now());
        wake_send(&sleeper->wake);
        sleeper->sending[i] = (double)(clock_thread_cpu() - before);
    }
}

/* The other thread is in no wait, but the descriptor is watched, as it would be. */
static double write_awake(const struct wake *wake) {
    uint64_t spent = 0;
    for (int i = 0; i < BURSTS; i++) {
        uint64_t before = clock_thread_cpu();
        for (int k = 0; k < BURST; k++)
            wake_send(wake);
        spent += clock_thread_cpu() - before;
        wake_clear(wake);
    }
    return (double)spent / (BURSTS * BURST);
}

/* What a wake costs, in ns. */
struct wake_price {
    double cpu, send, latency; /* of both threads; of the waker alone; until it runs */
};

/* NAN where it can't be had. */
static struct wake_price wake_over(struct sleeper *sleeper, int cpus,
                                   const double ns[CONSTANTS]) {
    pthread_t thread;
    if (!places_begin(cpus))
        return (struct wake_price){NAN, NAN, NAN};
    sleeper->cpu = cpus - 1;
    atomic_store(&sleeper->sleeps, 0);
    int failed = pthread_create(&thread, NULL, run_sleeper, sleeper);
    if (failed)
        die("can't start a thread: %s", strerror(failed));
    wake_all(sleeper);
    pthread_join(thread, NULL);
    places_end();
    double clocks = ns[CPU_CLOCK] + ns[CLOCK]; /* each half reads both, once */
    double send = calibrate_median(sleeper->sending, ROUNDS) - clocks;
    double asleep = calibrate_median(sleeper->asleep, ROUNDS) - clocks;
    return (struct wake_price){
        .cpu = send + asleep - ns[WAIT] - ns[WAIT_READY],
        .send = send,
        .latency = calibrate_median(sleeper->latency, ROUNDS) - ns[CLOCK],
    };
}

void calibrate_wake(enum wake_kind kind, double ns[CONSTANTS]) {
    struct sleeper sleeper = {.backend = backend_open(NULL)};
    if (!sleeper.backend)
        die("can't open a backend: %s", strerror(errno));
    for (int c = WAKE_CPU; c < WAIT; c += WAKE_KINDS)
        ns[c + (int)kind] = NAN;
    if (wake_open(&sleeper.wake, kind) != 0) {
        if (errno != ENOTSUP)
            die("can't open a wake: %s", strerror(errno));
        backend_close(sleeper.backend);
        return;
    }
    if (backend_watch(sleeper.backend, sleeper.wake.watched, READABLE, 0) != 0)
        die("can't watch a wake: %s", strerror(errno));
    ns[WAKE_AWAKE + kind] = write_awake(&sleeper.wake) - ns[CPU_CLOCK] / BURST;
    struct wake_price across = wake_over(&sleeper, 2, ns);
    ns[WAKE_CPU + kind] = across.cpu;
    ns[WAKE_SEND + kind] = across.send;
    ns[WAKE_LATENCY + kind] = across.latency;
    struct wake_price one = wake_over(&sleeper, 1, ns);
    ns[WAKE_CPU_ONE + kind] = one.cpu;
    ns[WAKE_SEND_ONE + kind] = one.send;
    ns[WAKE_LATENCY_ONE + kind] = one.latency;
    wake_close(&sleeper.wake);
    backend_close(sleeper.backend);
}
