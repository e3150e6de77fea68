/* The fast parser says of any bytes what the plain one says, whole and in two
 * pieces. And would these tests see it if it didn't? They have to find parsers that
 * are wrong. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "00-ground/test_support.h"
#include "12-levers/bench.h"
#include "12-levers/parse_fast.h"
#include "12-levers/parse_once.h"
#include "12-levers/test_support_parsers.h"
#include "12-levers/test_support_seeds.h"

enum { MUTANTS = 300000 };

/* What DIFFERENTIAL=10000000 asks for in the environment, or `otherwise`. */
static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t first_seed(void) {
    return from_environment("SEED", 0) + 88172645463325252u;
}

static void show(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        fprintf(stderr, bytes[i] >= ' ' && bytes[i] < 0x7f ? "%c" : "\\x%02x",
                (unsigned char)bytes[i]);
    fputc('\n', stderr);
}

static int expect_same(const struct bench_way *way, const char *bytes, size_t length,
                       size_t cut) {
    int verdict;
    const char *what = parsers_differ(way->parse, bytes, length, cut, &verdict);
    if (what)
        show(bytes, length);
    cr_assert_null(what, "%s, cut at %zu: %s", way->name, cut, what);
    return verdict;
}

Test(differential, every_seed_at_every_cut, .timeout = 300) {
    struct bench_way ways[BENCH_WAYS];
    size_t count;
    const struct text *seeds = seeds_read(&count);
    bench_ways(ways);
    for (size_t w = 0; w < BENCH_WAYS; w++)
        for (size_t i = 0; ways[w].same && ways[w].parse && i < count; i++)
            for (size_t cut = 0; cut <= seeds[i].length; cut++)
                expect_same(&ways[w], seeds[i].at, seeds[i].length, cut);
}

Test(differential, the_heads_that_are_timed, .timeout = 300) {
    struct bench_way ways[BENCH_WAYS];
    struct bench_input inputs[BENCH_INPUTS];
    bench_ways(ways);
    bench_inputs(inputs);
    for (size_t w = 0; w < BENCH_WAYS; w++)
        for (size_t i = 0; ways[w].same && ways[w].parse && i < BENCH_INPUTS; i++)
            for (size_t cut = 0; cut <= inputs[i].length;
                 cut += 1 + inputs[i].length / 999)
                cr_assert_eq(
                    expect_same(&ways[w], inputs[i].bytes, inputs[i].length, cut),
                    (int)inputs[i].length, "%s", inputs[i].name);
}

/* `make differential` asks for ten million. What was only tried gets a tenth of
 * them. */
Test(differential, mutants) {
    static struct mutant mutant;
    struct bench_way ways[BENCH_WAYS];
    uint64_t random = first_seed(),
             most = from_environment("DIFFERENTIAL", OFTEN(MUTANTS));
    uint64_t taken = 0, partial = 0, bad = 0, too_many = 0;
    size_t count;
    const struct text *seeds = seeds_read(&count);
    bench_ways(ways);
    for (uint64_t n = 0; n < most; n++) {
        int verdict = 0;
        make_mutant(&random, seeds, count, &mutant);
        for (size_t w = 0; w < BENCH_WAYS; w++)
            if (ways[w].same && ways[w].parse && ways[w].parse != parse_plain &&
                (!ways[w].tried || n % 10 == 0))
                verdict =
                    expect_same(&ways[w], mutant.bytes, mutant.length, mutant.cut);
        taken += verdict > 0;
        partial += verdict == PARSE_PARTIAL;
        bad += verdict == PARSE_BAD;
        too_many += verdict == PARSE_TOO_MANY;
    }
    if (getenv("DIFFERENTIAL"))
        fprintf(stderr,
                "%" PRIu64 " requests, whole and in two pieces: all parsers agree "
                "(%" PRIu64 " taken, %" PRIu64 " partial, %" PRIu64 " refused, %" PRIu64
                " with too many fields)\n",
                most, taken, partial, bad, too_many);
    cr_assert(taken > most / 10 && partial > most / 100 && bad > most / 10 &&
                  too_many > most / 1000,
              "%" PRIu64 " taken, %" PRIu64 " partial, %" PRIu64 " bad, %" PRIu64
              " with too many fields: these are no good mutants",
              taken, partial, bad, too_many);
}

/* --- wrong parsers ---------------------------------------------------------------- */

static const char *past(const char *at, const char *end, skip_function *skip,
                        char byte) {
    while ((at = skip(at, end)) < end && *at == byte)
        at++;
    return at;
}

static const char *value_with_del(const char *at, const char *end) {
    return past(at, end, by_best.value, 0x7f);
}

static const char *value_with_nul(const char *at, const char *end) {
    return past(at, end, by_best.value, '\0');
}

static const char *target_with_fragment(const char *at, const char *end) {
    return past(at, end, by_best.target, '#');
}

/* It is the one that smugglers ask for (RFC 9112, section 5.1). */
static const char *name_with_space(const char *at, const char *end) {
    at = skip_token(at, end);
    return end - at >= 2 && at[0] == ' ' && at[1] == ':' ? at + 1 : at;
}

#define WRONG(name, ...)                                                               \
    static int name(const char *bytes, size_t length, size_t seen,                     \
                    struct request *request) {                                         \
        static const struct skips over = {__VA_ARGS__};                                \
        return parse_with(bytes, length, seen, request, &over);                        \
    }

WRONG(takes_del, skip_token, skip_target_by_word, value_with_del)
WRONG(takes_nul, skip_token, skip_target_by_word, value_with_nul)
WRONG(takes_fragment, skip_token, target_with_fragment, skip_value_by_word)
WRONG(takes_space_behind_name, name_with_space, skip_target_by_word, skip_value_by_word)

static int keeps_space_at_end(const char *bytes, size_t length, size_t seen,
                              struct request *request) {
    int head = parse_fast(bytes, length, seen, request);
    for (int i = 0; head > 0 && i < request->field_count; i++) {
        struct text *value = &request->fields[i].value;
        value->length += value->at[value->length] == ' ';
    }
    return head;
}

static int waits_for_one_more(const char *bytes, size_t length, size_t seen,
                              struct request *request) {
    int head = parse_fast(bytes, length, seen, request);
    return seen > 0 && head == (int)length ? PARSE_PARTIAL : head;
}

static int forgets_the_minor(const char *bytes, size_t length, size_t seen,
                             struct request *request) {
    int minor = request->minor, head = parse_fast(bytes, length, seen, request);
    request->minor = minor;
    return head;
}

static int calls_all_bad(const char *bytes, size_t length, size_t seen,
                         struct request *request) {
    int head = parse_fast(bytes, length, seen, request);
    return head == PARSE_TOO_MANY ? PARSE_BAD : head;
}

static int decides_too_soon(const char *bytes, size_t length, size_t seen,
                            struct request *request) {
    int head = parse_fast(bytes, length, seen, request);
    return head == PARSE_PARTIAL && length > 0 && bytes[0] == ' ' ? PARSE_BAD : head;
}

/* It looks for the end only in what is new, and forgets that a CR was the last seen. */
static int forgets_a_cr(const char *bytes, size_t length, size_t seen,
                        struct request *request) {
    if (seen > 0 && seen < length && bytes[seen - 1] == '\r' && bytes[seen] == '\n')
        return parse_fast(bytes, length, seen + 1, request);
    return parse_fast(bytes, length, seen, request);
}

Test(differential, wrong_parsers_are_found, .timeout = 300) {
    static const struct {
        const char *name;
        parse_function *parse;
    } wrong[] = {
        {"it takes DEL in a value", takes_del},
        {"it takes NUL in a value", takes_nul},
        {"it takes a fragment", takes_fragment},
        {"it takes a space behind a name", takes_space_behind_name},
        {"it keeps a space at a value's end", keeps_space_at_end},
        {"it waits for one byte more", waits_for_one_more},
        {"it forgets the minor version", forgets_the_minor},
        {"it calls too many fields bad", calls_all_bad},
        {"it decides too soon", decides_too_soon},
        {"it forgets a CR", forgets_a_cr},
    };
    static struct mutant mutant;
    size_t count;
    const struct text *seeds = seeds_read(&count);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t random = first_seed();
        int n = 0, verdict;
        do
            make_mutant(&random, seeds, count, &mutant);
        while (!parsers_differ(wrong[i].parse, mutant.bytes, mutant.length, mutant.cut,
                               &verdict) &&
               ++n < MUTANTS);
        cr_expect_lt(n, MUTANTS, "%s, and nobody saw it", wrong[i].name);
    }
}

Test(differential, no_parser_reads_past_the_end_or_before_the_beginning) {
    struct bench_way ways[BENCH_WAYS];
    int verdict;
    char bytes[80];
    memset(bytes, 'a', sizeof bytes);
    bench_ways(ways);
    for (size_t w = 0; w < BENCH_WAYS; w++)
        for (size_t n = 0; ways[w].same && ways[w].parse && n <= sizeof bytes; n++)
            for (size_t cut = 0; cut <= n; cut++) { /* an edge before and one behind */
                cr_assert_null(parsers_differ(ways[w].parse, bytes, n, cut, &verdict));
                cr_assert_eq(verdict, PARSE_PARTIAL);
            }
}
