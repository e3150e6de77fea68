#include "03-request/test_support_exchange.h"

#include <criterion/criterion.h>
#include <stdio.h>

void exchange_by_hand(struct exchange *exchange, uint32_t slot, const char *target,
                      char head[HAND_HEAD]) {
    int n = snprintf(head, HAND_HEAD, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", target);
    cr_assert_lt(n, HAND_HEAD);
    *exchange = (struct exchange){.slot = slot, .tag = 1, .keep_alive = true};
    cr_assert_eq(parse_plain(head, (size_t)n, 0, &exchange->request), n);
    cr_assert_eq(request_demands(&exchange->request).refuse_with, 0);
}
