/* The arrays of a modular footer. */
#include "modular/modular.h"

enum { NUM_VALUES = 1, VALUES, ENCODING, PRESENCE };
enum { BITSET, PRESENT_INDEX };
enum { MOST_BITS = 64, MOST_POSITION_BITS = 32 };

int pqx_modular_read_fields(const uint8_t *data, size_t size, size_t at, const uint8_t types[16],
                            pqx_modular_fields *fields, pqx_error *error)
{
    int16_t previous = 0;
    fields->has = 0;
    if (at > size) return pqx_fail(error, PQX_TRUNCATED, at, 1, 0);
    for (int more = 1;;) {
        pqx_field field;
        int status =
            pqx_thrift_next(data, size, at, previous, PQX_MAX_DEPTH - 1, &field, &more, error);
        if (status == PQX_TOO_DEEP && error) error->expected = PQX_MAX_DEPTH;
        if (status || !more) return status;
        at = field.end;
        previous = field.id;
        uint8_t expected = field.id >= 0 && field.id < 16 ? types[field.id] : 0;
        if (!expected) continue;
        int is_flag = expected == PQX_TYPE_TRUE && field.type == PQX_TYPE_FALSE;
        if (field.type != expected && !is_flag)
            return pqx_fail(error, PQX_FIELD_TYPE, field.header, expected, field.type);
        fields->found[field.id] = field;
        fields->has |= UINT32_C(1) << field.id;
    }
}

int pqx_modular_require(const pqx_modular_fields *fields, int id, size_t at, pqx_error *error)
{ return fields->has >> id & 1 ? PQX_OK : pqx_fail(error, PQX_MISSING_FIELD, at, (uint64_t)id, 0); }

int pqx_modular_integer(const uint8_t *data, size_t size, const pqx_field *field, int64_t *value,
                        pqx_error *error)
{
    uint64_t raw = 0;
    size_t next;
    PQX_TRY(pqx_varint_get64(data, size, field->value, &raw, &next, error));
    *value = pqx_unzigzag(raw);
    return PQX_OK;
}

/* Return where the bytes of a binary begin that has been skipped before; they end with the field.
 */
static int begin_of(const uint8_t *data, size_t size, const pqx_field *field, size_t *begin,
                    pqx_error *error)
{
    uint32_t length;
    return pqx_varint_get32(data, size, field->value, &length, begin, error);
}

static uint64_t bytes_of(uint64_t count, unsigned width) { return (count * width + 7) / 8; }

uint64_t pqx_modular_bits(const uint8_t *data, size_t at, size_t end, uint64_t number,
                          unsigned width)
{
    uint64_t bit = number * width, value = 0;
    if (!width) return 0;
    size_t first = at + (size_t)(bit / 8), size = (size_t)((bit % 8 + width + 7) / 8);
    unsigned shift = bit % 8;
    if (first + 8 <= end) {
        value = pqx_load64(data + first) >> shift;
    } else {
        for (size_t i = 0; i < size && i < 8; i++) value |= (uint64_t)data[first + i] << 8 * i;
        value >>= shift;
    }
    if (size == 9) value |= (uint64_t)data[first + 8] << (64 - shift);
    return width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

int pqx_modular_pack(const uint64_t *numbers, size_t count, unsigned width, uint8_t *out,
                     pqx_error *error)
{
    uint64_t bits = 0, limit = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    unsigned used = 0; /* bits of `bits`, which are not written yet */
    for (size_t i = 0; i < count; i++)
        if (numbers[i] > limit) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, limit, numbers[i]);
    for (size_t i = 0; i < count && width; i++) {
        uint64_t number = numbers[i];
        unsigned left = width;
        while (left) {
            unsigned some = 8 - used < left ? 8 - used : left;
            bits |= (number & ((1u << some) - 1)) << used;
            number >>= some;
            used += some;
            left -= some;
            if (used < 8) continue;
            *out++ = (uint8_t)bits;
            bits = used = 0;
        }
    }
    if (used) *out = (uint8_t)bits;
    return PQX_OK;
}

static int read_positions(const uint8_t *data, size_t begin, size_t end, pqx_modular_array *array,
                          pqx_error *error)
{
    uint32_t slots = 0;
    size_t at;
    PQX_TRY(pqx_varint_get32(data, end, begin, &slots, &at, error));
    array->slots = slots;
    if (slots > array->count) return pqx_fail(error, PQX_BAD_VALUE, begin, array->count, slots);
    if (at >= end) return pqx_fail(error, PQX_TRUNCATED, at, 1, 0);
    array->position_width = data[at];
    if (array->position_width > MOST_POSITION_BITS)
        return pqx_fail(error, PQX_BAD_VALUE, at, MOST_POSITION_BITS, array->position_width);
    uint64_t bytes = bytes_of(slots, array->position_width);
    array->positions = at + 1;
    return bytes <= end - at - 1 ? PQX_OK
                                 : pqx_fail(error, PQX_BAD_VALUE, at + 1, bytes, end - at - 1);
}

static int read_presence(const uint8_t *data, size_t size, const pqx_modular_fields *fields,
                         int64_t encoding, pqx_modular_array *array, pqx_error *error)
{
    const pqx_field *presence = &fields->found[PRESENCE];
    size_t begin;
    if (encoding == PRESENT_INDEX) {
        PQX_TRY(pqx_modular_require(fields, PRESENCE, array->at, error));
        PQX_TRY(begin_of(data, size, presence, &begin, error));
        return read_positions(data, begin, presence->end, array, error);
    }
    if (!(fields->has >> PRESENCE & 1)) return PQX_OK;
    PQX_TRY(begin_of(data, size, presence, &begin, error));
    uint64_t bytes = bytes_of(array->count, 1);
    array->bitmap = begin;
    return bytes <= presence->end - begin
               ? PQX_OK
               : pqx_fail(error, PQX_BAD_VALUE, begin, bytes, presence->end - begin);
}

static int read_width(const uint8_t *data, pqx_modular_array *array, pqx_error *error)
{
    array->values_at = array->begin;
    if (array->begin < array->end) array->width = data[array->begin++];
    if (array->width > MOST_BITS)
        return pqx_fail(error, PQX_BAD_VALUE, array->values_at, MOST_BITS, array->width);
    if (array->slots && array->values_at == array->end)
        return pqx_fail(error, PQX_TRUNCATED, array->values_at, 1, 0);
    return PQX_OK;
}

int pqx_modular_begin_array(const uint8_t *data, size_t size, size_t at, uint64_t count,
                            pqx_modular_array *array, pqx_error *error)
{
    static const uint8_t types[16] = {0, PQX_TYPE_I32, PQX_TYPE_BINARY, PQX_TYPE_I32,
                                      PQX_TYPE_BINARY};
    pqx_modular_fields fields;
    int64_t number = 0, encoding = BITSET;
    *array = (pqx_modular_array){
        .data = data, .at = at, .bitmap = PQX_MODULAR_NOWHERE, .positions = PQX_MODULAR_NOWHERE};
    PQX_TRY(pqx_modular_read_fields(data, size, at, types, &fields, error));
    PQX_TRY(pqx_modular_require(&fields, NUM_VALUES, at, error));
    PQX_TRY(pqx_modular_integer(data, size, &fields.found[NUM_VALUES], &number, error));
    if (number < 0 || (count != PQX_MODULAR_ANY_COUNT && (uint64_t)number != count))
        return pqx_fail(error, PQX_BAD_VALUE, at, count == PQX_MODULAR_ANY_COUNT ? 0 : count,
                        (uint64_t)number);
    array->count = array->slots = (uint64_t)number;
    PQX_TRY(pqx_modular_require(&fields, VALUES, at, error));
    PQX_TRY(begin_of(data, size, &fields.found[VALUES], &array->begin, error));
    array->end = fields.found[VALUES].end;
    if (fields.has >> ENCODING & 1)
        PQX_TRY(pqx_modular_integer(data, size, &fields.found[ENCODING], &encoding, error));
    if (encoding != BITSET && encoding != PRESENT_INDEX)
        return pqx_fail(error, PQX_UNSUPPORTED_VALUE, fields.found[ENCODING].header, PRESENT_INDEX,
                        (uint64_t)encoding);
    PQX_TRY(read_presence(data, size, &fields, encoding, array, error));
    return read_width(data, array, error);
}

int pqx_modular_check_array(pqx_modular_array *array, int is_text, pqx_error *error)
{
    uint64_t bytes = bytes_of(array->slots + (uint64_t)is_text, array->width);
    size_t left = array->end - array->begin;
    if (bytes > left) return pqx_fail(error, PQX_BAD_VALUE, array->values_at, bytes, left);
    if (!is_text) return PQX_OK;
    array->texts = array->begin + (size_t)bytes;
    array->text_bytes =
        pqx_modular_bits(array->data, array->begin, array->texts, array->slots, array->width);
    left = array->end - array->texts;
    return array->text_bytes <= left
               ? PQX_OK
               : pqx_fail(error, PQX_BAD_OFFSET, array->values_at, left, array->text_bytes);
}

int pqx_modular_read_array(const uint8_t *data, size_t size, size_t at, uint64_t count, int is_text,
                           pqx_modular_array *array, pqx_error *error)
{
    PQX_TRY(pqx_modular_begin_array(data, size, at, count, array, error));
    return pqx_modular_check_array(array, is_text, error);
}

/* Return the slot of a position's value; *is_there is 0 if it is absent. */
static uint64_t slot_of(const pqx_modular_array *a, uint64_t position, int *is_there)
{
    *is_there = 1;
    if (a->bitmap != PQX_MODULAR_NOWHERE)
        *is_there = a->data[a->bitmap + position / 8] >> position % 8 & 1;
    if (a->positions == PQX_MODULAR_NOWHERE) return position;
    uint64_t low = 0, high = a->slots;
    size_t end = a->positions + (size_t)bytes_of(a->slots, a->position_width);
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (pqx_modular_bits(a->data, a->positions, end, middle, a->position_width) < position)
            low = middle + 1;
        else high = middle;
    }
    *is_there = low < a->slots
                && pqx_modular_bits(a->data, a->positions, end, low, a->position_width) == position;
    return low;
}

void pqx_modular_number(const pqx_modular_array *array, uint64_t position, uint64_t *number,
                        int *is_there)
{
    uint64_t slot = slot_of(array, position, is_there);
    *number =
        *is_there ? pqx_modular_bits(array->data, array->begin, array->end, slot, array->width) : 0;
}

int pqx_modular_present(const pqx_modular_array *array, uint64_t position, uint64_t *number,
                        pqx_error *error)
{
    int is_there;
    pqx_modular_number(array, position, number, &is_there);
    return is_there ? PQX_OK : pqx_fail(error, PQX_BAD_VALUE, array->at, 1, 0);
}

int pqx_modular_text(pqx_modular_array *array, uint64_t position, pqx_bytes *text, int *is_there,
                     pqx_error *error)
{
    uint64_t slot = slot_of(array, position, is_there);
    if (!*is_there) return PQX_OK;
    uint64_t begin = pqx_modular_bits(array->data, array->begin, array->texts, slot, array->width),
             end =
                 pqx_modular_bits(array->data, array->begin, array->texts, slot + 1, array->width);
    if (begin > end || end > array->text_bytes)
        return pqx_fail(error, PQX_BAD_OFFSET, array->values_at, array->text_bytes, end);
    if (begin < array->text_end)
        return pqx_fail(error, PQX_BAD_VALUE, array->values_at, array->text_end, begin);
    array->text_end = end;
    *text = (pqx_bytes){array->data + array->texts + begin, (size_t)(end - begin)};
    return PQX_OK;
}
