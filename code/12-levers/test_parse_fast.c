/* The fast parser has to pass the plain one's tests. */
#include "12-levers/parse_fast.h"

#define PARSER parse_fast

#include "03-request/test_heads.h"
