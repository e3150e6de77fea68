/* Standard streams that are closed or full. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "00-ground/error.h"
#include "00-ground/signals.h"

Test(output, a_closed_standard_stream_is_nobodys_descriptor) {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    program_named("test");
    cr_assert_geq(fcntl(STDIN_FILENO, F_GETFD), 0);
    cr_assert_geq(fcntl(STDOUT_FILENO, F_GETFD), 0);
    cr_assert_gt(signals_open(), STDERR_FILENO);
}

Test(output, open_streams_stay_what_they_are) {
    int before = open("/dev/null", O_RDONLY);
    close(before);
    program_named("test");
    int after = open("/dev/null", O_RDONLY);
    close(after);
    cr_assert_eq(before, after, "it leaves no descriptor behind");
}

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
