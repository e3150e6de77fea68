/* A body, decoded piece by piece. */
#ifndef REQUEST_TEST_DECODE_H
#define REQUEST_TEST_DECODE_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "03-request/body.h"
#include "03-request/request.h"

#define COUNT(of) (sizeof(of) / sizeof(of)[0])

#define NEXT "GET / HTTP/1.1\r\n"
#define END  "0\r\n\r\n"

struct outcome {
    enum body_result result;
    size_t used, made;
};

/* Decodes what `pieces` cuts `raw` into: one at `first`, the others `step` long. Each
 * piece and each output lies in memory of its own size, so that ASan sees a byte read or
 * written too far. The output is gathered at `out`. */
static inline struct outcome decode(struct body *body, const char *raw, size_t length,
                                    size_t first, size_t step, size_t room, char *out) {
    struct outcome all = {BODY_PARTIAL, 0, 0};
    char *place = malloc(room);
    size_t end = first < length ? first : length;
    for (;;) {
        char *piece = malloc(end - all.used + 1);
        memcpy(piece, raw + all.used, end - all.used);
        size_t used, made;
        all.result =
            body_decode(body, piece, end - all.used, &used, place, room, &made);
        free(piece);
        cr_assert(used <= end - all.used && made <= room);
        cr_assert_eq(body_over(body), all.result == BODY_OVER);
        memcpy(out + all.made, place, made);
        all.used += used;
        all.made += made;
        bool stuck = used == 0 && made == 0;
        if (all.result != BODY_PARTIAL || (stuck && end == length))
            break;
        if (stuck || all.used == end)
            end = length - end < step ? length : end + step;
    }
    free(place);
    return all;
}

#endif
