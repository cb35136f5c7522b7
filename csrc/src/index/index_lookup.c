/* Look up leaves and groups of a footer index by name and field id. */
#include "index/index_read.h"

/* The key of a lookup and its results so far. */
typedef struct lookup {
    const uint8_t *name; /* dotted; NULL to search for the field id */
    size_t size;
    int32_t field_id;
    uint32_t *ids;
    size_t capacity, count;
} lookup;

/* '.' and NUL are equivalent. */
static int is_wanted(const lookup *l, const pqx_index_entry *entry)
{
    if (!l->name) return entry->element.field_id == l->field_id;
    if (entry->path.size != l->size) return 0;
    for (size_t i = 0; i < l->size; i++)
        if ((entry->path.data[i] ? entry->path.data[i] : '.') != l->name[i]) return 0;
    return 1;
}

/* Record an element once if it matches; *is_hit is 1 if it does. */
static int try_id(pqx_index *index, uint32_t id, lookup *l, int *is_hit, pqx_error *error)
{
    const pqx_index_entry *entry;
    PQX_TRY(l->name ? pqx_index_load_path(index, id, &entry, error)
                    : pqx_index_load_id(index, id, &entry, error));
    *is_hit = is_wanted(l, entry);
    if (!*is_hit) return PQX_OK;
    for (size_t i = 0; i < l->count && i < l->capacity; i++) {
        if (l->ids[i] == id) return PQX_OK;
    }
    if (l->count < l->capacity) l->ids[l->count] = id;
    l->count++;
    return PQX_OK;
}

/* Compare those of the entries at `place` that have the tag. */
static int try_entries(pqx_index *index, const uint8_t *entries, uint32_t count, uint64_t place,
                       uint32_t tag, lookup *l, pqx_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = pqx_load32(entries + 8 * i + 4), number = id & ~PQX_FLAT_GROUP;
        uint32_t most = id & PQX_FLAT_GROUP ? index->shape.nodes : index->shape.leaves;
        int is_hit;
        if (pqx_load32(entries + 8 * i) != tag) continue;
        if (number >= most)
            return pqx_index_fail(index, error, PQX_BAD_VALUE, place + 8 * i + 4, most, number);
        PQX_TRY(try_id(index, id, l, &is_hit, error));
        index->all_names.steps += !is_hit;
    }
    return PQX_OK;
}

int pqx_index_load_bucket(pqx_index *index, uint32_t bucket, uint64_t *place, pqx_error *error)
{
    *place = index->areas.buckets + PQX_FLAT_PAGE_BYTES * (uint64_t)bucket;
    return pqx_index_load(index, *place, PQX_FLAT_PAGE_BYTES, &index->bucket, error);
}

/* Load a bucket, and check its header; *at is its place. */
static int load_bucket(pqx_index *index, uint32_t bucket, uint64_t *at, uint32_t *used,
                       pqx_error *error)
{
    PQX_TRY(index->form->load_bucket(index, bucket, at, error));
    uint64_t place = *at;
    const uint8_t *page = index->bucket.data;
    uint32_t size = pqx_load32(page + 4), kind = pqx_load16(page + 8),
             number = pqx_load32(page + 12);
    *used = pqx_load16(page + 10);
    if (size != PQX_FLAT_PAGE_BYTES)
        return pqx_index_fail(index, error, PQX_BAD_CELL, place + 4, PQX_FLAT_PAGE_BYTES, size);
    if (kind != PQX_KIND_BUCKET)
        return pqx_index_fail(index, error, PQX_BAD_CELL, place + 8, PQX_KIND_BUCKET, kind);
    if (number != bucket)
        return pqx_index_fail(index, error, PQX_BAD_CELL, place + 12, bucket, number);
    if (*used > PQX_FLAT_BUCKET_ENTRIES)
        return pqx_index_fail(index, error, PQX_BAD_CELL, place + 10, PQX_FLAT_BUCKET_ENTRIES,
                              *used);
    return PQX_OK;
}

/* Add an element's name to the table; *all counts the bytes of the paths, which are assembled from
 * that many cells. */
static int add_name(pqx_index *index, uint32_t id, uint64_t *all, pqx_error *error)
{
    const pqx_index_entry *entry;
    uint64_t limit = pqx_flat_limit(index->limit);
    pqx_index_begin(index);
    PQX_TRY(pqx_index_load_path(index, id, &entry, error));
    *all += entry->path.size;
    if (PQX_UNLIKELY(*all > limit))
        return pqx_fail(error, PQX_BAD_OFFSET, entry->place, limit, *all);
    int32_t field_id = entry->element.field_id;
    return pqx_name_table_add(&index->all_names, (pqx_bytes){entry->path.data, entry->path.size},
                              field_id == INT32_MIN ? NULL : &field_id, id, error);
}

/* Read all names in the order of the buckets: leaves, then nodes except the root. */
static int read_names(pqx_index *index, pqx_error *error)
{
    uint64_t all = 0;
    PQX_TRY(pqx_index_hold(index, error));
    PQX_TRY(pqx_name_table_begin(&index->all_names, error));
    for (uint32_t leaf = 0; leaf < index->shape.leaves; leaf++)
        PQX_TRY(add_name(index, leaf, &all, error));
    for (uint32_t node = 1; node < index->shape.nodes; node++)
        PQX_TRY(add_name(index, PQX_FLAT_GROUP | node, &all, error));
    return pqx_name_table_end(&index->all_names, error);
}

static int look_up_in_all(pqx_index *index, lookup *l, pqx_error *error)
{
    const pqx_name_table *names = &index->all_names;
    uint64_t hash = l->name ? pqx_name_table_hash_path(names, (pqx_bytes){l->name, l->size})
                            : pqx_name_table_hash_field_id(names, l->field_id);
    uint32_t at = 0, id;
    int is_hit;
    l->count = 0;
    pqx_index_begin(index);
    while (pqx_name_table_next(names, hash, &at, &id)) {
        if (l->count > l->capacity)
            l->count++; /* the same hash under a secret key: the same name again */
        else PQX_TRY(try_id(index, id, l, &is_hit, error));
    }
    return PQX_OK;
}

/* Return the bucket in which the entries of a hash begin. */
static uint64_t home_of(uint64_t hash, uint32_t buckets) { return (hash >> 32) * buckets >> 32; }

static int look_up(pqx_index *index, uint64_t hash, lookup *l, pqx_error *error)
{
    uint32_t buckets = pqx_index_buckets(&index->shape), used = PQX_FLAT_BUCKET_ENTRIES;
    uint64_t bucket = home_of(hash, buckets);
    pqx_name_table *names = &index->all_names;
    if (names->is_read) return look_up_in_all(index, l, error);
    pqx_index_begin(index);
    if (!buckets)
        return try_entries(index, index->listed, index->shape.names, index->listed_place,
                           (uint32_t)hash, l, error);
    for (uint32_t step = 0; step < buckets && used == PQX_FLAT_BUCKET_ENTRIES; step++) {
        uint64_t place = 0;
        PQX_TRY(load_bucket(index, (uint32_t)bucket, &place, &used, error));
        place += PQX_FLAT_CELL_HEADER_BYTES;
        PQX_TRY(try_entries(index, index->bucket.data + PQX_FLAT_CELL_HEADER_BYTES, used, place,
                            (uint32_t)hash, l, error));
        bucket = bucket + 1 < buckets ? bucket + 1 : 0;
        if (used < PQX_FLAT_BUCKET_ENTRIES || step + 1 == buckets) break;
        names->steps++;
        if (!pqx_name_table_is_wanted(names, step + 1)) continue;
        PQX_TRY(read_names(index, error));
        return look_up_in_all(index, l, error);
    }
    names->lookups++;
    return PQX_OK;
}

/* Copy a name to the reader's scratch memory, and hash it. */
static int hash_name(pqx_index *index, const uint8_t *name, size_t size, uint64_t *hash,
                     pqx_error *error)
{
    index->scratch.size = 0;
    PQX_TRY(pqx_buffer_append(&index->scratch, name, size, error));
    PQX_TRY(pqx_buffer_reserve(&index->scratch, 1, error));
    *hash = pqx_flat_hash_path(index->scratch.data, size);
    return PQX_OK;
}

int pqx_index_find_name(pqx_index *index, const uint8_t *name, size_t size, uint32_t *ids,
                        size_t capacity, size_t *count, pqx_error *error)
{
    uint64_t hash;
    *count = 0;
    PQX_TRY(hash_name(index, name, size, &hash, error));
    lookup l = {.name = index->scratch.data, .size = size, .ids = ids, .capacity = capacity};
    PQX_TRY(look_up(index, hash, &l, error));
    *count = l.count;
    return PQX_OK;
}

uint32_t pqx_index_guess_name(pqx_index *index, const uint8_t *name, size_t size)
{
    uint32_t buckets = pqx_index_buckets(&index->shape), count = index->shape.names;
    const uint8_t *entries = index->listed;
    uint64_t hash, place;
    if (index->all_names.is_read || hash_name(index, name, size, &hash, NULL)) return UINT32_MAX;
    pqx_index_begin(index);
    if (buckets) {
        if (load_bucket(index, (uint32_t)home_of(hash, buckets), &place, &count, NULL))
            return UINT32_MAX;
        entries = index->bucket.data + PQX_FLAT_CELL_HEADER_BYTES;
    }
    for (uint32_t i = 0; i < count; i++)
        if (pqx_load32(entries + 8 * i) == (uint32_t)hash) return pqx_load32(entries + 8 * i + 4);
    return UINT32_MAX;
}

int pqx_index_find_field_id(pqx_index *index, int32_t field_id, uint32_t *ids, size_t capacity,
                            size_t *count, pqx_error *error)
{
    lookup l = {.field_id = field_id, .ids = ids, .capacity = capacity};
    *count = 0;
    PQX_TRY(look_up(index, pqx_flat_hash_field_id(field_id), &l, error));
    *count = l.count;
    return PQX_OK;
}
