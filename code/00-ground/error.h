/* How a program of this book dies: with one line that says what and what to do. */
#ifndef GROUND_ERROR_H
#define GROUND_ERROR_H

/* Call it first. Names the program in front of every such line (`argv0` must outlive the
 * program), and opens /dev/null in the place of a standard stream that was closed, so
 * that no descriptor of ours is taken for it. */
void program_named(const char *argv0);

/* Prints one line on standard error and exits 1: something went wrong at run time. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with exit status 2: the user asked for something that can't be had. */
_Noreturn void die_of_usage(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Dies if something that was printed couldn't be written: a full disk, a closed pipe. */
void output_flushed(void);

#endif
