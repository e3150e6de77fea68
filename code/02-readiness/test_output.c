/* Standard output that is full: the lowest room with a program that uses ours. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_of(const char *end) {
    const char *build = getenv("BUILD");
    char command[512];
    snprintf(command, sizeof command, "%s/%s", build ? build : "build", end);
    int status = system(command);
    cr_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

Test(output, that_cannot_be_written_is_an_error) {
    if (access("/dev/full", W_OK) != 0)
        return; /* only Linux has a disk that is always full */
    cr_assert_eq(status_of("02-readiness --help >/dev/full 2>/dev/null"), 1);
    cr_assert_eq(status_of("02-readiness --port 0 >/dev/full 2>/dev/null"), 1);
    cr_assert_eq(status_of("02-readiness --help >/dev/null"), 0);
}
