/* ANCHOR: top */
/* The two parsers, http-parser, and what was tried beside them. Each of these differs
 * from the fast parser in one thing. */
#include <string.h>

#include "12-levers/bench.h"
#include "12-levers/parse_fast.h"
#include "12-levers/parse_once.h"
/* ANCHOR_END: top */

/* ANCHOR: demands */
/* http-parser also finds out where the body ends and whether the connection stays. Ours
 * does that in a second look, at the fields. */
static int parse_and_ask(const char *bytes, size_t length, size_t seen,
                         struct request *request) {
    int head = parse_fast(bytes, length, seen, request);
    return head > 0 && request_demands(request).refuse_with ? PARSE_BAD : head;
}
/* ANCHOR_END: demands */

/* ANCHOR: tried */
static const struct skips by_byte = {skip_token, skip_target_by_byte,
                                     skip_value_by_byte};

static int parse_by_byte(const char *bytes, size_t length, size_t seen,
                         struct request *request) {
    return parse_with(bytes, length, seen, request, &by_byte);
}

/* The C library looks for the line's end. What is before it has still to be looked
 * at. */
static const char *skip_value_by_memchr(const char *at, const char *end) {
    const char *found = memchr(at, '\r', (size_t)(end - at));
    return by_best.value(at, found ? found : end);
}

static int parse_by_memchr(const char *bytes, size_t length, size_t seen,
                           struct request *request) {
    static const struct skips by_memchr = {skip_token, skip_target_by_byte,
                                           skip_value_by_memchr};
    return parse_with(bytes, length, seen, request, &by_memchr);
}

/* First the end, as the plain parser does, and then the walk. */
static int parse_twice(const char *bytes, size_t length, size_t seen,
                       struct request *request) {
    int result = find_end(bytes, length, seen, &by_best);
    if (result >= 0)
        result = walk(bytes, length, request, &by_best);
    return result == ODD ? parse_plain(bytes, length, seen, request) : result;
}
/* ANCHOR_END: tried */

/* ANCHOR: names */
#if defined(__SSE2__) && defined(__x86_64__)
#include <immintrin.h>

#define WITH(feature) __attribute__((target(feature)))

/* A name by sixteen bytes, for which SSSE3 is needed: its shuffle looks up sixteen
 * nibbles at once. `tails[n]` has a bit for each upper nibble with which n makes a
 * token. */
static unsigned char tails[16];

static void make_tails(void) {
    for (int c = 0; c < 0x80; c++)
        if (is_token((char)c))
            tails[c & 15] |= (unsigned char)(1 << (c >> 4));
}

WITH("ssse3") static const char *skip_token_by_ssse3(const char *at, const char *end) {
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i heads =
        _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, (char)128, 0, 0, 0, 0, 0, 0, 0, 0);
    for (; end - at >= 16; at += 16) {
        __m128i block = block_at(at);
        __m128i upper = _mm_and_si128(_mm_srli_epi16(block, 4), nibble);
        __m128i with = _mm_shuffle_epi8(block_at((const char *)tails),
                                        _mm_and_si128(block, nibble));
        __m128i both = _mm_and_si128(with, _mm_shuffle_epi8(heads, upper));
        int stops = _mm_movemask_epi8(_mm_cmpeq_epi8(both, _mm_setzero_si128()));
        if (stops)
            return at + __builtin_ctz((unsigned)stops);
    }
    return skip_token(at, end);
}

WITH("ssse3")
static int parse_names(const char *bytes, size_t length, size_t seen,
                       struct request *request) {
    static const struct skips over = {skip_token_by_ssse3, skip_target_by_sse2,
                                      skip_value_by_sse2};
    return parse_with(bytes, length, seen, request, &over);
}
/* ANCHOR_END: names */

/* ANCHOR: ranges */
/* One instruction of SSE4.2 compares sixteen bytes with up to eight ranges. */
WITH("sse4.2")
static const char *skip_ranges(const char *at, const char *end, const char *ranges,
                               int length) {
    const __m128i all = block_at(ranges);
    for (; end - at >= 16; at += 16) {
        int stop =
            _mm_cmpestri(all, length, block_at(at), 16,
                         _SIDD_UBYTE_OPS | _SIDD_CMP_RANGES | _SIDD_LEAST_SIGNIFICANT);
        if (stop < 16)
            return at + stop;
    }
    return at;
}

WITH("sse4.2")
static const char *skip_target_by_range(const char *at, const char *end) {
    at = skip_ranges(at, end, "\0 ##\x7f\xff\0\0\0\0\0\0\0\0\0", 6);
    return skip_target_by_word(at, end);
}

WITH("sse4.2") static const char *skip_value_by_range(const char *at, const char *end) {
    at = skip_ranges(at, end, "\0\x08\n\x1f\x7f\x7f\0\0\0\0\0\0\0\0\0", 6);
    return skip_value_by_word(at, end);
}

WITH("sse4.2")
static int parse_by_range(const char *bytes, size_t length, size_t seen,
                          struct request *request) {
    static const struct skips over = {skip_token, skip_target_by_range,
                                      skip_value_by_range};
    return parse_with(bytes, length, seen, request, &over);
}
/* ANCHOR_END: ranges */

/* ANCHOR: avx2 */
/* Thirty-two bytes at once. */
WITH("avx2") static const char *skip_value_by_avx2(const char *at, const char *end) {
    for (; end - at >= 32; at += 32) {
        __m256i block = _mm256_loadu_si256((const __m256i *)(const void *)at);
        __m256i low =
            _mm256_cmpeq_epi8(_mm256_min_epu8(block, _mm256_set1_epi8(' ' - 1)), block);
        __m256i tab = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('\t'));
        __m256i last = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(0x7f));
        unsigned stops = (unsigned)_mm256_movemask_epi8(
            _mm256_or_si256(_mm256_andnot_si256(tab, low), last));
        if (stops)
            return at + __builtin_ctz(stops);
    }
    return skip_value_by_sse2(at, end);
}

WITH("avx2")
static int parse_by_avx2(const char *bytes, size_t length, size_t seen,
                         struct request *request) {
    static const struct skips over = {skip_token, skip_target_by_sse2,
                                      skip_value_by_avx2};
    return parse_with(bytes, length, seen, request, &over);
}

static parse_function *if_has(bool has, parse_function *parse) {
    return has ? parse : NULL;
}

#define IF_HAS(feature, parse) if_has(__builtin_cpu_supports(feature), parse)
#else
#define IF_HAS(feature, parse) NULL
static void make_tails(void) {
}
#endif
/* ANCHOR_END: avx2 */

/* ANCHOR: ways */
void bench_ways(struct bench_way ways[BENCH_WAYS]) {
    static const char no_cpu[] =
        "this processor, or the one compiled for, doesn't have it";
    make_tails();
    const struct bench_way all[BENCH_WAYS] = {
        {"plain", "line by line", parse_plain, NULL, true, false},
        {"fast", "one walk", parse_fast, NULL, true, false},
        {"portable", "one walk, eight bytes in a number", parse_portable, NULL, true,
         false},
        {"http-parser", "the library of Node.js", bench_library(),
         "http_parser.h wasn't there when this was built (Debian: libhttp-parser-dev)",
         false, false},
        {"demands", "fast, and what the fields ask for", parse_and_ask, NULL, false,
         false},
        {"byte", "one walk, byte by byte", parse_by_byte, NULL, true, true},
        {"memchr", "fast, line ends by memchr", parse_by_memchr, NULL, true, true},
        {"twice", "fast, but the end is found first", parse_twice, NULL, true, true},
        {"names", "fast, names by sixteen bytes (SSSE3)", IF_HAS("ssse3", parse_names),
         no_cpu, true, true},
        {"ranges", "fast, by SSE4.2's comparison of ranges",
         IF_HAS("sse4.2", parse_by_range), no_cpu, true, true},
        {"avx2", "fast, values by thirty-two bytes (AVX2)",
         IF_HAS("avx2", parse_by_avx2), no_cpu, true, true},
    };
    memcpy(ways, all, sizeof all);
}
/* ANCHOR_END: ways */
