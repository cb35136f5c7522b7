/* Encode with PFOR: pack the range of each vector that costs the fewest bits; the other values are
 * exceptions. */
#include "encoding/encode.h"
#include "encoding/pfor.h"

enum { GROUPS = 8, POSITION = 2, MOST_BITS = 64, OUTSIDE = MOST_BITS + 1, APART = 4 };

/* Values as unsigned numbers in the same order. */
#define LOWEST ((uint64_t)1 << 63)

typedef struct vector {
    const uint8_t *values;
    size_t count;
    uint32_t width;
    uint64_t low, high; /* the range of the packed values */
} vector;

static inline uint64_t ordered(const vector *of, size_t i)
{
    const uint8_t *at = of->values + i * of->width;
    uint64_t value = of->width == 4 ? (uint64_t)(int32_t)pqx_load32(at) : pqx_load64(at);
    return value ^ LOWEST;
}

static inline int is_kept(const vector *of, uint64_t value)
{ return value >= of->low && value <= of->high; }

static inline uint32_t bits_of(uint64_t value)
{ return value ? 64 - (uint32_t)__builtin_clzll(value) : 0; }

/* Return the width with the least cost; among equal ones the widest, which has the fewest
 * exceptions. */
static uint32_t cheapest(const uint32_t *lengths, uint32_t widest, size_t count, size_t exceptions,
                         size_t cost_of_one)
{
    uint32_t best = widest;
    uint64_t least = (uint64_t)count * widest + exceptions * cost_of_one;
    for (uint32_t bits = widest; bits--;) {
        exceptions += lengths[bits + 1];
        uint64_t cost = (uint64_t)count * bits + exceptions * cost_of_one;
        if (cost < least) best = bits, least = cost;
    }
    return best;
}

/* Count the values of the range by the bits of their distance from one end. Return how many are
 * outside. Neighbours use separate counters, because each would otherwise wait for the previous
 * one. */
static size_t count_lengths(const vector *of, int is_from_low, uint32_t *lengths)
{
    uint32_t counts[APART][MOST_BITS + 2] = {{0}};
    for (size_t i = 0; i < of->count; i++) {
        uint64_t value = ordered(of, i);
        uint64_t distance = is_from_low ? value - of->low : of->high - value;
        counts[i % APART][is_kept(of, value) ? bits_of(distance) : OUTSIDE]++;
    }
    for (uint32_t bits = 0; bits <= OUTSIDE; bits++)
        for (uint32_t i = 0; i < APART; i++) lengths[bits] += counts[i][bits];
    return lengths[OUTSIDE];
}

/* Exclude values far from one end of the range if that costs less. Return 1 if it does. */
static int trim(vector *of, int is_from_low)
{
    uint32_t lengths[MOST_BITS + 2] = {0}, widest = bits_of(of->high - of->low);
    size_t exceptions = count_lengths(of, is_from_low, lengths);
    uint32_t bits = cheapest(lengths, widest, of->count, exceptions, 8 * (POSITION + of->width));
    if (bits == widest) return 0;
    uint64_t reach = ((uint64_t)1 << bits) - 1, furthest = 0;
    for (size_t i = 0; i < of->count; i++) {
        uint64_t value = ordered(of, i);
        uint64_t distance = is_from_low ? value - of->low : of->high - value;
        if (is_kept(of, value) && distance <= reach && distance > furthest) furthest = distance;
    }
    if (is_from_low) of->high = of->low + furthest;
    else of->low = of->high - furthest;
    return 1;
}

static void find_range(vector *of)
{
    of->low = UINT64_MAX, of->high = 0;
    for (size_t i = 0; i < of->count; i++) {
        uint64_t value = ordered(of, i);
        if (value < of->low) of->low = value;
        if (value > of->high) of->high = value;
    }
    for (int sides_done = 0, is_from_low = 1; sides_done < 2; is_from_low = !is_from_low)
        sides_done = trim(of, is_from_low) ? 0 : sides_done + 1;
}

/* Compute the differences from the frame, 0 for exceptions. Return the number of exceptions. */
static size_t pack(const vector *of, uint32_t bits, uint8_t *out)
{
    uint64_t deltas[8 * GROUPS];
    size_t exceptions = 0;
    for (size_t at = 0; at < of->count; at += 8 * GROUPS) {
        size_t some = of->count - at < 8 * GROUPS ? of->count - at : 8 * GROUPS;
        for (size_t i = 0; i < 8 * GROUPS; i++) {
            uint64_t value = i < some ? ordered(of, at + i) : of->low;
            int keeps = is_kept(of, value);
            deltas[i] = keeps ? value - of->low : 0;
            exceptions += !keeps;
        }
        out = pqx_pack64(deltas, (some + 7) / 8, bits, out);
    }
    return exceptions;
}

static uint8_t *put_exceptions(const vector *of, size_t exceptions, uint8_t *out)
{
    uint8_t *original = out + exceptions * POSITION;
    for (size_t i = 0; exceptions && i < of->count; i++) {
        if (is_kept(of, ordered(of, i))) continue;
        pqx_store16(out, (uint16_t)i);
        memcpy(original, of->values + i * of->width, of->width);
        out += POSITION, original += of->width, exceptions--;
    }
    return original;
}

static uint8_t *put_vector(vector *of, uint8_t *out)
{
    find_range(of);
    uint32_t bits = bits_of(of->high - of->low);
    uint64_t frame = of->low ^ LOWEST;
    memcpy(out, &frame, of->width);
    out[of->width] = (uint8_t)bits;
    uint8_t *body = out + of->width + 3;
    size_t exceptions = pack(of, bits, body);
    pqx_store16(out + of->width + 1, (uint16_t)exceptions);
    return put_exceptions(of, exceptions, body + (of->count * bits + 7) / 8);
}

size_t pqx_pfor_bound(uint32_t width, uint64_t count, uint32_t log_vector_size)
{
    if (count > INT32_MAX) return SIZE_MAX;
    uint64_t vectors = (count >> log_vector_size) + 1;
    uint64_t bytes = PQX_PFOR_HEADER + vectors * (4 + width + 4) + count * width + PQX_ENCODE_SLACK
                     + MOST_BITS * GROUPS;
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

int pqx_pfor_encode(int type, const pqx_value_array *values, uint32_t log_vector_size, uint8_t *out,
                    size_t capacity, size_t *size, pqx_error *error)
{
    if (type != PQX_PHYSICAL_INT32 && type != PQX_PHYSICAL_INT64)
        return pqx_fail(error, PQX_UNWRITTEN_ENCODING, 0, (uint64_t)(int64_t)type,
                        PQX_ENCODING_PFOR);
    if (log_vector_size < PQX_PFOR_LEAST_LOG || log_vector_size > PQX_PFOR_MOST_LOG)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_PFOR_MOST_LOG, log_vector_size);
    PQX_TRY(pqx_check_values(type, 0, values, error));
    const uint32_t width = type == PQX_PHYSICAL_INT32 ? 4 : 8;
    const size_t count = (size_t)values->count, vector_size = (size_t)1 << log_vector_size;
    const size_t bound = pqx_pfor_bound(width, count, log_vector_size);
    if (capacity < bound) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, bound, capacity);

    const uint8_t header[3] = {0, (uint8_t)log_vector_size, (uint8_t)width};
    memcpy(out, header, sizeof header);
    pqx_store32(out + sizeof header, (uint32_t)count);
    uint8_t *offset = out + PQX_PFOR_HEADER;
    uint8_t *at = offset + (count + vector_size - 1) / vector_size * 4;
    for (size_t first = 0; first < count; first += vector_size, offset += 4) {
        size_t some = count - first < vector_size ? count - first : vector_size;
        uint64_t place = (uint64_t)(at - out) - PQX_PFOR_HEADER;
        if (place > UINT32_MAX) return pqx_fail(error, PQX_TOO_LARGE, 0, UINT32_MAX, place);
        pqx_store32(offset, (uint32_t)place);
        vector next = {values->data + first * width, some, width, 0, 0};
        at = put_vector(&next, at);
    }
    *size = (size_t)(at - out);
    return PQX_OK;
}
