#include <criterion/criterion.h>

#include "03-request/test_support_memory.h"

Test(memory, does_not_grow_with_the_requests_served, .timeout = 300) {
    check_memory("08-inversion");
}
