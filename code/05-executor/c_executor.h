/* A small asyncio in C: an executor of one thread over a backend. */
#ifndef EXECUTOR_C_EXECUTOR_H
#define EXECUTOR_C_EXECUTOR_H

#include "04-pass/gate.h"
#include "05-executor/executor.h"

struct c_executor;

/* Opens an executor over the backend called `backend_name` (NULL: the system's best).
 * `gate` is passed around each wait, and may pause the executor after each callback;
 * NULL for none; it must outlive the executor.
 * An iteration takes up to 256 ready descriptors; more of them wait for the next.
 * NULL with errno. */
struct c_executor *c_executor_open(const char *backend_name, const struct gate *gate);

/* Frees it. What is still scheduled is forgotten; descriptors stay open. */
void c_executor_close(struct c_executor *executor);

/* Its functions, for all who take any executor; valid until c_executor_close(). */
const struct executor *c_executor_functions(struct c_executor *executor);

/* asyncio's add_writer and remove_writer, for a server that owns its sockets. They
 * aren't among struct executor's functions, because no host of a native loop needs
 * them. */
int c_executor_add_writer(struct c_executor *executor, int fd, callback *run,
                          void *argument);
int c_executor_remove_writer(struct c_executor *executor, int fd);

#endif
