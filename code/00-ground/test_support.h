/* What the tests of every room share: a program under test, sockets that talk to it,
 * and waits that end by a condition or, after WAIT_MS, fail the test. */
#ifndef GROUND_TEST_SUPPORT_H
#define GROUND_TEST_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How often a test tries to meet a rare order of steps: a fifth as often under a
 * sanitizer, which is slower and sees a race without its doing harm. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define OFTEN(times) ((times) / 5)
#else
#define OFTEN(times) (times)
#endif

enum {
    WAIT_MS = 60000, /* how long a test waits for anything, on a busy machine, too */
};

struct program {
    pid_t pid;         /* 0 once it has ended */
    int port;          /* of 127.0.0.1; 0 if it never listened */
    int status;        /* its exit status, once it has ended */
    char output[8192]; /* what it printed: after its first line for program_start() */
    char errors[8192]; /* what it said on standard error: by program_run(), or after
                        * program_keep_errors() */
    int out, err;      /* private: the reading ends of its two streams */
};

/* Starts the server program `name` ("06-pump") from the folder that the environment
 * variable BUILD names ("build" without one) with `--port 0` and the arguments given,
 * NULL at their end, and waits until it says where it listens. It dies with the test on
 * Linux: prctl(2), PR_SET_PDEATHSIG. */
void program_start(struct program *program, const char *name, ...)
    __attribute__((sentinel));

/* The programs that start from now on may have `most` descriptors each and can't raise
 * that. */
void program_descriptors(unsigned most);

/* The servers that start from now on get `option` ("--lock=gil"), too: the same checks
 * for a server that works otherwise. Up to 4 of them; the string has to stay. */
void program_option(const char *option);

/* Of the servers that start from now on, what they say on standard error is kept. */
void program_keep_errors(void);

/* The servers that start from now on wait, when told to stop, for what is under way, and
 * exit 1 if they cut any of it. What they say on standard error is kept. */
void program_drains(void);

/* Waits until it has ended, for a reason that the test has given it, and fills in
 * `output` and `status`. */
void program_wait(struct program *program);

/* Ends it with SIGTERM and fills in `output` and `status`. A program that a signal
 * ends, or that outlasts the wait (it gets SIGKILL), fails the test. */
void program_stop(struct program *program);

/* Halts it until program_resume(): what is sent meanwhile it finds all at once. */
void program_halt(const struct program *program);
void program_resume(const struct program *program);

/* Whether a server that was stopped ended as it should: with status 0, or, if it drains,
 * with 1 and word of what it cut. */
bool program_ended_well(const struct program *program);

/* Runs a program that ends by itself, with just the arguments given, NULL at their end;
 * fills in `output`, `errors` and `status`. */
void program_run(struct program *program, const char *name, ...)
    __attribute__((sentinel));

/* How many descriptors this process has open. */
int open_descriptors(void);

/* The number called `name` in a line of JSON such as --stats prints. */
uint64_t json_number(const char *line, const char *name);

/* A blocking, close-on-exec connection to 127.0.0.1. Closing it is the test's. */
int connect_to(int port);

/* Sends every byte, or the text; the client's direction stays open. */
void send_bytes(int fd, const void *bytes, size_t length);
void send_text(int fd, const char *text);

/* Whether `fd` is readable (or ended) within `ms` milliseconds; 0 asks about now. */
bool readable_within(int fd, int ms);

/* Reads exactly `length` bytes. */
void read_bytes(int fd, void *bytes, size_t length);

/* Reads until `text` has come and not a byte further, into a string of at most `size`
 * bytes with its NUL. */
void read_until(int fd, const char *text, char *into, size_t size);

/* Reads to the end of input into a string of at most `size` bytes with its NUL, and
 * returns its length. A reset fails the test: an answer may have been lost to it. */
size_t read_to_end(int fd, char *into, size_t size);

struct response {
    int status;
    char head[8192]; /* status line and fields, with the empty line at the end */
    char body[65536];
    size_t body_length;
};

/* Reads one response and nothing after it: its head, and a body of Content-Length
 * bytes. read_response_to_head() takes one that has no body whatever its length says,
 * as the answer to HEAD. */
void read_response(int fd, struct response *response);
void read_response_to_head(int fd, struct response *response);

#endif
