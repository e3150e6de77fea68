#include "12-levers/parse_fast.h"

#include "12-levers/parse_once.h"

int parse_fast(const char *bytes, size_t length, size_t seen, struct request *request) {
    return parse_with(bytes, length, seen, request, &by_best);
}

int parse_portable(const char *bytes, size_t length, size_t seen,
                   struct request *request) {
    return parse_with(bytes, length, seen, request, &by_word);
}
