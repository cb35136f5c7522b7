#include "encoding/pfor.h"

#include "encoding/bits.h"

enum { PIECE = 256, POSITION = 2 };

int pqx_pfor_begin(pqx_pfor *pfor, uint32_t width, const uint8_t *data, size_t size, uint64_t count,
                   pqx_error *error)
{
    *pfor = (pqx_pfor){.data = data, .size = size, .left = count, .width = width};
    if (!count && !size) return PQX_OK;
    if (size < PQX_PFOR_HEADER) return pqx_fail(error, PQX_TRUNCATED, 0, PQX_PFOR_HEADER, size);
    if (data[0]) return pqx_fail(error, PQX_VECTOR_PACKING, 0, 0, data[0]);
    if (data[1] < PQX_PFOR_LEAST_LOG || data[1] > PQX_PFOR_MOST_LOG)
        return pqx_fail(error, PQX_VECTOR_SIZE, 1, PQX_PFOR_MOST_LOG, data[1]);
    if (data[2] != width) return pqx_fail(error, PQX_VALUE_LENGTH, 2, width, data[2]);
    uint32_t found = pqx_load32(data + 3);
    if (found != count) return pqx_fail(error, PQX_VECTOR_COUNT, 3, count, found);

    pfor->vector_size = 1u << data[1];
    pfor->offset = PQX_PFOR_HEADER;
    uint64_t offsets = ((count + pfor->vector_size - 1) >> data[1]) * 4;
    if (offsets > size - PQX_PFOR_HEADER)
        return pqx_fail(error, PQX_TRUNCATED, PQX_PFOR_HEADER, offsets, size - PQX_PFOR_HEADER);
    pfor->at = PQX_PFOR_HEADER + (size_t)offsets;
    return PQX_OK;
}

/* Unpack the values in [body, size), which have been checked to exist. */
static void unpack(const pqx_pfor *pfor, size_t body, uint32_t bits, uint64_t frame, size_t count,
                   uint8_t *out)
{
    uint64_t bit = (uint64_t)body * 8, wide[PIECE];
    uint32_t narrow[PIECE];
    for (size_t some; count; count -= some, bit += (uint64_t)some * bits) {
        some = count < PIECE ? count : PIECE;
        if (pfor->width == 4) {
            pqx_unpack32(pfor->data, pfor->size, bit, bits, some, narrow);
            for (size_t i = 0; i < some; i++) narrow[i] += (uint32_t)frame;
            memcpy(out, narrow, some * 4);
        } else {
            pqx_unpack64(pfor->data, pfor->size, bit, bits, some, wide);
            for (size_t i = 0; i < some; i++) wide[i] += frame;
            memcpy(out, wide, some * 8);
        }
        out += some * pfor->width;
    }
}

static int patch(const pqx_pfor *pfor, size_t place, size_t exceptions, size_t count, uint8_t *out,
                 pqx_error *error)
{
    const uint8_t *original = pfor->data + place + exceptions * POSITION;
    const size_t width = pfor->width;
    for (size_t i = 0; i < exceptions; i++, place += POSITION, original += width) {
        size_t position = pqx_load16(pfor->data + place);
        if (position >= count)
            return pqx_fail(error, PQX_EXCEPTION_POSITION, place, count, position);
        memcpy(out + position * width, original, width == 4 ? 4 : 8);
    }
    return PQX_OK;
}

static int take_vector(pqx_pfor *pfor, size_t count, uint8_t *out, pqx_error *error)
{
    const uint8_t *data = pfor->data;
    const size_t at = pfor->at, left = pfor->size - at, width = pfor->width, head = width + 3;
    uint32_t offset = pqx_load32(data + pfor->offset);
    if (offset != at - PQX_PFOR_HEADER)
        return pqx_fail(error, PQX_VECTOR_OFFSET, pfor->offset, at - PQX_PFOR_HEADER, offset);
    if (left < head) return pqx_fail(error, PQX_TRUNCATED, at, head, left);
    uint64_t frame = width == 4 ? pqx_load32(data + at) : pqx_load64(data + at);
    uint32_t bits = data[at + width];
    size_t exceptions = pqx_load16(data + at + width + 1);
    if (bits > 8 * width) return pqx_fail(error, PQX_BIT_WIDTH, at + width, 8 * width, bits);
    if (exceptions > count)
        return pqx_fail(error, PQX_EXCEPTION_COUNT, at + width + 1, count, exceptions);
    size_t packed = (count * bits + 7) / 8, needed = packed + exceptions * (POSITION + width);
    if (needed > left - head) return pqx_fail(error, PQX_TRUNCATED, at + head, needed, left - head);

    unpack(pfor, at + head, bits, frame, count, out);
    PQX_TRY(patch(pfor, at + head + packed, exceptions, count, out, error));
    pfor->at = at + head + needed;
    pfor->offset += 4;
    pfor->left -= count;
    return PQX_OK;
}

int pqx_pfor_take(pqx_pfor *pfor, size_t room, uint8_t *out, size_t *taken, pqx_error *error)
{
    for (*taken = 0; pfor->left;) {
        size_t count = pfor->left < pfor->vector_size ? (size_t)pfor->left : pfor->vector_size;
        if (count > room - *taken) break;
        PQX_TRY(take_vector(pfor, count, out + *taken * pfor->width, error));
        *taken += count;
    }
    return PQX_OK;
}
