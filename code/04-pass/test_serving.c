/* The whole native server, from outside. */
#include <criterion/criterion.h>

#include "03-request/test_support_http.h"
#include "04-pass/test_sequences.h"

TestSuite(serving, .timeout = 60);

static const char *const backends[] = {"epoll", "kqueue", "poll"};

#define ON_EACH_BACKEND(call)                                                          \
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)                  \
        if (has_backend(backends[i]))                                                  \
    call

Test(serving, http) {
    ON_EACH_BACKEND(check_http("04-pass", backends[i]));
}

Test(serving, silent_clients) {
    ON_EACH_BACKEND(sequence_silent_clients("04-pass", backends[i]));
}

Test(serving, dripping_head) {
    ON_EACH_BACKEND(sequence_dripping_head("04-pass", backends[i]));
}

Test(serving, half_a_head) {
    ON_EACH_BACKEND(sequence_half_a_head("04-pass", backends[i]));
}

Test(serving, few_descriptors) {
    ON_EACH_BACKEND(sequence_few_descriptors("04-pass", backends[i]));
}
