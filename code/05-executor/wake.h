/* A wake: the system call that ends another thread's wait. The sleeper watches a
 * descriptor; whoever has something for it makes that descriptor readable. */
#ifndef EXECUTOR_WAKE_H
#define EXECUTOR_WAKE_H

struct wake {
    int watched; /* the sleeper's end: readable from a send to the next clear */
    int sent_to; /* the sender's end; the same descriptor for an eventfd */
};

/* Opens an eventfd(2) where there is one, else a pipe(2): non-blocking, close-on-exec.
 * 0, or -1 with errno. */
int wake_open(struct wake *wake);
void wake_close(struct wake *wake);

/* Ends the sleeper's wait, now or the next one. From any thread; never blocks. Dies if
 * the descriptor was closed, a fault of ours. */
void wake_send(const struct wake *wake);

/* The sleeper takes note of all that was sent so far. Call it before looking at what
 * the wake was about: what comes later then sends another one. */
void wake_clear(const struct wake *wake);

#endif
