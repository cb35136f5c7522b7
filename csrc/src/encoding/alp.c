#include "encoding/alp.h"

#include "encoding/alp_powers.h"
#include "encoding/bits.h"
#include "encoding/scale.h"

enum {
    HEADER = 7,
    LEAST_SIZE = 3, /* of a vector, as a power of two */
    MOST_SIZE = 15,
    PIECE = 1024 /* values that are unpacked together, so that they stay in the nearest cache */
};

/* The numbers at the beginning of a vector. */
enum { EXPONENT, FACTOR, EXCEPTIONS, FRAME = EXCEPTIONS + 2 };

static inline size_t value_bytes(const pqx_alp *alp) { return alp->is_double ? 8 : 4; }

int pqx_alp_begin(pqx_alp *alp, int is_double, const uint8_t *data, size_t size, size_t at,
                  uint64_t count, pqx_error *error)
{
    *alp = (pqx_alp){
        .data = data, .size = size, .at = at, .count = count, .is_double = (uint8_t)is_double};
    if (count == 0 && at >= size) return PQX_OK;

    const uint8_t *header = data + at;
    if (size - at < HEADER) return pqx_fail(error, PQX_TRUNCATED, at, HEADER, size - at);
    for (size_t i = 0; i < 2; i++)
        if (header[i]) return pqx_fail(error, PQX_ALP_MODE, at + i, 0, header[i]);
    if (header[2] < LEAST_SIZE || header[2] > MOST_SIZE)
        return pqx_fail(error, PQX_ALP_NUMBER, at + 2,
                        header[2] < LEAST_SIZE ? LEAST_SIZE : MOST_SIZE, header[2]);
    uint32_t total = pqx_load32(header + 3);
    if (total != count) return pqx_fail(error, PQX_ALP_COUNT, at + 3, count, total);

    alp->size_bits = header[2];
    alp->offsets = at + HEADER;
    alp->vectors = (count + ((uint64_t)1 << alp->size_bits) - 1) >> alp->size_bits;
    size_t left = size - alp->offsets;
    if (alp->vectors > left / 4)
        return pqx_fail(error, PQX_TRUNCATED, alp->offsets, 4 * alp->vectors, left);
    alp->at = alp->offsets + (size_t)alp->vectors * 4;
    return PQX_OK;
}

/* Set alp->at to the beginning of the next vector. */
static int find_vector(pqx_alp *alp, pqx_error *error)
{
    size_t place = alp->offsets + (size_t)alp->next * 4;
    size_t most = alp->size - alp->offsets, least = (size_t)alp->vectors * 4;
    uint32_t found = pqx_load32(alp->data + place);
    if (!alp->has_jumped) {
        size_t expected = alp->at - alp->offsets;
        return found == expected ? PQX_OK : pqx_fail(error, PQX_ALP_OFFSET, place, expected, found);
    }
    if (found < least || found > most)
        return pqx_fail(error, PQX_ALP_OFFSET, place, found < least ? least : most, found);
    alp->at = alp->offsets + found;
    return PQX_OK;
}

static uint32_t position_of(const pqx_alp *alp, uint32_t exception)
{ return pqx_load16(alp->data + alp->positions + 2 * (size_t)exception); }

static int check_positions(pqx_alp *alp, pqx_error *error)
{
    uint32_t after = 0;
    alp->is_ascending = 1;
    for (uint32_t i = 0; i < alp->exceptions; i++) {
        uint32_t position = position_of(alp, i);
        if (position >= alp->values)
            return pqx_fail(error, PQX_ALP_NUMBER, alp->positions + 2 * (size_t)i, alp->values - 1,
                            position);
        alp->is_ascending &= position >= after;
        after = position + 1;
    }
    return PQX_OK;
}

/* Read and check the numbers at the beginning of a vector. */
static int read_numbers(pqx_alp *alp, pqx_error *error)
{
    const size_t at = alp->at, width_at = FRAME + value_bytes(alp), left = alp->size - at;
    const uint32_t most = alp->is_double ? PQX_ALP_MOST_DOUBLE : PQX_ALP_MOST_FLOAT;
    const uint32_t widest = alp->is_double ? 64 : 32;
    if (left < width_at + 1) return pqx_fail(error, PQX_TRUNCATED, at, width_at + 1, left);
    const uint8_t *numbers = alp->data + at;
    alp->exponent = numbers[EXPONENT];
    alp->factor = numbers[FACTOR];
    alp->exceptions = pqx_load16(numbers + EXCEPTIONS);
    alp->width = numbers[width_at];
    alp->frame = alp->is_double ? pqx_load64(numbers + FRAME) : pqx_load32(numbers + FRAME);
    if (alp->exponent > most)
        return pqx_fail(error, PQX_ALP_NUMBER, at + EXPONENT, most, alp->exponent);
    if (alp->factor > alp->exponent)
        return pqx_fail(error, PQX_ALP_NUMBER, at + FACTOR, alp->exponent, alp->factor);
    if (alp->exceptions > alp->values)
        return pqx_fail(error, PQX_ALP_NUMBER, at + EXCEPTIONS, alp->values, alp->exceptions);
    if (alp->width > widest)
        return pqx_fail(error, PQX_BIT_WIDTH, at + width_at, widest, alp->width);
    alp->at = at + width_at + 1;
    return PQX_OK;
}

/* Open the next vector, and advance alp->at over it. */
static int open_vector(pqx_alp *alp, pqx_error *error)
{
    uint64_t behind = alp->count - (alp->next << alp->size_bits), most = 1u << alp->size_bits;
    alp->values = alp->left = (uint32_t)(behind < most ? behind : most);
    PQX_TRY(find_vector(alp, error));
    PQX_TRY(read_numbers(alp, error));
    size_t packed = ((size_t)alp->values * alp->width + 7) / 8, left = alp->size - alp->at;
    size_t needed = packed + alp->exceptions * (2 + value_bytes(alp));
    if (needed > left) return pqx_fail(error, PQX_TRUNCATED, alp->at, needed, left);
    alp->packed = alp->at;
    alp->positions = alp->at + packed;
    PQX_TRY(check_positions(alp, error));
    alp->at += needed;
    alp->exception = 0;
    alp->next++;
    alp->has_jumped = 0;
    return PQX_OK;
}

/* Write the exceptions among values first..first + count of the vector to their positions. */
static void patch(pqx_alp *alp, uint32_t first, uint32_t count, uint8_t *out)
{
    const size_t width = value_bytes(alp);
    const uint8_t *stored = alp->data + alp->positions + 2 * (size_t)alp->exceptions;
    for (uint32_t i = alp->exception; i < alp->exceptions; i++) {
        uint32_t position = position_of(alp, i);
        if (position >= first && position - first < count)
            memcpy(out + (position - first) * width, stored + i * width, width);
        if (!alp->is_ascending) continue;
        if (position >= first && position - first >= count) return;
        alp->exception = i + 1;
    }
}

/* Take the next values of the open vector, at most PIECE. */
static void take_piece(pqx_alp *alp, uint32_t count, uint8_t *out)
{
    const uint32_t first = alp->values - alp->left;
    const uint64_t bit = (uint64_t)alp->packed * 8 + (uint64_t)first * alp->width;
    const uint8_t e = alp->exponent, f = alp->factor;
    if (alp->is_double) {
        uint64_t deltas[PIECE];
        pqx_unpack64(alp->data, alp->size, bit, alp->width, count, deltas);
        pqx_scale64(deltas, count, alp->frame, pqx_alp_up64[f], pqx_alp_down64[e], out);
    } else {
        uint32_t deltas[PIECE];
        pqx_unpack32(alp->data, alp->size, bit, alp->width, count, deltas);
        pqx_scale32(deltas, count, (uint32_t)alp->frame, pqx_alp_up32[f], pqx_alp_down32[e], out);
    }
    patch(alp, first, count, out);
    alp->left -= count;
}

int pqx_alp_take(pqx_alp *alp, size_t count, uint8_t *out, pqx_error *error)
{
    while (count) {
        if (!alp->left) PQX_TRY(open_vector(alp, error));
        uint32_t piece = count < PIECE ? (uint32_t)count : PIECE;
        if (piece > alp->left) piece = alp->left;
        take_piece(alp, piece, out);
        count -= piece, out += piece * value_bytes(alp);
    }
    return PQX_OK;
}

int pqx_alp_skip(pqx_alp *alp, size_t count, pqx_error *error)
{
    uint32_t some = count < alp->left ? (uint32_t)count : alp->left;
    alp->left -= some;
    count -= some;
    if (!count) return PQX_OK;
    size_t whole = count >> alp->size_bits;
    alp->next += whole;
    alp->has_jumped |= whole != 0;
    count -= whole << alp->size_bits;
    int is_over = alp->next == alp->vectors; /* the last one is opened to find its end */
    if (!count && !is_over) return PQX_OK;
    alp->next -= (unsigned)is_over;
    PQX_TRY(open_vector(alp, error));
    alp->left = is_over ? 0 : alp->left - (uint32_t)count;
    return PQX_OK;
}
