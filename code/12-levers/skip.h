/* ANCHOR: top */
/* Steps over the bytes of which a head is made: names, a target, the values of
 * fields. */
#ifndef LEVERS_SKIP_H
#define LEVERS_SKIP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "03-request/characters.h"

/* Returns the first byte from `at` on that may not stand there, or `end`. Reads nothing
 * from `end` on. */
typedef const char *skip_function(const char *at, const char *end);

/* What a walk over a head needs. */
struct skips {
    skip_function *token, *target, *value;
};
/* ANCHOR_END: top */

/* ANCHOR: token */
#define YES(c) [c] = true

/* is_token() as a table. */
static const bool token_table[256] = {
    YES('!'), YES('#'), YES('$'), YES('%'), YES('&'), YES('\''), YES('*'), YES('+'),
    YES('-'), YES('.'), YES('^'), YES('_'), YES('`'), YES('|'),  YES('~'), YES('0'),
    YES('1'), YES('2'), YES('3'), YES('4'), YES('5'), YES('6'),  YES('7'), YES('8'),
    YES('9'), YES('A'), YES('B'), YES('C'), YES('D'), YES('E'),  YES('F'), YES('G'),
    YES('H'), YES('I'), YES('J'), YES('K'), YES('L'), YES('M'),  YES('N'), YES('O'),
    YES('P'), YES('Q'), YES('R'), YES('S'), YES('T'), YES('U'),  YES('V'), YES('W'),
    YES('X'), YES('Y'), YES('Z'), YES('a'), YES('b'), YES('c'),  YES('d'), YES('e'),
    YES('f'), YES('g'), YES('h'), YES('i'), YES('j'), YES('k'),  YES('l'), YES('m'),
    YES('n'), YES('o'), YES('p'), YES('q'), YES('r'), YES('s'),  YES('t'), YES('u'),
    YES('v'), YES('w'), YES('x'), YES('y'), YES('z'),
};

#undef YES

static inline const char *skip_token(const char *at, const char *end) {
    while (at < end && token_table[(unsigned char)*at])
        at++;
    return at;
}
/* ANCHOR_END: token */

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

/* ANCHOR: word */
/* Eight bytes in one number. In EACH the lowest bit of every byte is set. */
#define EACH UINT64_C(0x0101010101010101)

static inline uint64_t word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Is a byte of the word less than `n`, which is at most 128? (S. E. Anderson, Bit
 * Twiddling Hacks, "Determine if a word has a byte less than n".) */
static inline bool any_less(uint64_t word, uint64_t n) {
    return ((word - EACH * n) & ~word & EACH * 0x80) != 0;
}

static inline bool any_is(uint64_t word, uint64_t byte) {
    return any_less(word ^ EACH * byte, 1);
}
/* ANCHOR_END: word */

/* ANCHOR: words */
static inline const char *skip_target_by_word(const char *at, const char *end) {
    for (; end - at >= 8; at += 8) {
        uint64_t word = word_at(at);
        if ((word & EACH * 0x80) || any_less(word, ' ' + 1) || any_is(word, 0x7f) ||
            any_is(word, '#'))
            break;
    }
    return skip_target_by_byte(at, end);
}

/* A tab may stand in a value, but is rare: after one it goes byte by byte. */
static inline const char *skip_value_by_word(const char *at, const char *end) {
    for (; end - at >= 8; at += 8) {
        uint64_t word = word_at(at);
        if (any_less(word, ' ') || any_is(word, 0x7f))
            break;
    }
    return skip_value_by_byte(at, end);
}
/* ANCHOR_END: words */

/* ANCHOR: block */
#ifdef __SSE2__
#include <emmintrin.h>

/* Sixteen bytes in one register, compared all at once. A comparison sets the bytes for
 * which it holds to 0xff, and movemask makes a bit of each. */
static inline __m128i block_at(const char *at) {
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline __m128i is_byte(__m128i block, char byte) {
    return _mm_cmpeq_epi8(block, _mm_set1_epi8(byte));
}
/* ANCHOR_END: block */

/* ANCHOR: block_target */
/* Compared as signed numbers, bytes from 0x80 on are less than a space, too. */
static inline const char *skip_target_by_sse2(const char *at, const char *end) {
    for (; end - at >= 16; at += 16) {
        __m128i block = block_at(at);
        __m128i low = _mm_cmplt_epi8(block, _mm_set1_epi8(' ' + 1));
        __m128i other = _mm_or_si128(is_byte(block, 0x7f), is_byte(block, '#'));
        int stops = _mm_movemask_epi8(_mm_or_si128(low, other));
        if (stops)
            return at + __builtin_ctz((unsigned)stops);
    }
    return skip_target_by_word(at, end);
}
/* ANCHOR_END: block_target */

/* ANCHOR: block_value */
/* A byte that is the lesser one of itself and 0x1f is a control character. */
static inline const char *skip_value_by_sse2(const char *at, const char *end) {
    for (; end - at >= 16; at += 16) {
        __m128i block = block_at(at);
        __m128i low =
            _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(' ' - 1)), block);
        __m128i control = _mm_andnot_si128(is_byte(block, '\t'), low);
        int stops = _mm_movemask_epi8(_mm_or_si128(control, is_byte(block, 0x7f)));
        if (stops)
            return at + __builtin_ctz((unsigned)stops);
    }
    return skip_value_by_word(at, end);
}
/* ANCHOR_END: block_value */

/* ANCHOR: choose */
#endif

static const struct skips by_word = {skip_token, skip_target_by_word,
                                     skip_value_by_word};

#ifdef __SSE2__
static const struct skips by_block = {skip_token, skip_target_by_sse2,
                                      skip_value_by_sse2};
#define by_best by_block
#else
#define by_best by_word
#endif

#endif
/* ANCHOR_END: choose */
