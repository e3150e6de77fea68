#define PARSER parse_plain

#include "03-request/test_heads.h"
