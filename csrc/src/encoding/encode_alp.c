/* ALP: floating-point values as integers and powers of ten. All pairs of powers are tried on
 * samples of some vectors; those that serve most of these best are tried on each vector. */
#include <math.h>

#include "encoding/alp_powers.h"
#include "encoding/encode.h"

enum {
    HEADER = 7,
    SAMPLED_VECTORS = 8,
    SAMPLED_VALUES = 256,
    CANDIDATES = 5,
    PIECE = 1024, /* values that are rounded at once */
    OFFSET = 4,
    POSITION = 2 /* bytes */
};

/* What is encoded. */
typedef struct alp_values {
    const uint8_t *data;
    size_t count, vector; /* of all, and of a full vector */
    uint32_t width;       /* bytes of a value */
    pqx_alp_round_function round;
} alp_values;

/* One vector of them. */
typedef struct alp_vector {
    const uint8_t *data;
    size_t count;
    pqx_alp_pair pair;
    pqx_alp_fit fit;
    int64_t least, first; /* integers: the frame of reference, and what exceptions are packed as */
    uint32_t width;       /* bits of a difference */
} alp_vector;

/* A vector may be taken for exceptions alone, so no value takes more than its own bytes and its
 * position. */
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

static size_t take_sample(const alp_values *all, const alp_vector *vector, uint8_t *sample)
{
    size_t some = vector->count < SAMPLED_VALUES ? vector->count : SAMPLED_VALUES;
    for (size_t i = 0; i < some; i++)
        memcpy(sample + i * all->width, vector->data + i * vector->count / some * all->width,
               all->width);
    return some;
}

static uint64_t bits_by(const alp_values *all, const uint8_t *sample, size_t count,
                        pqx_alp_pair pair)
{
    pqx_alp_fit fit;
    all->round(sample, count, pair, NULL, &fit);
    return count * width_of(&fit) + (uint64_t)fit.exceptions * 8 * (POSITION + all->width);
}

/* The pair that a sample of the vector takes the fewest bits by, the first one of equal ones. */
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

/* All pairs, the highest powers first. */
static size_t list_pairs(uint8_t most, pqx_alp_pair *pairs)
{
    size_t count = 0;
    for (uint8_t e = most + 1; e--;)
        for (uint8_t f = e + 1; f--;) pairs[count++] = (pqx_alp_pair){e, f};
    return count;
}

/* Count a win; pairs with more wins stand first, equal ones with the higher powers first. */
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

/* The pairs that serve most of the sampled vectors best, at most CANDIDATES. */
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

/* Round the values from number `from` on, a piece of them; NaN where one is an exception. */
static size_t round_piece(const alp_values *all, const alp_vector *vector, size_t from,
                          uint8_t *rounded, pqx_alp_fit *fit)
{
    size_t left = vector->count - from, some = left < PIECE ? left : PIECE;
    all->round(vector->data + from * all->width, some, vector->pair, rounded, fit);
    return some;
}

static double rounded_at(const uint8_t *rounded, size_t i, uint32_t width)
{
    float narrow;
    double wide;
    if (width == 8) {
        memcpy(&wide, rounded + 8 * i, 8);
        return wide;
    }
    memcpy(&narrow, rounded + 4 * i, 4);
    return narrow;
}

/* The vector's least and highest integer, its exceptions, and the first integer. */
static void fit_vector(const alp_values *all, alp_vector *vector, uint8_t *rounded)
{
    pqx_alp_fit fit = {INFINITY, -INFINITY, 0}, part;
    int is_first = 1;
    for (size_t from = 0, some; from < vector->count; from += some) {
        some = round_piece(all, vector, from, rounded, &part);
        if (part.least < fit.least) fit.least = part.least;
        if (part.most > fit.most) fit.most = part.most;
        fit.exceptions += part.exceptions;
        for (size_t i = 0; is_first && part.exceptions < some && i < some; i++) {
            double value = rounded_at(rounded, i, all->width);
            if (value != value) continue;
            vector->first = (int64_t)value;
            is_first = 0;
        }
    }
    vector->fit = fit;
    vector->width = width_of(&fit);
    if (fit.least <= fit.most) vector->least = (int64_t)fit.least;
}

/* Take all values for exceptions where these are fewer bytes. */
static void give_up_where_larger(const alp_values *all, alp_vector *vector)
{
    size_t exception = POSITION + all->width, packed = (vector->count * vector->width + 7) / 8;
    if (packed + vector->fit.exceptions * exception <= vector->count * exception) return;
    vector->fit = (pqx_alp_fit){INFINITY, -INFINITY, vector->count};
    vector->least = vector->first = 0;
    vector->width = 0;
}

/* The same again; a vector of one piece is still there. */
static size_t round_again(const alp_values *all, const alp_vector *vector, size_t from,
                          uint8_t *rounded)
{
    pqx_alp_fit fit;
    if (vector->count <= PIECE) return vector->count;
    return round_piece(all, vector, from, rounded, &fit);
}

static uint8_t *put_numbers(const alp_values *all, const alp_vector *vector, uint8_t *out)
{
    out[0] = vector->pair.exponent;
    out[1] = vector->pair.factor;
    pqx_store16(out + 2, (uint16_t)vector->fit.exceptions);
    if (all->width == 8) pqx_store64(out + 4, (uint64_t)vector->least);
    else pqx_store32(out + 4, (uint32_t)vector->least);
    out[4 + all->width] = (uint8_t)vector->width;
    return out + 5 + all->width;
}

static void put_differences(const alp_values *all, const alp_vector *vector, uint8_t *rounded,
                            uint8_t *out)
{
    uint64_t deltas[PIECE + 7];
    for (size_t from = 0, some; from < vector->count; from += some) {
        some = round_again(all, vector, from, rounded);
        for (size_t i = 0; i < some; i++) {
            double value = rounded_at(rounded, i, all->width);
            int64_t integer = value == value ? (int64_t)value : vector->first;
            deltas[i] = (uint64_t)integer - (uint64_t)vector->least;
        }
        size_t groups = (some + 7) / 8;
        memset(deltas + some, 0, (groups * 8 - some) * sizeof *deltas);
        out = pqx_pack64(deltas, groups, vector->width, out);
    }
}

static void put_exceptions(const alp_values *all, const alp_vector *vector, uint8_t *rounded,
                           uint8_t *out)
{
    uint8_t *stored = out + vector->fit.exceptions * POSITION;
    const int is_all = vector->fit.exceptions == vector->count;
    for (size_t from = 0, some; from < vector->count; from += some) {
        some = round_again(all, vector, from, rounded);
        for (size_t i = 0; i < some; i++) {
            double value = rounded_at(rounded, i, all->width);
            if (!is_all && value == value) continue;
            pqx_store16(out, (uint16_t)(from + i));
            memcpy(stored, vector->data + (from + i) * all->width, all->width);
            out += POSITION, stored += all->width;
        }
    }
}

static uint8_t *put_vector(const alp_values *all, alp_vector *vector, uint8_t *out)
{
    uint8_t rounded[(PIECE + 16) * 8];
    fit_vector(all, vector, rounded);
    give_up_where_larger(all, vector);
    out = put_numbers(all, vector, out);
    if (vector->width) put_differences(all, vector, rounded, out);
    out += (vector->count * vector->width + 7) / 8;
    if (vector->fit.exceptions) put_exceptions(all, vector, rounded, out);
    return out + vector->fit.exceptions * (POSITION + all->width);
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
