/* ANCHOR: includes */
#include "05-executor/threadsafe.h"

#include <errno.h>
/* ANCHOR_END: includes */

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
    wake_clear(&threadsafe->wake);
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
    *threadsafe = (struct threadsafe){.executor = executor};
    if (wake_open(&threadsafe->wake, WAKE_DEFAULT) != 0)
        return -1;
    int error = pthread_mutex_init(&threadsafe->lock, NULL);
    if (error == 0 && executor->add_reader(executor->self, threadsafe->wake.watched,
                                           on_wake, threadsafe) != 0) {
        error = errno;
        pthread_mutex_destroy(&threadsafe->lock);
    }
    if (error != 0) {
        wake_close(&threadsafe->wake);
        errno = error;
        return -1;
    }
    return 0;
}

void threadsafe_close(struct threadsafe *threadsafe) {
    const struct executor *executor = threadsafe->executor;
    executor->remove_reader(executor->self, threadsafe->wake.watched);
    wake_close(&threadsafe->wake);
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
        wake_send(&threadsafe->wake);
    return failed;
}
/* ANCHOR_END: call */
