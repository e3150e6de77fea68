/* From a URL to an address and the bytes of a request. */
#ifndef MEASURE_LOAD_TARGET_H
#define MEASURE_LOAD_TARGET_H

#include <stdint.h>

#include "07-measure/load_asker.h"

enum { BODY_BYTES_MOST = 1 << 24 };

/* `url` is http://HOST:PORT/path, the port 80 and the path / if it has none; `method`
 * GET, HEAD or POST; only POST has a body, of `body_bytes` times the letter x. Without
 * its backend; the caller frees the request. Dies with exit status 2 if it can't be
 * used. */
struct target target_of(const char *url, const char *method, uint64_t body_bytes);

#endif
