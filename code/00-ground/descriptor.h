/* What every descriptor of a server has to be. */
#ifndef GROUND_DESCRIPTOR_H
#define GROUND_DESCRIPTOR_H

/* Makes `fd` non-blocking, for no loop may sleep in a read or a write, and close-on-exec,
 * for a child process has no use for it. 0, or -1 with errno. */
int descriptor_prepare(int fd);

/* A pipe for a child process, which inherits no more of it than dup2(2) gives it: both
 * ends are close-on-exec, and may sleep. Dies with a line if there is none. */
void descriptor_pipe(int ends[2]);

#endif
