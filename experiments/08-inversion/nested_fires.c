/* Does an executor's add_reader on a native backend's own descriptor fire? For each
 * backend that the command line names: watches a pipe with it, watches its descriptor
 * from an executor, puts a byte into the pipe, and prints "NAME fires" if the reader was
 * called and the backend then reports the pipe without waiting. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "00-ground/error.h"
#include "02-readiness/backend.h"
#include "05-executor/c_executor.h"

enum { TOKEN = 42 };

struct check {
    const struct executor *executor;
    struct backend *native;
    int to_pipe;
    int reported;
};

/* ANCHOR: on_readable */
static void on_readable(void *argument) {
    struct check *check = argument;
    struct readiness event;
    if (backend_wait(check->native, &event, 1, 0) == 1 && event.token == TOKEN)
        check->reported = 1;
    check->executor->stop(check->executor->self);
}
/* ANCHOR_END: on_readable */

static void put_byte(void *argument) {
    struct check *check = argument;
    if (write(check->to_pipe, "!", 1) != 1)
        die("can't write to the pipe: %s", strerror(errno));
}

static void give_up(void *argument) {
    struct check *check = argument;
    check->executor->stop(check->executor->self);
}

static const char *try_backend(const char *name) {
    struct check check = {.native = backend_open(name)};
    if (!check.native)
        return "isn't here";
    if (backend_fd(check.native) < 0)
        return errno == ENOTSUP ? "has no descriptor" : strerror(errno);
    struct c_executor *host = c_executor_open(NULL, NULL);
    if (!host)
        die("can't open an executor: %s", strerror(errno));
    check.executor = c_executor_functions(host);
    void *self = check.executor->self;
    int ends[2];
    if (pipe(ends) != 0 || backend_watch(check.native, ends[0], READABLE, TOKEN) != 0)
        die("can't watch a pipe: %s", strerror(errno));
    check.to_pipe = ends[1];
    if (check.executor->add_reader(self, backend_fd(check.native), on_readable,
                                   &check) != 0)
        return "can't be watched";
    /* Not before the executor has slept once: the descriptor must end its sleep. */
    check.executor->call_later(self, 50000000, put_byte, &check);
    check.executor->call_later(self, 2000000000, give_up, &check);
    if (check.executor->run_forever(self) != 0)
        die("the executor failed: %s", strerror(errno));
    return check.reported ? "fires" : "doesn't fire";
}

int main(int argc, char **argv) {
    program_named(argv[0]);
    for (int i = 1; i < argc; i++)
        printf("%s %s\n", argv[i], try_backend(argv[i]));
    return 0;
}
