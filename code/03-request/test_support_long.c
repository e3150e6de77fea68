#include "03-request/test_support_long.h"

char long_content[LONG];
size_t long_given;

void long_give(struct exchange *exchange) {
    for (size_t i = 0; i < LONG; i++)
        long_content[i] = (char)(i * 2654435761U >> 24);
    exchange_start(exchange, 200, NULL, 0, LONG);
    long_give_more(exchange);
}

void long_give_more(struct exchange *exchange) {
    size_t step = 10000, taken = step;
    while (long_given < LONG && taken == step) {
        step = LONG - long_given < 10000 ? LONG - long_given : 10000;
        taken = exchange_chunk(exchange, long_content + long_given, step,
                               long_given + step < LONG);
        long_given += taken;
    }
    if (long_given == LONG)
        exchange_end(exchange);
}
