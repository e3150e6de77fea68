/* ANCHOR: top */
/* Steps over the bytes that a head has in masses: a target's and a field value's. */
#ifndef LEVERS_SKIP_H
#define LEVERS_SKIP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "03-request/characters.h"

/* Returns the first byte from `at` on that may not stand there, or `end`. Reads nothing
 * at or behind `end`. */
typedef const char *skip_function(const char *at, const char *end);
/* ANCHOR_END: top */

/* ANCHOR: bytes */
static inline bool in_target(char c) {
    return c > ' ' && c < 0x7f && c != '#';
}

static inline const char *skip_target_by_byte(const char *at, const char *end) {
    while (at < end && in_target(*at))
        at++;
    return at;
}

static inline const char *skip_value_by_byte(const char *at, const char *end) {
    while (at < end && !is_control(*at))
        at++;
    return at;
}
/* ANCHOR_END: bytes */

/* ANCHOR: words */
/* Eight bytes in one number, each bit of `EACH` the lowest of its byte. */
#define EACH UINT64_C(0x0101010101010101)

static inline uint64_t word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Is a byte of the word less than n, which is at most 128? */
static inline bool any_less(uint64_t word, uint64_t n) {
    return ((word - EACH * n) & ~word & EACH * 0x80) != 0;
}

static inline bool any_is(uint64_t word, uint64_t byte) {
    return any_less(word ^ EACH * byte, 1);
}

static inline const char *skip_target_by_word(const char *at, const char *end) {
    for (; end - at >= 8; at += 8) {
        uint64_t word = word_at(at);
        if (word & EACH * 0x80 || any_less(word, ' ' + 1) || any_is(word, 0x7f) ||
            any_is(word, '#'))
            break;
    }
    return skip_target_by_byte(at, end);
}

/* A tab may stand in a value. It is rare enough to go byte by byte after one. */
static inline const char *skip_value_by_word(const char *at, const char *end) {
    for (; end - at >= 8; at += 8) {
        uint64_t word = word_at(at);
        if (any_less(word, ' ') || any_is(word, 0x7f))
            break;
    }
    return skip_value_by_byte(at, end);
}
/* ANCHOR_END: words */

/* ANCHOR: sse2 */
#ifdef __SSE2__
#include <emmintrin.h>

static inline __m128i sixteen_at(const char *at) {
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

/* Compares as signed bytes, so that those from 0x80 on are less than a space. */
static inline const char *skip_target_by_sse2(const char *at, const char *end) {
    for (; end - at >= 16; at += 16) {
        __m128i bytes = sixteen_at(at);
        __m128i bad = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ' + 1)),
                                   _mm_or_si128(
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)),
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8('#'))));
        int mask = _mm_movemask_epi8(bad);
        if (mask)
            return at + __builtin_ctz((unsigned)mask);
    }
    return skip_target_by_word(at, end);
}

/* The lesser of a byte and 0x1f is that byte: a control character. */
static inline const char *skip_value_by_sse2(const char *at, const char *end) {
    for (; end - at >= 16; at += 16) {
        __m128i bytes = sixteen_at(at), last = _mm_set1_epi8(' ' - 1);
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last), bytes);
        __m128i tab = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'));
        __m128i bad = _mm_or_si128(_mm_andnot_si128(tab, low),
                                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)));
        int mask = _mm_movemask_epi8(bad);
        if (mask)
            return at + __builtin_ctz((unsigned)mask);
    }
    return skip_value_by_word(at, end);
}
#endif
/* ANCHOR_END: sse2 */

/* ANCHOR: choose */
#ifdef __SSE2__
#define skip_target skip_target_by_sse2
#define skip_value  skip_value_by_sse2
#else
#define skip_target skip_target_by_word
#define skip_value  skip_value_by_word
#endif

#endif
/* ANCHOR_END: choose */
