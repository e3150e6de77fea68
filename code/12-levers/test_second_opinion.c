/* http-parser is a second opinion. It is laxer here and stricter there, but what both
 * it and the plain parser take they have to read alike: the same texts, and the same
 * end. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "00-ground/test_support.h"
#include "12-levers/bench.h"
#include "12-levers/test_support_parsers.h"
#include "12-levers/test_support_seeds.h"

enum { MUTANTS = 200000 };

static bool same(struct text one, struct text other) {
    return one.length == other.length && (one.length == 0 || one.at == other.at);
}

/* The methods are other texts, and http-parser leaves spaces at a value's end. */
static const char *differ(const struct request *ours, const struct request *theirs) {
    if (ours->method.length != theirs->method.length ||
        memcmp(ours->method.at, theirs->method.at, ours->method.length) != 0)
        return "the method";
    if (!same(ours->target, theirs->target))
        return "the target";
    if (ours->major != theirs->major || ours->minor != theirs->minor)
        return "the version";
    if (ours->field_count != theirs->field_count)
        return "the number of fields";
    for (int i = 0; i < ours->field_count; i++)
        if (!same(ours->fields[i].name, theirs->fields[i].name) ||
            !same(ours->fields[i].value, text_trim(theirs->fields[i].value)))
            return "a field";
    return NULL;
}

Test(second_opinion, what_both_take_they_read_alike, .timeout = 300) {
    static struct mutant mutant;
    static struct request ours, theirs;
    parse_function *library = bench_library();
    if (!library)
        cr_skip_test("http_parser.h wasn't there when this was built");
    size_t count, taken = 0, compared = 0;
    const struct text *seeds = seeds_read(&count);
    uint64_t random = 88172645463325252u;
    for (int n = 0; n < OFTEN(MUTANTS); n++) {
        make_mutant(&random, seeds, count, &mutant);
        int head = parse_plain(mutant.bytes, mutant.length, 0, &ours);
        if (head <= 0)
            continue;
        taken++;
        int before = library(mutant.bytes, (size_t)head - 1, 0, &theirs);
        int said = library(mutant.bytes, (size_t)head, 0, &theirs);
        if (said == PARSE_BAD)
            continue; /* a method, a target or a length that it doesn't know */
        cr_assert_eq(before, PARSE_PARTIAL,
                     "a byte before its end it says %d of:\n%.*s", before, head,
                     mutant.bytes);
        cr_assert_eq(said, head, "it says %d, not %d, of:\n%.*s", said, head, head,
                     mutant.bytes);
        const char *what = differ(&ours, &theirs);
        cr_assert_null(what, "%s isn't the same in:\n%.*s", what, head, mutant.bytes);
        compared++;
    }
    cr_assert_gt(compared, taken / 2, "of %zu heads it took only %zu", taken, compared);
}
