/* An answer that is longer than any output: a test's application gives what there is room
 * for, and goes on in its on_room. One such answer at a time. */
#ifndef REQUEST_TEST_SUPPORT_LONG_H
#define REQUEST_TEST_SUPPORT_LONG_H

#include <stddef.h>

#include "03-request/exchange.h"

enum { LONG = 1 << 20 }; /* its bytes */

extern char long_content[LONG]; /* from the first long_give() on */
extern size_t long_given;       /* bytes of it that the exchange has taken */

/* Starts the answer, where `long_given` is 0, and goes on with it. */
void long_give(struct exchange *exchange);
void long_give_more(struct exchange *exchange);

#endif
