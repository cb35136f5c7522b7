/* Check a whole flat footer (docs/formats.md, 3.8): every cell, every name, and the view of other
 * readers. */
#include <stdlib.h>

#include "flat/flat_head.h"
#include "flat/flat_slice.h"
#include "flat/flat_verify_names.h"

#define EXTENSIONS 24 /* slot of the root table */

typedef struct pqx_verifier {
    pqx_flat *flat;
    const uint8_t *payload;
    uint32_t *extensions; /* the same, each in a separate list */
    uint32_t *elements, *row_groups, *chunks,
        *key_values; /* offsets of the tables that the cells list; 0 if not yet known; chunks leaf
                        by leaf */
    uint32_t created_by;
    pqx_names names;
    pqx_error *error;
} pqx_verifier;

static int expect(const pqx_verifier *v, uint64_t place, uint64_t expected, uint64_t found)
{
    return expected == found
               ? PQX_OK
               : pqx_flat_fail(v->flat, v->error, PQX_BAD_VALUE, place, expected, found);
}

/* Check that a lookup of this hash passes the element's entry. */
static int expect_listed(pqx_verifier *v, uint64_t hash, const pqx_head *head, uint64_t place)
{
    return expect(v, place, 1,
                  (uint64_t)pqx_names_have(&v->names, hash, pqx_flat_entry_word(v->flat, head)));
}

static int verify_element(pqx_verifier *v, uint32_t id)
{
    pqx_flat *flat = v->flat;
    const pqx_head *head;
    pqx_bytes item, thrift, path;
    PQX_TRY(pqx_flat_load_id(flat, id, &head, v->error));
    uint64_t place = (uint64_t)head->cell->place + head->at;
    if (v->elements[head->index])
        return pqx_flat_fail(flat, v->error, PQX_BAD_VALUE, place,
                             flat->facts.leaf_count + flat->facts.node_count, head->index);
    v->elements[head->index] = head->cell->place + head->element;
    if (head->arrow) PQX_TRY(pqx_flat_pool_item(flat, place, head->arrow, &item, v->error));
    if (id == PQX_FLAT_GROUP) return PQX_OK;
    const uint8_t *field_id = pqx_flat_find(&head->view, 5);
    PQX_TRY(pqx_flat_join(flat, head, &thrift, &path, v->error));
    PQX_TRY(expect_listed(v, pqx_flat_hash_path(flat->joined.data + thrift.size, path.size), head,
                          place));
    return field_id ? expect_listed(v, pqx_flat_hash_field_id((int32_t)pqx_load32(field_id)), head,
                                    place)
                    : PQX_OK;
}

/* Decode a leaf's chunks part by part, and keep the offsets of their tables. */
static int verify_chunks(pqx_verifier *v, uint32_t leaf, pqx_chunk *records, pqx_buffer *arena)
{
    pqx_flat *flat = v->flat;
    uint32_t groups = flat->facts.row_group_count;
    for (uint32_t first = 0; first < groups; first += PQX_FLAT_PART_ROW_GROUPS) {
        uint32_t count =
            groups - first < PQX_FLAT_PART_ROW_GROUPS ? groups - first : PQX_FLAT_PART_ROW_GROUPS;
        arena->size = 0;
        PQX_TRY(pqx_flat_read_chunks(flat, leaf, first, count, records, NULL, arena, v->error));
        const uint32_t place = (first ? &flat->part : &flat->column)->place,
                       *chunks = first ? flat->part_chunks : flat->chunks;
        for (uint32_t i = 0; i < count; i++)
            v->chunks[(size_t)leaf * groups + first + i] = place + chunks[i];
    }
    return PQX_OK;
}

static int verify_columns(pqx_verifier *v)
{
    pqx_chunk records[PQX_FLAT_PART_ROW_GROUPS];
    pqx_buffer arena = {0};
    int status = PQX_OK;
    for (uint32_t leaf = 0; status == PQX_OK && leaf < v->flat->facts.leaf_count; leaf++) {
        pqx_flat_begin(v->flat);
        status = verify_element(v, leaf);
        if (status == PQX_OK) status = verify_chunks(v, leaf, records, &arena);
    }
    pqx_buffer_free(&arena);
    return status;
}

static int verify_row_groups(pqx_verifier *v)
{
    pqx_row_group table, said;
    pqx_view view;
    size_t sorting;
    for (uint32_t i = 0; i < v->flat->facts.row_group_count; i++) {
        pqx_flat_begin(v->flat);
        PQX_TRY(pqx_flat_read_group_table(v->flat, i, &table, v->error));
        PQX_TRY(pqx_flat_get_sorting_columns(v->flat, i, NULL, 0, &sorting, v->error));
        PQX_TRY(pqx_flat_row_group_view(v->flat, i, &view, v->error));
        v->row_groups[i] = view.cell->place + view.at;
        PQX_TRY(pqx_flat_read_row_group(v->flat, i, &said, v->error));
        PQX_TRY(expect(v, v->row_groups[i], (uint64_t)said.num_rows, (uint64_t)table.num_rows));
        PQX_TRY(expect(v, v->row_groups[i], (uint64_t)said.total_byte_size,
                       (uint64_t)table.total_byte_size));
        PQX_TRY(
            expect(v, v->row_groups[i], (uint64_t)said.file_offset, (uint64_t)table.file_offset));
        PQX_TRY(expect(v, v->row_groups[i], (uint64_t)said.total_compressed_size,
                       (uint64_t)table.total_compressed_size));
        PQX_TRY(expect(v, v->row_groups[i], (uint64_t)(int64_t)said.ordinal,
                       (uint64_t)(int64_t)table.ordinal));
    }
    return PQX_OK;
}

static int verify_others(pqx_verifier *v)
{
    pqx_flat *flat = v->flat;
    pqx_bytes key, value;
    int present;
    uint32_t place, first_page = flat->place_count - flat->pool_pages;
    for (uint32_t i = 0; i < flat->facts.key_value_count; i++) {
        PQX_TRY(pqx_flat_get_key_value(flat, i, &key, &value, v->error));
        v->key_values[i] = flat->text.place + PQX_FLAT_CELL_HEADER_BYTES;
    }
    PQX_TRY(pqx_flat_get_created_by(flat, &key, &present, v->error));
    if (present) v->created_by = flat->text.place + PQX_FLAT_CREATED_BY;
    PQX_TRY(pqx_flat_load_root(flat, v->error));
    for (uint32_t page = 0; page < flat->pool_pages; page++) {
        pqx_flat_begin(flat);
        PQX_TRY(pqx_flat_place(flat, first_page + page, &place, v->error));
        PQX_TRY(pqx_flat_load(flat, &flat->pool, place, flat->pool_hint, PQX_KIND_POOL, 0, page,
                              v->error));
    }
    return PQX_OK;
}

static int verify_extensions(pqx_verifier *v)
{
    pqx_flat *flat = v->flat;
    uint32_t count;
    pqx_bytes data;
    PQX_TRY(pqx_flat_get_extension_count(flat, &count, v->error));
    v->extensions = (uint32_t *)calloc(count ? count : 1, sizeof *v->extensions);
    if (!v->extensions)
        return pqx_fail(v->error, PQX_NO_MEMORY, 0, count * sizeof *v->extensions, 0);
    for (uint32_t i = 0; i < count; i++) {
        PQX_TRY(pqx_flat_get_extension(flat, i, &data, v->error));
        v->extensions[i] = flat->extension.place + PQX_FLAT_CELL_HEADER_BYTES;
    }
    return PQX_OK;
}

/* Check that the offset at `field` refers to `target`. */
static int expect_target(const pqx_verifier *v, uint32_t field, uint32_t target)
{ return expect(v, field, target, (uint64_t)field + pqx_load32(v->payload + field)); }

/* Check that the vector of a field of `view` has `count` entries, for the tables at targets[i ×
 * step]. */
static int expect_vector(const pqx_verifier *v, const pqx_view *view, uint32_t slot,
                         const uint32_t *targets, uint32_t count, uint32_t step)
{
    uint32_t vector;
    PQX_TRY(pqx_flat_follow(v->flat, view, slot, &vector, v->error));
    uint32_t found = pqx_load32(v->payload + vector), tail = v->flat->tail;
    if (found > (tail - vector - 4) / 4)
        return pqx_flat_fail(v->flat, v->error, PQX_BAD_OFFSET, vector, tail, found);
    PQX_TRY(expect(v, vector, count, found));
    memset(v->flat->unseen + vector, 0, 4 + 4 * (size_t)count);
    for (uint32_t i = 0; i < count; i++)
        PQX_TRY(expect_target(v, vector + 4 + 4 * i, targets[(size_t)i * step]));
    return PQX_OK;
}

/* Check that the root table and vectors, which are not in any cell, refer to the tables that the
 * cells list. */
static int verify_public_way(pqx_verifier *v)
{
    pqx_flat *flat = v->flat;
    const pqx_flat_facts *facts = &flat->facts;
    pqx_cell whole = {.data = v->payload, .place = 0, .size = flat->tail};
    pqx_view root, group;
    uint32_t wanted = flat->flags & PQX_FLAT_VERBATIM
                          ? 0
                          : 15 | (flat->flags & 2) << 3 | (flat->flags & 1) << 5
                                | (uint32_t)(flat->extensions_place != 0) << EXTENSIONS,
             found = 0;
    PQX_TRY(pqx_flat_view(flat, &whole, pqx_load32(v->payload), PQX_FLAT_FILE_META_DATA, &root,
                          v->error));
    memset(flat->unseen, 0, 4);
    memset(flat->unseen + root.at, 0, pqx_load16(root.vtable - 2));
    for (uint32_t slot = 0; slot <= EXTENSIONS; slot += slot == 5 ? EXTENSIONS - 5 : 1)
        found |= (uint32_t)(pqx_flat_find(&root, slot) != NULL) << slot;
    PQX_TRY(expect(v, root.at, wanted, found));
    if (!wanted) return PQX_OK;
    const uint8_t *version = pqx_flat_find(&root, 0), *num_rows = pqx_flat_find(&root, 2),
                  *created_by = pqx_flat_find(&root, 5);
    PQX_TRY(
        expect(v, (uint64_t)(version - v->payload), (uint32_t)facts->version, pqx_load32(version)));
    PQX_TRY(expect(v, (uint64_t)(num_rows - v->payload), (uint64_t)facts->num_rows,
                   pqx_load64(num_rows)));
    PQX_TRY(expect_vector(v, &root, 1, v->elements, facts->leaf_count + facts->node_count, 1));
    PQX_TRY(expect_vector(v, &root, 3, v->row_groups, facts->row_group_count, 1));
    for (uint32_t i = 0; i < facts->row_group_count; i++) {
        PQX_TRY(
            pqx_flat_view(flat, &whole, v->row_groups[i], PQX_FLAT_ROW_GROUP, &group, v->error));
        if (!pqx_flat_find(&group, 0))
            return pqx_flat_fail(flat, v->error, PQX_BAD_VALUE, v->row_groups[i], 1, 0);
        PQX_TRY(
            expect_vector(v, &group, 0, v->chunks + i, facts->leaf_count, facts->row_group_count));
    }
    if (flat->flags & 2)
        PQX_TRY(expect_vector(v, &root, 4, v->key_values, facts->key_value_count, 1));
    if (flat->extensions_place)
        PQX_TRY(expect_vector(v, &root, EXTENSIONS, v->extensions,
                              pqx_load32(flat->extensions.data + 16), 1));
    return created_by ? expect_target(v, (uint32_t)(created_by - v->payload), v->created_by)
                      : PQX_OK;
}

/* Check that the remaining bytes are padding: zero. */
static int verify_padding(const pqx_verifier *v)
{
    const uint8_t *unseen = v->flat->unseen;
    uint32_t at = 0, tail = v->flat->tail;
    while (at < tail && !unseen[at]) at++;
    return at == tail ? PQX_OK : expect(v, at, 0, unseen[at]);
}

static int verify_all(pqx_verifier *v)
{
    const pqx_flat_facts *facts = &v->flat->facts;
    size_t chunks = (size_t)facts->leaf_count * facts->row_group_count,
           elements = (size_t)facts->leaf_count + facts->node_count;
    v->elements = (uint32_t *)calloc(
        elements + facts->row_group_count + facts->key_value_count + chunks, sizeof *v->elements);
    if (!v->elements) return pqx_fail(v->error, PQX_NO_MEMORY, 0, chunks * sizeof *v->elements, 0);
    v->flat->unseen = (uint8_t *)malloc(v->flat->tail);
    if (!v->flat->unseen) return pqx_fail(v->error, PQX_NO_MEMORY, 0, v->flat->tail, 0);
    memcpy(v->flat->unseen, v->payload, v->flat->tail);
    v->row_groups = v->elements + elements;
    v->key_values = v->row_groups + facts->row_group_count;
    v->chunks = v->key_values + facts->key_value_count;
    PQX_TRY(pqx_names_read(&v->names, v->flat, v->error));
    for (uint32_t node = 0; node < facts->node_count; node++) {
        pqx_flat_begin(v->flat);
        PQX_TRY(verify_element(v, PQX_FLAT_GROUP | node));
    }
    PQX_TRY(verify_columns(v));
    PQX_TRY(verify_row_groups(v));
    PQX_TRY(verify_others(v));
    PQX_TRY(verify_extensions(v));
    PQX_TRY(verify_public_way(v));
    return verify_padding(v);
}

int pqx_flat_verify(const uint8_t *payload, size_t size, pqx_error *error)
{
    pqx_verifier verifier = {.payload = payload, .error = error};
    pqx_buffer thrift = {0};
    PQX_TRY(pqx_flat_open_memory(payload, size, &verifier.flat, error));
    int status = verify_all(&verifier);
    if (status == PQX_OK) status = pqx_flat_to_thrift(payload, size, &thrift, error);
    pqx_buffer_free(&thrift);
    free(verifier.elements);
    free(verifier.extensions);
    pqx_names_free(&verifier.names);
    free(verifier.flat->unseen);
    pqx_flat_close(verifier.flat);
    return status;
}
