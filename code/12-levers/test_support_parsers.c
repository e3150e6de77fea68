#include "12-levers/test_support_parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { EDGE = 65536 }; /* a multiple of every page's size */

static char why[200];

/* HEADS_MOST bytes between two edges. */
static char *room(void) {
    static char *all;
    if (!all) {
        all =
            mmap(NULL, HEADS_MOST + 2 * EDGE, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
        if (all == MAP_FAILED ||
            mprotect(all + EDGE, HEADS_MOST, PROT_READ | PROT_WRITE) != 0)
            abort();
    }
    return all + EDGE;
}

static bool same_text(struct text one, struct text other) {
    return one.length == other.length && one.at == other.at;
}

const char *requests_differ(const struct request *one, const struct request *other) {
    if (!same_text(one->method, other->method))
        return "the method differs";
    if (!same_text(one->target, other->target))
        return "the target differs";
    if (one->major != other->major || one->minor != other->minor)
        return "the version differs";
    if (one->field_count != other->field_count)
        return "one has more fields";
    for (int i = 0; i < one->field_count; i++)
        if (!same_text(one->fields[i].name, other->fields[i].name) ||
            !same_text(one->fields[i].value, other->fields[i].value))
            return "a field differs";
    return NULL;
}

/* One call of each. Sets `*verdict` to the plain parser's; true if the other agrees. */
static bool agree(parse_function *parse, const char *bytes, size_t length, size_t seen,
                  bool at_end, int *verdict) {
    static struct request one, other;
    char *at = room() + (at_end ? HEADS_MOST - length : 0);
    memcpy(at, bytes, length);
    memset(&one, 0xa5, sizeof one);
    memset(&other, 0x5a, sizeof other); /* what isn't filled in differs */
    *verdict = parse_plain(at, length, seen, &one);
    int said = parse(at, length, seen, &other);
    const char *what = NULL;
    if (said != *verdict)
        what = "another verdict";
    else if (said > 0)
        what = requests_differ(&one, &other);
    if (what)
        snprintf(why, sizeof why,
                 "%s: of %zu bytes, %zu of them seen, it says %d and %d", what, length,
                 seen, *verdict, said);
    return !what;
}

const char *parsers_differ(parse_function *parse, const char *bytes, size_t length,
                           size_t cut, int *verdict) {
    bool at_end = cut % 2 == 0;
    int in_pieces;
    if (length > HEADS_MOST || cut > length)
        abort();
    if (!agree(parse, bytes, length, 0, at_end, verdict) ||
        !agree(parse, bytes, cut, 0, !at_end, &in_pieces))
        return why;
    if (in_pieces == PARSE_PARTIAL &&
        !agree(parse, bytes, length, cut, at_end, &in_pieces))
        return why;
    if (in_pieces == *verdict)
        return NULL;
    snprintf(why, sizeof why, "of %zu bytes it says %d, cut at %zu it says %d", length,
             *verdict, cut, in_pieces);
    return why;
}

/* --- mutants ---------------------------------------------------------------------- */

/* G. Marsaglia, "Xorshift RNGs", 2003. */
size_t number_below(uint64_t *random, size_t below) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (size_t)(*random >> 11) % below;
}

/* Removes `removed` bytes and puts others there, if there is room. */
static void splice(struct mutant *mutant, size_t at, size_t removed, const char *bytes,
                   size_t length) {
    if (at > mutant->length)
        at = mutant->length;
    if (removed > mutant->length - at)
        removed = mutant->length - at;
    if (length > HEADS_MOST - (mutant->length - removed))
        return;
    memmove(mutant->bytes + at + length, mutant->bytes + at + removed,
            mutant->length - at - removed);
    memcpy(mutant->bytes + at, bytes, length);
    mutant->length += length - removed;
}

/* Any place, or one near a byte that means something. */
static size_t place_in(uint64_t *random, const struct mutant *mutant) {
    size_t at = number_below(random, mutant->length + 1);
    if (number_below(random, 2) == 0)
        return at;
    while (at < mutant->length && !memchr(" :\r\n\t", mutant->bytes[at], 5))
        at++;
    return at + number_below(random, 3) - (at > 0);
}

static char odd_byte(uint64_t *random) {
    static const char odd[] = " \t\r\n:#/?\0\x1f\x7f\x80\xff!\"(),;=@[\\]{}az09.";
    if (number_below(random, 4) == 0)
        return (char)number_below(random, 256);
    return odd[number_below(random, sizeof odd - 1)];
}

static void insert_run(uint64_t *random, struct mutant *mutant, size_t at) {
    char run[70];
    size_t length = 1 + number_below(random, sizeof run);
    memset(run, odd_byte(random), length);
    splice(mutant, at, 0, run, length);
}

static void insert_line_end(uint64_t *random, struct mutant *mutant, size_t at) {
    static const char *const ends[] = {"\r\n",  "\n",       "\r",     "\r\r\n",
                                       "\n\r",  "\r\n\r\n", "\r\n ",  "\n\n",
                                       " \r\n", "\t\r\n",   "\r\n\t", "\r\nA: b\r\n"};
    const char *end = ends[number_below(random, sizeof ends / sizeof ends[0])];
    bool instead = number_below(random, 2) == 0;
    splice(mutant, at, instead ? 2 : 0, end, strlen(end));
}

/* Repeats the line around a place: once, or so often that there are too many fields. */
static void repeat_line(uint64_t *random, struct mutant *mutant, size_t at) {
    char line[256];
    size_t begin = at < mutant->length ? at : mutant->length, end = begin;
    while (begin > 0 && mutant->bytes[begin - 1] != '\n')
        begin--;
    while (end < mutant->length && mutant->bytes[end] != '\n')
        end++;
    end += end < mutant->length;
    size_t length = end - begin < sizeof line ? end - begin : sizeof line;
    memcpy(line, mutant->bytes + begin, length);
    size_t times = number_below(random, 8) == 0 ? 90 + number_below(random, 20) : 1;
    while (times-- > 0)
        splice(mutant, begin, 0, line, length);
}

static void insert_piece(uint64_t *random, struct mutant *mutant, size_t at,
                         struct text seed) {
    size_t from = number_below(random, seed.length);
    size_t length = 1 + number_below(random, 60);
    if (length > seed.length - from)
        length = seed.length - from;
    splice(mutant, at, 0, seed.at + from, length);
}

static void change(uint64_t *random, struct mutant *mutant, struct text other) {
    size_t at = place_in(random, mutant);
    char byte = odd_byte(random);
    switch (number_below(random, 9)) {
    case 0:
        splice(mutant, at, 1, &byte, 1);
        break;
    case 1:
        splice(mutant, at, 0, &byte, 1);
        break;
    case 2:
        splice(mutant, at, 1 + number_below(random, 4), "", 0);
        break;
    case 3:
        insert_piece(random, mutant, at, other);
        break;
    case 4:
        repeat_line(random, mutant, at);
        break;
    case 5:
        if (number_below(random, 3) == 0)
            splice(mutant, at, mutant->length, "", 0); /* cut off */
        break;
    case 6:
        if (at < mutant->length)
            mutant->bytes[at] =
                (char)(mutant->bytes[at] ^ 1 << number_below(random, 8));
        break;
    case 7:
        insert_line_end(random, mutant, at);
        break;
    default:
        insert_run(random, mutant, at);
        break;
    }
}

static struct text any_seed(uint64_t *random, const struct text *seeds, size_t count) {
    for (;;) {
        struct text seed = seeds[number_below(random, count)];
        if (seed.length < 2000 || number_below(random, 32) == 0)
            return seed;
    }
}

void make_mutant(uint64_t *random, const struct text *seeds, size_t count,
                 struct mutant *mutant) {
    struct text seed = any_seed(random, seeds, count);
    mutant->length = 0;
    splice(mutant, 0, 0, seed.at, seed.length);
    for (size_t changes = number_below(random, 4); changes > 0; changes--)
        change(random, mutant, any_seed(random, seeds, count));
    mutant->cut = number_below(random, mutant->length + 1);
}
