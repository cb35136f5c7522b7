/* The index of a modular footer's schema. */
#include "modular/modular.h"

enum { TABLE = 1, DISCRIMINATOR_BITS, ORDINAL_BITS, OFFSETS, LEAVES, PARENTS, NON_ASCII };
enum { MOST_PROBES = 1 << 10, MOST_ORDINAL_BITS = 32 };

uint64_t pqx_modular_hash(const uint8_t *path, size_t size)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = path[i] >= 'A' && path[i] <= 'Z' ? (uint8_t)(path[i] + 32) : path[i];
        value = (value ^ byte) * UINT64_C(0x100000001b3);
    }
    return value;
}

static int read_bits(const uint8_t *data, const pqx_modular_fields *fields, int id, unsigned most,
                     unsigned *bits, pqx_error *error)
{
    PQX_TRY(pqx_modular_require(fields, id, 0, error));
    size_t at = fields->found[id].value;
    *bits = data[at];
    return *bits <= most ? PQX_OK : pqx_fail(error, PQX_BAD_VALUE, at, most, *bits);
}

static int read_elements(const uint8_t *data, size_t size, const pqx_modular_fields *fields,
                         pqx_modular_names *names, pqx_error *error)
{
    PQX_TRY(pqx_modular_require(fields, OFFSETS, 0, error));
    PQX_TRY(pqx_modular_read_array(data, size, fields->found[OFFSETS].value, PQX_MODULAR_ANY_COUNT,
                                   0, &names->offsets, error));
    names->has_leaf_elements = fields->has >> LEAVES & 1;
    names->has_parents = fields->has >> PARENTS & 1;
    if (names->has_leaf_elements)
        PQX_TRY(pqx_modular_begin_array(data, size, fields->found[LEAVES].value, names->leaves,
                                        &names->leaf_elements, error));
    if (names->has_parents)
        PQX_TRY(pqx_modular_begin_array(data, size, fields->found[PARENTS].value,
                                        names->offsets.count, &names->parents, error));
    if (names->has_leaf_elements) PQX_TRY(pqx_modular_check_array(&names->leaf_elements, 0, error));
    return names->has_parents ? pqx_modular_check_array(&names->parents, 0, error) : PQX_OK;
}

int pqx_modular_read_names(const uint8_t *data, size_t size, uint32_t leaves,
                           pqx_modular_names *names, pqx_error *error)
{
    static const uint8_t types[16] = {0,
                                      PQX_TYPE_STRUCT,
                                      PQX_TYPE_BYTE,
                                      PQX_TYPE_BYTE,
                                      PQX_TYPE_STRUCT,
                                      PQX_TYPE_STRUCT,
                                      PQX_TYPE_STRUCT,
                                      PQX_TYPE_TRUE};
    pqx_modular_fields fields;
    *names = (pqx_modular_names){.leaves = leaves};
    PQX_TRY(pqx_modular_read_fields(data, size, 0, types, &fields, error));
    PQX_TRY(pqx_modular_require(&fields, TABLE, 0, error));
    PQX_TRY(pqx_modular_read_array(data, size, fields.found[TABLE].value, PQX_MODULAR_ANY_COUNT, 0,
                                   &names->table, error));
    PQX_TRY(read_bits(data, &fields, DISCRIMINATOR_BITS, 64 - MOST_ORDINAL_BITS,
                      &names->discriminator_bits, error));
    PQX_TRY(read_bits(data, &fields, ORDINAL_BITS, MOST_ORDINAL_BITS, &names->ordinal_bits, error));
    uint64_t slots = names->table.count, power = 1;
    if (slots & (slots - 1)) {
        while (power <= slots) power *= 2;
        return pqx_fail(error, PQX_BAD_VALUE, names->table.at, power, slots);
    }
    PQX_TRY(read_elements(data, size, &fields, names, error));
    names->has_non_ascii_names =
        fields.has >> NON_ASCII & 1 && fields.found[NON_ASCII].type == PQX_TYPE_TRUE;
    names->is_flat = !names->has_leaf_elements && names->offsets.count == leaves + UINT64_C(1);
    return PQX_OK;
}

int pqx_modular_candidates(const pqx_modular_names *names, const uint8_t *path, size_t size,
                           uint32_t *found, size_t capacity, size_t *count, pqx_error *error)
{
    uint64_t hash = pqx_modular_hash(path, size), slots = names->table.count;
    uint64_t tag = names->discriminator_bits ? hash >> (64 - names->discriminator_bits) : 0;
    *count = 0;
    for (uint64_t probe = 0; probe < slots && probe < MOST_PROBES; probe++) {
        uint64_t slot;
        PQX_TRY(pqx_modular_present(&names->table, (hash + probe) & (slots - 1), &slot, error));
        if (!slot) return PQX_OK;
        uint64_t ordinal = slot & ((UINT64_C(1) << names->ordinal_bits) - 1);
        if (slot >> names->ordinal_bits != tag || !ordinal || ordinal > names->leaves) continue;
        if (*count < capacity) found[*count] = (uint32_t)ordinal - 1;
        ++*count;
    }
    if (slots > MOST_PROBES) *count = 0; /* further leaves may follow */
    return PQX_OK;
}
