/* Standard streams that are closed. */
#include <criterion/criterion.h>
#include <fcntl.h>
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
