/* Names under SipHash-2-4 (Aumasson, Bernstein: SipHash, a fast short-input PRF) with a random key.
 */
#include <stdlib.h>

#include "base/port.h"
#include "footer/name_table.h"

typedef struct pqx_name_entry {
    uint64_t hash;
    uint32_t id, next;
} pqx_name_entry;

/* The kind of a key is hashed too, so that paths and field ids never collide. */
enum { PATH = '.', FIELD_ID = '#' };

static inline uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static inline void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    sip_round(v);
    v[0] ^= word;
}

/* Hash the kind and the bytes; each NUL of a path is read as '.'. */
static uint64_t sip_hash(const uint64_t key[2], uint8_t kind, pqx_bytes bytes)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    uint64_t word = kind;
    size_t size = bytes.size + 1;
    for (size_t i = 1; i < size; i++) {
        uint8_t byte = bytes.data[i - 1];
        word |= (uint64_t)(byte || kind != PATH ? byte : '.') << 8 * (i % 8);
        if (i % 8 < 7) continue;
        sip_word(v, word);
        word = 0;
    }
    sip_word(v, word | (uint64_t)size << 56);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t pqx_name_table_hash_path(const pqx_name_table *names, pqx_bytes path)
{ return sip_hash(names->key, PATH, path); }

uint64_t pqx_name_table_hash_field_id(const pqx_name_table *names, int32_t field_id)
{
    uint8_t bytes[4];
    pqx_store32(bytes, (uint32_t)field_id);
    return sip_hash(names->key, FIELD_ID, (pqx_bytes){bytes, sizeof bytes});
}

int pqx_name_table_begin(pqx_name_table *names, pqx_error *error)
{
    pqx_name_table_free(names);
    int failure = pqx_draw_random(names->key, sizeof names->key);
    return failure ? pqx_fail(error, PQX_IO, 0, sizeof names->key, (uint64_t)failure) : PQX_OK;
}

int pqx_name_table_add(pqx_name_table *names, pqx_bytes path, const int32_t *field_id, uint32_t id,
                       pqx_error *error)
{
    pqx_name_entry entry = {pqx_name_table_hash_path(names, path), id, 0};
    PQX_TRY(pqx_buffer_append(&names->entries, &entry, sizeof entry, error));
    if (!field_id) return PQX_OK;
    entry.hash = pqx_name_table_hash_field_id(names, *field_id);
    return pqx_buffer_append(&names->entries, &entry, sizeof entry, error);
}

/* Return the slot of this hash, or the empty slot for it. */
static uint32_t *find_slot(const pqx_name_table *names, uint64_t hash)
{
    const pqx_name_entry *entries = (const pqx_name_entry *)(const void *)names->entries.data;
    uint32_t slot = (uint32_t)hash & names->mask;
    while (names->slots[slot] && entries[names->slots[slot] - 1].hash != hash)
        slot = (slot + 1) & names->mask;
    return &names->slots[slot];
}

/* Each hash has one slot, that of its first entry, which links to the others. Entries are inserted
 * from the last to the first. */
int pqx_name_table_end(pqx_name_table *names, pqx_error *error)
{
    pqx_name_entry *entries = (pqx_name_entry *)(void *)names->entries.data;
    size_t count = names->entries.size / sizeof *entries, slots = 16;
    if (count > UINT32_MAX / 4)
        return pqx_fail(error, PQX_NO_MEMORY, 0, count * sizeof *names->slots, 0);
    while (slots < 2 * count) slots *= 2;
    names->slots = (uint32_t *)calloc(slots, sizeof *names->slots);
    if (!names->slots) return pqx_fail(error, PQX_NO_MEMORY, 0, slots * sizeof *names->slots, 0);
    names->mask = (uint32_t)(slots - 1);
    for (size_t i = count; i--;) {
        uint32_t *slot = find_slot(names, entries[i].hash);
        entries[i].next = *slot;
        *slot = (uint32_t)i + 1;
    }
    names->is_read = 1;
    return PQX_OK;
}

void pqx_name_table_free(pqx_name_table *names)
{
    pqx_buffer_free(&names->entries);
    free(names->slots);
    names->slots = NULL;
    names->is_read = 0;
}

int pqx_name_table_next(const pqx_name_table *names, uint64_t hash, uint32_t *at, uint32_t *id)
{
    const pqx_name_entry *entries = (const pqx_name_entry *)(const void *)names->entries.data;
    uint32_t number = *at ? entries[*at - 1].next : *find_slot(names, hash);
    if (!number) return 0;
    *at = number;
    *id = entries[number - 1].id;
    return 1;
}
