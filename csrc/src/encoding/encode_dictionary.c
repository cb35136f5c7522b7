/* Build a dictionary: look up the bytes of each value in a hash table of previous values.
 *
 * The table is open-addressed, at most half full, and grows with its contents. Its hashes are
 * seeded by its address, so that an attacker cannot choose values that collide. */
#include <stdlib.h>

#include "encoding/encode.h"

#define ALWAYS_INLINE __attribute__((always_inline)) static inline
enum { FIRST_BITS = 11 };

/* A slot is 0, or a part of the hash above the entry's number plus 1. */
typedef struct table {
    uint64_t *slots;
    uint32_t bits;
    uint64_t seed;
    uint32_t count;
} table;

typedef struct limits {
    uint32_t most_values;
    size_t most_bytes;
} limits;

static int begin_table(table *table, pqx_error *error)
{
    size_t size = sizeof(uint64_t) << FIRST_BITS;
    *table = (struct table){(uint64_t *)calloc(1, size), FIRST_BITS, 0, 0};
    if (!table->slots) return pqx_fail(error, PQX_NO_MEMORY, 0, size, 0);
    uint64_t place[2] = {(uint64_t)(uintptr_t)table->slots, (uint64_t)(uintptr_t)&place};
    table->seed = pqx_xxh64((const uint8_t *)place, sizeof place, 0x9e3779b97f4a7c15u) | 1;
    return PQX_OK;
}

/* Double the slots; the upper half of each one determines its new position. */
static int grow_table(table *table, pqx_error *error)
{
    uint32_t bits = table->bits + 1;
    uint64_t *slots = (uint64_t *)calloc((size_t)1 << bits, sizeof *slots);
    if (!slots) return pqx_fail(error, PQX_NO_MEMORY, 0, sizeof *slots << bits, 0);
    size_t mask = ((size_t)1 << bits) - 1;
    for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
        uint64_t slot = table->slots[i];
        if (!slot) continue;
        size_t at = (size_t)(slot >> (64 - bits));
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = slot;
    }
    free(table->slots);
    table->slots = slots;
    table->bits = bits;
    return PQX_OK;
}

/* ---- numbers of 4 or 8 bytes ---- */

ALWAYS_INLINE uint64_t load(const uint8_t *at, uint32_t width)
{ return width == 4 ? pqx_load32(at) : pqx_load64(at); }

ALWAYS_INLINE int number_entries(table *table, const uint8_t *values, size_t count, uint32_t width,
                                 limits most, pqx_dictionary_room *room, int *fits,
                                 pqx_error *error)
{
    uint8_t *entries = room->values;
    uint32_t most_entries = most.most_bytes / width < most.most_values
                                ? (uint32_t)(most.most_bytes / width)
                                : most.most_values;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = load(values + i * width, width), hash = value * table->seed;
        hash ^= hash >> 32;
        hash *= table->seed;
        size_t mask = ((size_t)1 << table->bits) - 1, at = (size_t)(hash >> (64 - table->bits));
        uint32_t entry;
        while ((entry = (uint32_t)table->slots[at])
               && load(entries + (size_t)(entry - 1) * width, width) != value)
            at = (at + 1) & mask;
        if (PQX_UNLIKELY(!entry)) {
            if (table->count == most_entries) return *fits = 0, PQX_OK;
            memcpy(entries + (size_t)table->count * width, values + i * width, width);
            entry = ++table->count;
            table->slots[at] = (hash >> 32 << 32) | entry;
            if (table->count > mask / 2) PQX_TRY(grow_table(table, error));
        }
        room->indices[i] = entry - 1;
    }
    room->size = (size_t)table->count * width;
    return PQX_OK;
}

/* ---- bytes ---- */

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t both[2] = {a, b};
    return pqx_xxh64((const uint8_t *)both, sizeof both, 0);
#endif
}

/* Hash sixteen bytes at a time by multiplication; the last ones may overlap the previous ones. */
static inline uint64_t hash_bytes(const uint8_t *bytes, size_t size, uint64_t seed)
{
    const uint64_t other = 0xa0761d6478bd642fu ^ seed << 7;
    uint64_t hash = seed, first = 0, last = 0;
    size_t left = size;
    for (; left > 16; left -= 16, bytes += 16)
        hash = mixed(pqx_load64(bytes) ^ other, pqx_load64(bytes + 8) ^ hash);
    if (left >= 8) first = pqx_load64(bytes), last = pqx_load64(bytes + left - 8);
    else if (left >= 4) first = pqx_load32(bytes), last = pqx_load32(bytes + left - 4);
    else if (left) first = (uint64_t)bytes[0] << 16 | bytes[left / 2] << 8 | bytes[left - 1];
    return mixed(other ^ size, mixed(first ^ other, last ^ hash));
}

static inline int is_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    for (; size >= 8; size -= 8, a += 8, b += 8)
        if (pqx_load64(a) != pqx_load64(b)) return 0;
    uint64_t differs = 0;
    for (size_t i = 0; i < size; i++) differs |= a[i] ^ b[i];
    return !differs;
}

/* Compare with the entry's bytes in the dictionary. */
ALWAYS_INLINE int is_entry(const pqx_dictionary_room *room, uint32_t entry, uint32_t width,
                           const uint8_t *bytes, size_t size)
{
    if (width) return is_equal(room->values + (size_t)entry * width, bytes, width);
    size_t start = (size_t)room->offsets[entry];
    return (size_t)room->offsets[entry + 1] - start == size
           && is_equal(room->values + start, bytes, size);
}

/* If `width` is 0: byte arrays with offsets. */
ALWAYS_INLINE int bytes_entries(table *table, const pqx_value_array *values, uint32_t width,
                                limits most, pqx_dictionary_room *room, int *fits, pqx_error *error)
{
    size_t used = 0, plain = 0, count = (size_t)values->count;
    if (!width) room->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t start = width ? i * width : (size_t)values->offsets[i];
        size_t size = width ? width : (size_t)values->offsets[i + 1] - start;
        const uint8_t *bytes = values->data + start;
        uint64_t hash = hash_bytes(bytes, size, table->seed), slot;
        size_t mask = ((size_t)1 << table->bits) - 1, at = (size_t)(hash >> (64 - table->bits));
        while ((slot = table->slots[at])
               && (slot >> 32 != hash >> 32
                   || !is_entry(room, (uint32_t)slot - 1, width, bytes, size)))
            at = (at + 1) & mask;
        if (PQX_UNLIKELY(!slot)) {
            size_t added = size + (width ? 0 : 4);
            if (table->count == most.most_values || added > most.most_bytes - plain)
                return *fits = 0, PQX_OK;
            if (size) memcpy(room->values + used, bytes, size);
            plain += added;
            used += size;
            slot = ++table->count;
            if (!width) room->offsets[slot] = (int32_t)used;
            table->slots[at] = (hash >> 32 << 32) | slot;
            if (table->count > mask / 2) PQX_TRY(grow_table(table, error));
        }
        room->indices[i] = (uint32_t)slot - 1;
    }
    room->size = used;
    return PQX_OK;
}

int pqx_dictionary_of(int type, int32_t type_length, const pqx_value_array *values,
                      uint32_t most_values, size_t most_bytes, pqx_dictionary_room *room, int *fits,
                      pqx_error *error)
{
    uint32_t width;
    PQX_TRY(pqx_check_dictionary_values(type, type_length, values, &width, error));
    table table;
    PQX_TRY(begin_table(&table, error));
    limits most = {most_values, most_bytes};
    size_t count = (size_t)values->count;
    int status;
    *fits = 1;
    if (width == 4)
        status = number_entries(&table, values->data, count, 4, most, room, fits, error);
    else if (width == 8)
        status = number_entries(&table, values->data, count, 8, most, room, fits, error);
    else if (width) status = bytes_entries(&table, values, width, most, room, fits, error);
    else status = bytes_entries(&table, values, 0, most, room, fits, error);
    free(table.slots);
    room->count = table.count;
    return status;
}
