/* A wake: the system call that ends another thread's wait. The sleeper watches a
 * descriptor; whoever has something for it makes that descriptor readable. */
#ifndef EXECUTOR_WAKE_H
#define EXECUTOR_WAKE_H

/* What lies behind the descriptor. */
enum wake_kind {
    WAKE_EVENTFD,  /* a counter in the kernel, where there is one: eventfd(2) */
    WAKE_PIPE,     /* pipe(2) */
    WAKE_DATAGRAM, /* a pair of datagram sockets: socketpair(2) */
#ifdef __linux__
    WAKE_DEFAULT = WAKE_EVENTFD
#else
    WAKE_DEFAULT = WAKE_PIPE
#endif
};

struct wake {
    enum wake_kind kind;
    int watched; /* the sleeper's end: readable from a send to the next clear */
    int sent_to; /* the sender's end; the same descriptor for an eventfd */
};

/* The kind called `name` ("eventfd", "pipe", "datagram"), or the default for NULL. Dies
 * of usage, with one line for the option --wake, if this system has no such kind. */
enum wake_kind wake_kind_named(const char *name);

/* Opens a wake, non-blocking and close-on-exec. 0, or -1 with errno, ENOTSUP if the
 * system lacks this kind; then there is nothing to close. */
int wake_open(struct wake *wake, enum wake_kind kind);
void wake_close(struct wake *wake);

/* Ends the sleeper's wait, now or the next one. From any thread; never blocks. Dies if
 * the descriptor was closed, a fault of ours. */
void wake_send(const struct wake *wake);

/* The sleeper takes note of all that was sent so far. Call it before looking at what
 * the wake was about: what comes later then sends another one. */
void wake_clear(const struct wake *wake);

#endif
