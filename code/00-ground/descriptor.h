/* What every descriptor of a server has to be. */
#ifndef GROUND_DESCRIPTOR_H
#define GROUND_DESCRIPTOR_H

/* Makes `fd` non-blocking, for no loop may sleep in a read or a write, and close-on-exec,
 * for a child process has no use for it. 0, or -1 with errno. */
int descriptor_prepare(int fd);

#endif
