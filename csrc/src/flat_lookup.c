/* Names, field ids and the schema's places in a flat footer. */
#include "flat_read.h"

/* Ids found so far by one lookup. */
typedef struct pqx_hits {
    uint32_t *ids;
    size_t capacity, count;
} pqx_hits;

/* What a lookup compares a cell with: a dotted name, or a field id. */
typedef struct pqx_wanted {
    const uint8_t *name;
    size_t size;
    int32_t field_id;
} pqx_wanted;

pqx_bytes pqx_flat_cell_path(const pqx_cell *cell)
{
    uint32_t length = pqx_load32(cell->data + 28);
    return (pqx_bytes){cell->data + pqx_load32(cell->data + 24), length ? length : pqx_load32(cell->data + 60)};
}

/* '.' and NUL are one and the same. */
static int same_name(const uint8_t *name, pqx_bytes path)
{
    for (size_t i = 0; i < path.size; i++) {
        if ((path.data[i] ? path.data[i] : '.') != name[i]) return 0;
    }
    return 1;
}

uint32_t pqx_flat_element_table(const pqx_cell *cell)
{
    if (pqx_load16(cell->data + 8) != PQX_KIND_COLUMN) return 64;
    return 64 + 4 * (pqx_load32(cell->data + 48) + pqx_load32(cell->data + 52) - 1);
}

static int matches(pqx_flat *flat, const pqx_cell *cell, const pqx_wanted *wanted, int *equal, pqx_error *error)
{
    if (wanted->name) {
        pqx_bytes path = pqx_flat_cell_path(cell);
        *equal = path.size == wanted->size && same_name(wanted->name, path);
        return PQX_OK;
    }
    pqx_view element;
    PQX_TRY(pqx_flat_view(flat, cell, pqx_flat_element_table(cell), PQX_FLAT_SCHEMA_ELEMENT, &element, error));
    const uint8_t *field_id = pqx_flat_find(&element, 5);
    *equal = field_id && (int32_t)pqx_load32(field_id) == wanted->field_id;
    return PQX_OK;
}

/* Compare the cells of those entries whose tag is right. */
static int try_entries(pqx_flat *flat, const uint8_t *entries, uint32_t count, uint32_t tag, const pqx_wanted *wanted, pqx_hits *hits, pqx_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pqx_load32(entries + 8 * i) != tag) continue;
        const pqx_cell *cell;
        uint32_t id;
        int equal;
        PQX_TRY(pqx_flat_load_any(flat, pqx_load32(entries + 8 * i + 4), &cell, &id, error));
        PQX_TRY(matches(flat, cell, wanted, &equal, error));
        for (size_t j = 0; j < hits->count && j < hits->capacity; j++) equal = equal && hits->ids[j] != id;
        if (!equal) continue;
        if (hits->count < hits->capacity) hits->ids[hits->count] = id;
        hits->count++;
    }
    return PQX_OK;
}

/* The entries of a bucket on a lookup's way, or the list; *last says whether it ends there. */
static int entries_at(pqx_flat *flat, uint64_t hash, uint32_t step, const uint8_t **entries, uint32_t *count, int *last, pqx_error *error)
{
    uint32_t buckets = flat->bucket_count;
    *entries = flat->listed;
    *count = flat->listed_count;
    *last = 1;
    if (!buckets) return PQX_OK;
    uint64_t bucket = ((hash >> 32) * buckets >> 32) + step;
    PQX_TRY(pqx_flat_load_page(flat, &flat->bucket, flat->buckets, (uint32_t)(bucket < buckets ? bucket : bucket - buckets), PQX_KIND_BUCKET, PQX_FLAT_BUCKET_ENTRIES, count, error));
    *entries = flat->bucket.data + PQX_FLAT_CELL_HEADER_BYTES;
    *last = *count < PQX_FLAT_BUCKET_ENTRIES || step + 1 == buckets;
    return PQX_OK;
}

static int look_up(pqx_flat *flat, uint64_t hash, const pqx_wanted *wanted, pqx_hits *hits, pqx_error *error)
{
    const uint8_t *entries;
    uint32_t count;
    int last = 0;
    pqx_flat_begin(flat);
    for (uint32_t step = 0; !last; step++) {
        PQX_TRY(entries_at(flat, hash, step, &entries, &count, &last, error));
        PQX_TRY(try_entries(flat, entries, count, (uint32_t)hash, wanted, hits, error));
    }
    return PQX_OK;
}

int pqx_flat_is_listed(pqx_flat *flat, uint64_t hash, uint32_t place, int *found, pqx_error *error)
{
    const uint8_t *entries;
    uint32_t count;
    int last = 0;
    *found = 0;
    for (uint32_t step = 0; !last && !*found; step++) {
        PQX_TRY(entries_at(flat, hash, step, &entries, &count, &last, error));
        for (uint32_t i = 0; i < count && !*found; i++)
            *found = pqx_load32(entries + 8 * i) == (uint32_t)hash && pqx_load32(entries + 8 * i + 4) == place;
    }
    return PQX_OK;
}

int pqx_flat_find_name(pqx_flat *flat, const uint8_t *name, size_t size, uint32_t *ids, size_t capacity, size_t *count, pqx_error *error)
{
    pqx_hits hits = {ids, capacity, 0};
    *count = 0;
    flat->scratch.size = 0;
    PQX_TRY(pqx_buffer_append(&flat->scratch, name, size, error));
    PQX_TRY(pqx_buffer_reserve(&flat->scratch, 1, error));
    uint64_t hash = pqx_flat_hash_path(flat->scratch.data, size);
    pqx_wanted wanted = {flat->scratch.data, size, 0};
    PQX_TRY(look_up(flat, hash, &wanted, &hits, error));
    *count = hits.count;
    return PQX_OK;
}

int pqx_flat_find_field_id(pqx_flat *flat, int32_t field_id, uint32_t *ids, size_t capacity, size_t *count, pqx_error *error)
{
    pqx_hits hits = {ids, capacity, 0};
    pqx_wanted wanted = {NULL, 0, field_id};
    *count = 0;
    PQX_TRY(look_up(flat, pqx_flat_hash_field_id(field_id), &wanted, &hits, error));
    *count = hits.count;
    return PQX_OK;
}

int pqx_flat_get_node(pqx_flat *flat, uint32_t id, pqx_flat_node *node, pqx_error *error)
{
    const pqx_cell *cell;
    pqx_flat_begin(flat);
    PQX_TRY(pqx_flat_load_id(flat, id, &cell, error));
    const uint8_t *fixed = cell->data;
    int is_node = (id & PQX_FLAT_GROUP) != 0;
    *node = (pqx_flat_node){
        .thrift = {fixed + pqx_load32(fixed + 16), pqx_load32(fixed + 20)}, .path = pqx_flat_cell_path(cell),
        .parent = pqx_load32(fixed + 32), .schema_index = pqx_load32(fixed + 36),
        .first_leaf = is_node ? pqx_load32(fixed + 48) : id, .leaf_count = is_node ? pqx_load32(fixed + 52) : 1,
        .column_order = fixed[56], .max_definition = fixed[57], .max_repetition = fixed[58],
    };
    return PQX_OK;
}
