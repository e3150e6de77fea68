/* The fuzzer's way into the parsers of chapter 12: two bytes say where the head behind them
 * is cut, and both have to say of it what the plain parser says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "12-levers/parse_fast.h"
#include "12-levers/test_support_parsers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 2 || length - 2 > HEADS_MOST)
        return 0;
    size_t cut = ((size_t)bytes[1] << 8 | bytes[0]) % (length - 1);
    parse_function *const parsers[] = {parse_fast, parse_portable};
    for (size_t i = 0; i < sizeof parsers / sizeof parsers[0]; i++) {
        int verdict;
        const char *what = parsers_differ(parsers[i], (const char *)bytes + 2,
                                          length - 2, cut, &verdict);
        if (what) {
            fprintf(stderr, "fault: %s: %s\n", i == 0 ? "fast" : "portable", what);
            abort();
        }
    }
    return 0;
}
