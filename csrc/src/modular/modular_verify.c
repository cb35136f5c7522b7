/* Check all of the arrays of a modular footer: bytes that readers pass over, too. */
#include "modular/modular.h"

/* Check the bits after the last number. */
static int check_padding(const uint8_t *data, size_t begin, uint64_t count, unsigned width,
                         pqx_error *error)
{
    uint64_t bits = count * width;
    if (bits % 8 == 0) return PQX_OK;
    size_t last = begin + (size_t)(bits / 8);
    unsigned left = data[last] >> bits % 8;
    return left ? pqx_fail(error, PQX_BAD_VALUE, last, 0, left) : PQX_OK;
}

/* Check that numbers are below `limit` and ascend; equal ones are allowed unless `is_strict`. */
static int check_ascending(const uint8_t *data, size_t begin, size_t end, uint64_t count,
                           unsigned width, size_t at, uint64_t limit, unsigned is_strict,
                           pqx_error *error)
{
    uint64_t least = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = pqx_modular_bits(data, begin, end, i, width);
        if (number >= limit) return pqx_fail(error, PQX_BAD_OFFSET, at, limit, number);
        if (number < least) return pqx_fail(error, PQX_BAD_VALUE, at, least, number);
        least = number + is_strict;
    }
    return PQX_OK;
}

int pqx_modular_verify_array(const uint8_t *data, size_t size, size_t at, int is_text,
                             pqx_error *error)
{
    pqx_modular_array a;
    PQX_TRY(pqx_modular_read_array(data, size, at, PQX_MODULAR_ANY_COUNT, is_text, &a, error));
    uint64_t slots = a.slots + (uint64_t)is_text,
             bytes = (slots * a.width + 7) / 8 + (is_text ? a.text_bytes : 0);
    if (bytes != a.end - a.begin)
        return pqx_fail(error, PQX_BAD_VALUE, a.values_at, bytes, a.end - a.begin);
    PQX_TRY(check_padding(data, a.begin, slots, a.width, error));
    if (a.bitmap != PQX_MODULAR_NOWHERE) PQX_TRY(check_padding(data, a.bitmap, a.count, 1, error));
    if (a.positions != PQX_MODULAR_NOWHERE) {
        size_t end = a.positions + (size_t)((a.slots * a.position_width + 7) / 8);
        PQX_TRY(check_padding(data, a.positions, a.slots, a.position_width, error));
        PQX_TRY(check_ascending(data, a.positions, end, a.slots, a.position_width, a.positions,
                                a.count, 1, error));
    }
    if (!is_text || !a.width) return PQX_OK; /* without a width, all offsets are 0 */
    return check_ascending(data, a.begin, a.texts, slots, a.width, a.values_at, a.text_bytes + 1, 0,
                           error);
}

int pqx_modular_verify_struct(const uint8_t *data, size_t size, uint32_t texts, pqx_error *error)
{
    int16_t previous = 0;
    size_t at = 0;
    for (int more = 1;;) {
        pqx_field field;
        int status =
            pqx_thrift_next(data, size, at, previous, PQX_MAX_DEPTH - 1, &field, &more, error);
        if (status == PQX_TOO_DEEP && error) error->expected = PQX_MAX_DEPTH;
        if (status) return status;
        if (!more) break;
        at = field.end;
        previous = field.id;
        int is_text = field.id >= 0 && field.id < 32 && texts >> field.id & 1;
        if (field.type == PQX_TYPE_STRUCT)
            PQX_TRY(pqx_modular_verify_array(data, size, field.value, is_text, error));
    }
    return at + 1 == size ? PQX_OK : pqx_fail(error, PQX_STRAY_BYTES, at + 1, 0, size - at - 1);
}
