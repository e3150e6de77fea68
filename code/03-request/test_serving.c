/* The unsplit loop serves HTTP, on every backend of this system. */
#include <criterion/criterion.h>

#include "03-request/test_support_http.h"

TestSuite(serving, .timeout = 120);

static void serves_on(const char *backend) {
    if (has_backend(backend))
        check_http("03-request", backend);
}

Test(serving, on_epoll) {
    serves_on("epoll");
}

Test(serving, on_kqueue) {
    serves_on("kqueue");
}

Test(serving, on_poll) {
    serves_on("poll");
}
