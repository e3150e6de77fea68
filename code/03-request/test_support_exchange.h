/* An exchange made by hand, for tests of an application without a server. */
#ifndef REQUEST_TEST_SUPPORT_EXCHANGE_H
#define REQUEST_TEST_SUPPORT_EXCHANGE_H

#include "03-request/exchange.h"

enum { HAND_HEAD = 256 }; /* bytes for a head */

/* Makes `exchange` one that asks for `target` from slot `slot`, in a head that is written
 * to `head` and has to stay. Its output and its ready are the test's to set. */
void exchange_by_hand(struct exchange *exchange, uint32_t slot, const char *target,
                      char head[HAND_HEAD]);

#endif
