/* So has what it is on a processor without SSE2. */
#include "12-levers/parse_fast.h"

#define PARSER parse_portable

#include "03-request/test_heads.h"
