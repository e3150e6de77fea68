/* ANCHOR: wake */
#include "05-executor/threadsafe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

/* An eventfd(2) is a number in the kernel: a write adds to it, a read takes it all, so
 * any number of wakes are one. Elsewhere a pipe's bytes do the same job. */
static int open_wake(int ends[2]) {
#ifdef __linux__
    ends[0] = ends[1] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return ends[0] < 0 ? -1 : 0;
#else
    if (pipe(ends) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 ||
            fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0) {
            int saved = errno;
            close(ends[0]);
            close(ends[1]);
            errno = saved;
            return -1;
        }
    return 0;
#endif
}

static void close_wake(struct threadsafe *threadsafe) {
    if (threadsafe->wake_write != threadsafe->wake_read)
        close(threadsafe->wake_write);
    close(threadsafe->wake_read);
}
/* ANCHOR_END: wake */

/* ANCHOR: send */
/* A write to a full pipe or eventfd fails with EAGAIN: then it is readable anyway. */
static void send_wake(struct threadsafe *threadsafe) {
    uint64_t one = 1;
    while (write(threadsafe->wake_write, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

static void clear_wake(struct threadsafe *threadsafe) {
    char bytes[512];
    ssize_t n;
    do
        n = read(threadsafe->wake_read, bytes, sizeof bytes);
    while (n == (ssize_t)sizeof bytes || (n < 0 && errno == EINTR));
}
/* ANCHOR_END: send */

/* ANCHOR: on_wake */
static size_t waiting(struct threadsafe *threadsafe) {
    pthread_mutex_lock(&threadsafe->lock);
    size_t count = threadsafe->calls.count;
    pthread_mutex_unlock(&threadsafe->lock);
    return count;
}

/* The wake is cleared before the queue is read: a call that comes between the two is
 * found now, or wakes again. The other way round it could be missed. */
static void on_wake(void *argument) {
    struct threadsafe *threadsafe = argument;
    clear_wake(threadsafe);
    for (size_t n = waiting(threadsafe); n > 0; n--) { /* what they add comes later */
        pthread_mutex_lock(&threadsafe->lock);
        struct ready call = ready_pop(&threadsafe->calls);
        pthread_mutex_unlock(&threadsafe->lock);
        call.run(call.argument); /* outside the lock, for it may call here itself */
    }
}
/* ANCHOR_END: on_wake */

/* ANCHOR: open */
int threadsafe_open(struct threadsafe *threadsafe, const struct executor *executor) {
    int ends[2];
    if (open_wake(ends) != 0)
        return -1;
    *threadsafe = (struct threadsafe){
        .executor = executor, .wake_read = ends[0], .wake_write = ends[1]};
    int error = pthread_mutex_init(&threadsafe->lock, NULL);
    if (error == 0 &&
        executor->add_reader(executor->self, ends[0], on_wake, threadsafe) != 0) {
        error = errno;
        pthread_mutex_destroy(&threadsafe->lock);
    }
    if (error != 0) {
        close_wake(threadsafe);
        errno = error;
        return -1;
    }
    return 0;
}

void threadsafe_close(struct threadsafe *threadsafe) {
    const struct executor *executor = threadsafe->executor;
    executor->remove_reader(executor->self, threadsafe->wake_read);
    close_wake(threadsafe);
    pthread_mutex_destroy(&threadsafe->lock);
    ready_free(&threadsafe->calls);
}
/* ANCHOR_END: open */

/* ANCHOR: call */
int threadsafe_call_soon(struct threadsafe *threadsafe, callback *run, void *argument) {
    pthread_mutex_lock(&threadsafe->lock);
    int failed = ready_reserve(&threadsafe->calls, threadsafe->calls.count + 1);
    if (!failed)
        ready_push(&threadsafe->calls,
                   (struct ready){.run = run, .argument = argument});
    pthread_mutex_unlock(&threadsafe->lock);
    if (!failed)
        send_wake(threadsafe);
    return failed;
}
/* ANCHOR_END: call */
