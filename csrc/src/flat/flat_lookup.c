/* Look up names, field ids and schema positions in a flat footer. */
#include "flat/flat_head.h"

#define FIELD_ID 5 /* slot of SchemaElement */

/* The ids that one lookup has found so far. */
typedef struct pqx_hits {
    uint32_t *ids;
    size_t capacity, count;
} pqx_hits;

/* The key that a lookup compares a cell with: a dotted name, or a field id. */
typedef struct pqx_wanted {
    const uint8_t *name;
    size_t size;
    int32_t field_id;
} pqx_wanted;

/* '.' and NUL are equivalent. */
static int same_name(const uint8_t *name, pqx_bytes part)
{
    for (size_t i = 0; i < part.size; i++) {
        if ((part.data[i] ? part.data[i] : '.') != name[i]) return 0;
    }
    return 1;
}

/* Return 1 if the dotted name is the path: the parent's path, a dot, and the element's name. */
static int same_path(const pqx_wanted *wanted, const pqx_head *head)
{
    size_t above = head->parent ? head->above.size + 1 : 0;
    if (head->id == PQX_FLAT_GROUP) return wanted->size == 0;
    if (wanted->size != above + head->name.size) return 0;
    if (above && (!same_name(wanted->name, head->above) || wanted->name[above - 1] != '.'))
        return 0;
    return same_name(wanted->name + above, head->name);
}

static int matches(const pqx_head *head, const pqx_wanted *wanted)
{
    if (wanted->name) return same_path(wanted, head);
    const uint8_t *field_id = pqx_flat_find(&head->view, FIELD_ID);
    return field_id && (int32_t)pqx_load32(field_id) == wanted->field_id;
}

/* Record an element once if it matches. Return 1 if it matches. */
static int try_head(const pqx_head *head, const pqx_wanted *wanted, pqx_hits *hits)
{
    if (!matches(head, wanted)) return 0;
    for (size_t i = 0; i < hits->count && i < hits->capacity; i++) {
        if (hits->ids[i] == head->id) return 1;
    }
    if (hits->count < hits->capacity) hits->ids[hits->count] = head->id;
    hits->count++;
    return 1;
}

/* Compare the cells of those entries that have the tag. */
static int try_entries(pqx_flat *flat, const uint8_t *entries, uint32_t count, uint32_t tag,
                       const pqx_wanted *wanted, pqx_hits *hits, pqx_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pqx_load32(entries + 8 * i) != tag) continue;
        const pqx_head *head;
        PQX_TRY(pqx_flat_load_named(flat, pqx_load32(entries + 8 * i + 4), &head, error));
        flat->all_names.steps += !try_head(head, wanted, hits);
    }
    return PQX_OK;
}

static int add_name(pqx_flat *flat, uint32_t id, pqx_error *error)
{
    const pqx_head *head;
    pqx_bytes thrift, path;
    PQX_TRY(pqx_flat_load_id(flat, id, &head, error));
    PQX_TRY(pqx_flat_join(flat, head, &thrift, &path, error));
    const uint8_t *field = pqx_flat_find(&head->view, FIELD_ID);
    int32_t field_id = field ? (int32_t)pqx_load32(field) : 0;
    return pqx_name_table_add(&flat->all_names, path, field ? &field_id : NULL, id, error);
}

/* Read all names in the order of the buckets: leaves, then nodes except the root. */
static int read_names(pqx_flat *flat, pqx_error *error)
{
    PQX_TRY(pqx_flat_hold(flat, error));
    pqx_flat_begin(flat);
    PQX_TRY(pqx_name_table_begin(&flat->all_names, error));
    for (uint32_t leaf = 0; leaf < flat->facts.leaf_count; leaf++)
        PQX_TRY(add_name(flat, leaf, error));
    for (uint32_t node = 1; node < flat->facts.node_count; node++)
        PQX_TRY(add_name(flat, PQX_FLAT_GROUP | node, error));
    return pqx_name_table_end(&flat->all_names, error);
}

static int look_up_in_all(pqx_flat *flat, const pqx_wanted *wanted, pqx_hits *hits,
                          pqx_error *error)
{
    const pqx_name_table *names = &flat->all_names;
    uint64_t hash = wanted->name
                        ? pqx_name_table_hash_path(names, (pqx_bytes){wanted->name, wanted->size})
                        : pqx_name_table_hash_field_id(names, wanted->field_id);
    uint32_t at = 0, id;
    hits->count = 0;
    pqx_flat_begin(flat);
    while (pqx_name_table_next(names, hash, &at, &id)) {
        const pqx_head *head;
        if (hits->count
            > hits->capacity) { /* the same hash under a secret key: the same name again */
            hits->count++;
            continue;
        }
        PQX_TRY(pqx_flat_load_id(flat, id, &head, error));
        (void)try_head(head, wanted, hits);
    }
    return PQX_OK;
}

/* Read the entries of a bucket on a lookup's way, or the list; *last is 1 if the search ends there.
 */
static int entries_at(pqx_flat *flat, uint64_t hash, uint32_t step, const uint8_t **entries,
                      uint32_t *count, int *last, pqx_error *error)
{
    uint32_t buckets = flat->bucket_count;
    *entries = flat->listed;
    *count = flat->listed_count;
    *last = 1;
    if (!buckets) return PQX_OK;
    uint64_t bucket = ((hash >> 32) * buckets >> 32) + step;
    PQX_TRY(pqx_flat_load_page(flat, &flat->bucket, flat->buckets,
                               (uint32_t)(bucket < buckets ? bucket : bucket - buckets),
                               PQX_KIND_BUCKET, PQX_FLAT_BUCKET_ENTRIES, count, error));
    *entries = flat->bucket.data + PQX_FLAT_CELL_HEADER_BYTES;
    *last = *count < PQX_FLAT_BUCKET_ENTRIES || step + 1 == buckets;
    return PQX_OK;
}

static int look_up(pqx_flat *flat, uint64_t hash, const pqx_wanted *wanted, pqx_hits *hits,
                   pqx_error *error)
{
    const uint8_t *entries;
    uint32_t count;
    int last = 0;
    pqx_name_table *names = &flat->all_names;
    if (names->is_read) return look_up_in_all(flat, wanted, hits, error);
    pqx_flat_begin(flat);
    for (uint32_t step = 0; !last; step++) {
        PQX_TRY(entries_at(flat, hash, step, &entries, &count, &last, error));
        PQX_TRY(try_entries(flat, entries, count, (uint32_t)hash, wanted, hits, error));
        if (last) break;
        names->steps++;
        if (!pqx_name_table_is_wanted(names, step + 1)) continue;
        PQX_TRY(read_names(flat, error));
        return look_up_in_all(flat, wanted, hits, error);
    }
    names->lookups++;
    return PQX_OK;
}

uint32_t pqx_flat_entry_word(const pqx_flat *flat, const pqx_head *head)
{ return head->cell->place | (head->id & PQX_FLAT_GROUP ? 0 : head->id % flat->cell_leaves); }

int pqx_flat_find_name(pqx_flat *flat, const uint8_t *name, size_t size, uint32_t *ids,
                       size_t capacity, size_t *count, pqx_error *error)
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

int pqx_flat_find_field_id(pqx_flat *flat, int32_t field_id, uint32_t *ids, size_t capacity,
                           size_t *count, pqx_error *error)
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
    const pqx_head *head;
    pqx_bytes thrift, path;
    pqx_flat_begin(flat);
    PQX_TRY(pqx_flat_load_id(flat, id, &head, error));
    PQX_TRY(pqx_flat_join(flat, head, &thrift, &path, error));
    *node = (pqx_flat_node){
        .thrift = thrift,
        .path = path,
        .parent = id == PQX_FLAT_GROUP ? PQX_FLAT_NONE : head->parent,
        .schema_index = head->index,
        .first_leaf = head->first_leaf,
        .leaf_count = head->leaf_count,
        .column_order = head->column_order,
        .max_definition = head->max_definition,
        .max_repetition = head->max_repetition,
    };
    return PQX_OK;
}
