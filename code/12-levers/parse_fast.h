/* The fast parser: what the plain one takes and refuses, in one walk over the bytes. */
#ifndef LEVERS_PARSE_FAST_H
#define LEVERS_PARSE_FAST_H

#include "03-request/request.h"

/* As parse_plain(), byte for byte and verdict for verdict. */
int parse_fast(const char *bytes, size_t length, size_t seen, struct request *request);

/* The same, by eight bytes in a number rather than by SSE2: what parse_fast() is where
 * the processor has no SSE2. */
int parse_portable(const char *bytes, size_t length, size_t seen,
                   struct request *request);

#endif
