/* Write records: the parts of one cell's structs that are not in the tables, back to back
 * (docs/formats.md, 3.6). */
#include "flat/flat_write.h"

void pqx_flat_records_begin(pqx_flat_writer *w)
{
    w->records.size = 0;
    w->record_skeleton = 0;
}

static int append_varint(pqx_flat_writer *w, uint64_t value)
{
    uint8_t bytes[10];
    return pqx_buffer_append(&w->records, bytes, pqx_varint_put(bytes, value), w->error);
}

/* Append the record of w->residue's literals, with the skeleton at this pool position. */
static int append_record(pqx_flat_writer *w, uint32_t skeleton)
{
    const pqx_buffer *literals = &w->residue.literals;
    int same = skeleton == w->record_skeleton;
    if (same && literals->size == w->record_size
        && (!literals->size
            || !memcmp(w->records.data + w->record_literals, literals->data, literals->size)))
        return append_varint(w, PQX_RECORD_SAME);
    PQX_TRY(append_varint(w, same ? PQX_RECORD_SAME_SKELETON : skeleton));
    w->record_skeleton = skeleton;
    w->record_literals = w->records.size;
    w->record_size = literals->size;
    return pqx_buffer_append(&w->records, literals->data, literals->size, w->error);
}

/* Add a record with the skeleton `known`, of the previous struct or of the last chunk of its type,
 * if it fits, or else with a new one. */
static int add_record(pqx_flat_writer *w, const pqx_residue_source *source,
                      pqx_known_skeleton *known)
{
    int fits = 0;
    if (known->place && !source->inexact)
        PQX_TRY(pqx_residue_fits(&w->residue, source, known, &fits, w->error));
    if (!fits) {
        PQX_TRY(pqx_residue_make(&w->residue, source, w->error));
        PQX_TRY(pqx_flat_pool_add(w, w->residue.skeleton.data, w->residue.skeleton.size,
                                  &known->place));
        PQX_TRY(
            pqx_skeleton_know(known, w->residue.skeleton.data, w->residue.skeleton.size, w->error));
    }
    return append_record(w, known->place);
}

int pqx_flat_add_group_record(pqx_flat_writer *w, uint32_t index)
{
    const pqx_scan *scan = w->scan;
    const pqx_row_group *group = &scan->row_groups[index];
    pqx_bytes chunks = {w->footer, 0};
    pqx_residue_source source = {w->footer,
                                 w->footer_size,
                                 group->bytes.offset,
                                 group->bytes.offset + (size_t)group->bytes.length,
                                 PQX_IN_GROUP_STRUCT,
                                 0,
                                 {.group = group, .chunks = &chunks},
                                 {{0}}};
    if (group->chunk_count) {
        size_t first = scan->chunks[(size_t)index * scan->leaf_count].chunk.offset,
               end = group->columns.offset + (size_t)group->columns.length;
        chunks = (pqx_bytes){w->footer + first, end - first};
        source.lists[0] =
            (pqx_known_list){PQX_IN_GROUP_STRUCT, PQX_ROW_GROUP_COLUMNS, PQX_OP_CHUNKS, first, end};
    }
    if (!w->record_skeleton) w->known_group.place = 0;
    return add_record(w, &source, &w->known_group);
}

/* Return the bound at `range`, and set its bit of `inexact` if the tables contain a shorter one. */
static pqx_bytes bound(const pqx_flat_writer *w, const pqx_element *leaf, pqx_range range,
                       int is_max, uint8_t *inexact)
{
    const uint8_t *bytes = w->footer + range.offset;
    uint8_t shorter[16];
    if (w->is_compact && pqx_flat_shorten(leaf, bytes, range.length, is_max, shorter))
        *inexact |= (uint8_t)(1 << is_max);
    return (pqx_bytes){bytes, range.length};
}

int pqx_flat_add_chunk_record(pqx_flat_writer *w, const pqx_element *leaf, uint64_t index)
{
    static const pqx_places nowhere = {-1, -1, -1, -1, -1, -1, -1, 0};
    const pqx_chunk *chunk = &w->scan->chunks[index];
    pqx_residue_source source = {w->footer,
                                 w->footer_size,
                                 chunk->chunk.offset,
                                 chunk->chunk.offset + (size_t)chunk->chunk.length,
                                 PQX_IN_CHUNK_STRUCT,
                                 0,
                                 {.chunk = chunk,
                                  .places = w->scan->places ? &w->scan->places[index] : &nowhere,
                                  .path = {w->path_list.data, w->path_list.size}},
                                 {{0}}};
    if (w->has_bounds & 1) source.facts.min = bound(w, leaf, w->bound[0], 0, &source.inexact);
    if (w->has_bounds & 2) source.facts.max = bound(w, leaf, w->bound[1], 1, &source.inexact);
    return add_record(w, &source, &w->known[leaf->type >= 0 && leaf->type < 8 ? leaf->type : 8]);
}

int pqx_flat_put_records(pqx_flat_writer *w, uint32_t *at)
{ return pqx_flat_append(w, w->records.data, w->records.size, at); }

/* Get keys and values of the footer from its scan. */
static int get_pair(void *context, uint32_t number, int part, pqx_bytes *bytes, pqx_error *error)
{
    const pqx_flat_writer *w = (const pqx_flat_writer *)context;
    const pqx_key_value *pair = &w->scan->key_values[number];
    pqx_range range = part ? pair->value : pair->key;
    (void)error;
    *bytes = (pqx_bytes){part && !pair->has_value ? NULL : w->footer + range.offset, range.length};
    return PQX_OK;
}

int pqx_flat_make_root_residue(pqx_flat_writer *w, int verbatim)
{
    const pqx_scan *scan = w->scan;
    pqx_footer_facts facts = {.version = scan->version,
                              .num_rows = scan->num_rows,
                              .pair = get_pair,
                              .context = w,
                              .pair_count = scan->key_value_count};
    pqx_residue_source source = {
        w->footer, w->footer_size, 0, w->footer_size, PQX_IN_FOOTER_STRUCT, 0, {0}, {{0}}};
    if (verbatim) return pqx_residue_make(&w->residue, &source, w->error);
    if (scan->has_created_by)
        facts.created_by =
            (pqx_bytes){w->footer + scan->created_by.offset, scan->created_by.length};
    w->path_list.size = w->path.size = 0;
    PQX_TRY(pqx_buffer_reserve(&w->path, scan->leaf_count, w->error));
    for (uint32_t i = 0; i < scan->leaf_count; i++)
        w->path.data[i] = scan->elements[scan->leaves[i]].column_order;
    PQX_TRY(pqx_append_column_orders(w->path.data, scan->leaf_count, &w->path_list, w->error));
    if (scan->has_column_orders)
        facts.column_orders = (pqx_bytes){w->path_list.data, w->path_list.size};
    const pqx_element *last = &scan->elements[scan->element_count - 1];
    source.facts.footer = &facts;
    source.lists[0] = (pqx_known_list){PQX_IN_FOOTER_STRUCT, PQX_FILE_META_DATA_SCHEMA,
                                       PQX_OP_ELEMENTS, scan->elements[0].bytes.offset,
                                       last->bytes.offset + (size_t)last->bytes.length};
    if (scan->row_group_count) {
        const pqx_row_group *group = &scan->row_groups[scan->row_group_count - 1];
        source.lists[1] = (pqx_known_list){PQX_IN_FOOTER_STRUCT, PQX_FILE_META_DATA_ROW_GROUPS,
                                           PQX_OP_ROW_GROUPS, scan->row_groups[0].bytes.offset,
                                           group->bytes.offset + (size_t)group->bytes.length};
    }
    return pqx_residue_make(&w->residue, &source, w->error);
}
