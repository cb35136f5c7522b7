/* ALP: encode floating-point values as integers and powers of ten. All pairs of powers are tried on
 * samples of some vectors; the pairs that are best for most of these are tried on each vector. */
#include <math.h>

#include "encoding/alp_powers.h"
#include "encoding/encode.h"

enum {
    HEADER = 7,
    SAMPLED_VECTORS = 8,
    SAMPLED_VALUES = 256,
    CANDIDATES = 5,
    PIECE = 1024, /* values that are rounded together */
    OFFSET = 4,   /* bytes */
    POSITION = 2,
    MOST_WIDTH = 63
};
#define NO_INTEGER UINT64_MAX /* marks an exception: 64 bits, wider than any difference */

/* The input. */
typedef struct alp_values {
    const uint8_t *data;
    size_t count, vector; /* total number, and values per full vector */
    uint32_t width;       /* bytes of a value */
    pqx_alp_round_function round;
} alp_values;

/* One vector. */
typedef struct alp_vector {
    const uint8_t *data;
    size_t count, exceptions;
    pqx_alp_pair pair;
    int64_t least;  /* integer: the frame of reference */
    uint32_t width; /* bits of a difference */
} alp_vector;

/* A value takes at most its bytes and its position: a vector of exceptions alone would not exceed
 * this, and the chosen width is the one with the fewest bits. */
uint64_t pqx_alp_bound(uint64_t count, uint32_t width, uint32_t vector_bits)
{
    uint64_t size = (uint64_t)1 << vector_bits, vectors = (count + size - 1) >> vector_bits;
    return HEADER + vectors * (OFFSET + 5 + width) + count * (POSITION + width);
}

/* ---- fitting ---- */

static uint32_t bits_of(uint64_t value)
{ return value ? 64 - (uint32_t)__builtin_clzll(value) : 0; }

static uint32_t width_of(const pqx_alp_fit *fit)
{
    if (fit->least > fit->most) return 0;
    return bits_of((uint64_t)(int64_t)fit->most - (uint64_t)(int64_t)fit->least);
}

/* Take one value from each stretch of equal length, at a position without a period. */
static size_t take_sample(const alp_values *all, const alp_vector *vector, uint8_t *sample)
{
    const size_t some = vector->count < SAMPLED_VALUES ? vector->count : SAMPLED_VALUES;
    const size_t stretch = vector->count / some;
    for (size_t i = 0; i < some; i++) {
        size_t place = i * vector->count / some + (i * 40503 >> 8) % stretch;
        memcpy(sample + i * all->width, vector->data + place * all->width, all->width);
    }
    return some;
}

static uint64_t bits_by(const alp_values *all, const uint8_t *sample, size_t count,
                        pqx_alp_pair pair)
{
    pqx_alp_fit fit;
    all->round(sample, count, pair, NULL, &fit);
    return count * width_of(&fit) + (uint64_t)fit.exceptions * 8 * (POSITION + all->width);
}

/* Return the pair with the fewest bits for a sample of the vector; the first one if several are
 * equal. */
static pqx_alp_pair choose(const alp_values *all, const alp_vector *vector,
                           const pqx_alp_pair *pairs, size_t count)
{
    uint8_t sample[SAMPLED_VALUES * 8];
    if (count == 1) return pairs[0];
    size_t some = take_sample(all, vector, sample), best = 0;
    uint64_t fewest = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = bits_by(all, sample, some, pairs[i]);
        if (bits < fewest) fewest = bits, best = i;
    }
    return pairs[best];
}

static alp_vector vector_at(const alp_values *all, size_t number)
{
    size_t start = number * all->vector, left = all->count - start;
    return (alp_vector){.data = all->data + start * all->width,
                        .count = left < all->vector ? left : all->vector};
}

/* List all pairs, the highest powers first. */
static size_t list_pairs(uint8_t most, pqx_alp_pair *pairs)
{
    size_t count = 0;
    for (uint8_t e = most + 1; e--;)
        for (uint8_t f = e + 1; f--;) pairs[count++] = (pqx_alp_pair){e, f};
    return count;
}

/* Count a win. Pairs with more wins come first; among equal ones, those with higher powers. */
static size_t count_win(pqx_alp_pair pair, pqx_alp_pair *pairs, uint32_t *wins, size_t count)
{
    size_t i = 0;
    while (i < count && (pairs[i].exponent != pair.exponent || pairs[i].factor != pair.factor)) i++;
    uint32_t won = i < count ? wins[i] + 1 : 1;
    count += i == count;
    for (; i; i--) {
        uint32_t before = (uint32_t)pairs[i - 1].exponent << 8 | pairs[i - 1].factor;
        uint32_t own = (uint32_t)pair.exponent << 8 | pair.factor;
        if (wins[i - 1] > won || (wins[i - 1] == won && before > own)) break;
        pairs[i] = pairs[i - 1];
        wins[i] = wins[i - 1];
    }
    pairs[i] = pair;
    wins[i] = won;
    return count;
}

/* Find the pairs that are best for most of the sampled vectors, at most CANDIDATES. */
static size_t find_candidates(const alp_values *all, size_t vectors, pqx_alp_pair *candidates)
{
    enum { ALL = (PQX_ALP_MOST_DOUBLE + 1) * (PQX_ALP_MOST_DOUBLE + 2) / 2 };
    pqx_alp_pair pairs[ALL], best[SAMPLED_VECTORS];
    uint32_t wins[SAMPLED_VECTORS];
    size_t some = vectors < SAMPLED_VECTORS ? vectors : SAMPLED_VECTORS, found = 0;
    size_t count = list_pairs(all->width == 8 ? PQX_ALP_MOST_DOUBLE : PQX_ALP_MOST_FLOAT, pairs);
    for (size_t i = 0; i < some; i++) {
        alp_vector vector = vector_at(all, i * vectors / some);
        found = count_win(choose(all, &vector, pairs, count), best, wins, found);
    }
    if (found > CANDIDATES) found = CANDIDATES;
    memcpy(candidates, best, found * sizeof *best);
    return found;
}

/* ---- writing ---- */

/* The working memory of a vector: a piece's integers as values of the type, and their differences
 * from the vector's smallest one, NO_INTEGER for exceptions. */
typedef struct alp_work {
    uint8_t rounded[PIECE * 8 + 64];
    uint64_t deltas[PIECE];
} alp_work;

/* Round the values from number `from` on. Return their number, at most PIECE. */
static size_t round_piece(const alp_values *all, const alp_vector *vector, size_t from,
                          alp_work *work, pqx_alp_fit *fit)
{
    size_t left = vector->count - from, some = left < PIECE ? left : PIECE;
    all->round(vector->data + from * all->width, some, vector->pair, work->rounded, fit);
    return some;
}

static void find_least(const alp_values *all, alp_vector *vector, alp_work *work)
{
    pqx_alp_fit fit;
    double least = INFINITY;
    for (size_t from = 0, some; from < vector->count; from += some) {
        some = round_piece(all, vector, from, work, &fit);
        if (fit.least < least) least = fit.least;
    }
    vector->least = least < INFINITY ? (int64_t)least : 0;
}

static uint64_t delta_of(double value, int64_t least)
{ return value == value ? (uint64_t)(int64_t)value - (uint64_t)least : NO_INTEGER; }

/* Compute the differences from value `from` on. The integers of a single-piece vector are still in
 * memory. */
static size_t take_deltas(const alp_values *all, const alp_vector *vector, size_t from,
                          alp_work *work)
{
    pqx_alp_fit fit;
    size_t some = vector->count;
    if (some > PIECE) some = round_piece(all, vector, from, work, &fit);
    for (size_t i = 0; all->width == 4 && i < some; i++) {
        float value;
        memcpy(&value, work->rounded + 4 * i, 4);
        work->deltas[i] = delta_of(value, vector->least);
    }
    for (size_t i = 0; all->width == 8 && i < some; i++) {
        double value;
        memcpy(&value, work->rounded + 8 * i, 8);
        work->deltas[i] = delta_of(value, vector->least);
    }
    return some;
}

/* Compute the differences again; those of a single-piece vector are still in memory. */
static size_t take_again(const alp_values *all, const alp_vector *vector, size_t from,
                         alp_work *work)
{ return vector->count <= PIECE ? vector->count : take_deltas(all, vector, from, work); }

/* Choose the width with the fewest bits for the vector: wider values become exceptions, too. */
static void choose_width(const alp_values *all, alp_vector *vector, alp_work *work)
{
    size_t counts[MOST_WIDTH + 2] = {0}, wider;
    uint64_t exception = 8 * (POSITION + all->width), fewest = UINT64_MAX;
    for (size_t from = 0, some; from < vector->count; from += some) {
        some = take_deltas(all, vector, from, work);
        for (size_t i = 0; i < some; i++) counts[bits_of(work->deltas[i])]++;
    }
    wider = counts[MOST_WIDTH + 1];
    for (uint32_t width = MOST_WIDTH + 1; width--; wider += counts[width]) {
        uint64_t bits = vector->count * width + wider * exception;
        if (bits < fewest) {
            fewest = bits;
            vector->width = width;
            vector->exceptions = wider;
        }
    }
}

static uint8_t *put_numbers(const alp_values *all, const alp_vector *vector, uint8_t *out)
{
    out[0] = vector->pair.exponent;
    out[1] = vector->pair.factor;
    pqx_store16(out + 2, (uint16_t)vector->exceptions);
    if (all->width == 8) pqx_store64(out + 4, (uint64_t)vector->least);
    else pqx_store32(out + 4, (uint32_t)vector->least);
    out[4 + all->width] = (uint8_t)vector->width;
    return out + 5 + all->width;
}

static int is_exception(const alp_vector *vector, uint64_t delta)
{ return bits_of(delta) > vector->width; }

/* Exceptions are packed as the first integer that is not an exception. */
static void put_differences(const alp_values *all, const alp_vector *vector, alp_work *work,
                            uint8_t *out)
{
    uint64_t packed[PIECE + 7], first = NO_INTEGER;
    for (size_t from = 0, some; first == NO_INTEGER && from < vector->count; from += some) {
        some = take_again(all, vector, from, work);
        for (size_t i = 0; first == NO_INTEGER && i < some; i++)
            if (!is_exception(vector, work->deltas[i])) first = work->deltas[i];
    }
    for (size_t from = 0, some; from < vector->count; from += some) {
        some = take_again(all, vector, from, work);
        for (size_t i = 0; i < some; i++)
            packed[i] = is_exception(vector, work->deltas[i]) ? first : work->deltas[i];
        size_t groups = (some + 7) / 8;
        memset(packed + some, 0, (groups * 8 - some) * sizeof *packed);
        out = pqx_pack64(packed, groups, vector->width, out);
    }
}

static void put_exceptions(const alp_values *all, const alp_vector *vector, alp_work *work,
                           uint8_t *out)
{
    uint8_t *stored = out + vector->exceptions * POSITION;
    for (size_t from = 0, some; from < vector->count; from += some) {
        some = take_again(all, vector, from, work);
        for (size_t i = 0; i < some; i++) {
            if (!is_exception(vector, work->deltas[i])) continue;
            pqx_store16(out, (uint16_t)(from + i));
            memcpy(stored, vector->data + (from + i) * all->width, all->width);
            out += POSITION, stored += all->width;
        }
    }
}

static uint8_t *put_vector(const alp_values *all, alp_vector *vector, uint8_t *out)
{
    alp_work work;
    find_least(all, vector, &work);
    choose_width(all, vector, &work);
    out = put_numbers(all, vector, out);
    if (vector->width) put_differences(all, vector, &work, out);
    out += (vector->count * vector->width + 7) / 8;
    if (vector->exceptions) put_exceptions(all, vector, &work, out);
    return out + vector->exceptions * (POSITION + all->width);
}

uint8_t *pqx_encode_alp_values(const uint8_t *values, size_t count, uint32_t width,
                               uint32_t vector_bits, uint8_t *out)
{
    const pqx_encode_choice *best = pqx_encode_best();
    alp_values all = {values, count, (size_t)1 << vector_bits, width,
                      width == 8 ? best->alp_round64 : best->alp_round32};
    pqx_alp_pair candidates[CANDIDATES];
    size_t vectors = (count + all.vector - 1) >> vector_bits;
    size_t found = find_candidates(&all, vectors, candidates);
    out[0] = out[1] = 0;
    out[2] = (uint8_t)vector_bits;
    pqx_store32(out + 3, (uint32_t)count);
    uint8_t *offsets = out + HEADER, *at = offsets + vectors * OFFSET;
    for (size_t i = 0; i < vectors; i++) {
        alp_vector vector = vector_at(&all, i);
        vector.pair = choose(&all, &vector, candidates, found);
        pqx_store32(offsets + i * OFFSET, (uint32_t)(at - offsets));
        at = put_vector(&all, &vector, at);
    }
    return at;
}
