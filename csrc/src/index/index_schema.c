/* Read the schema elements and paths of the leaves and groups in a footer index. */
#include "index/index_read.h"

/* Read a cell's values for its element, and check them. */
static int read_schema_part(pqx_index *index, pqx_index_entry *entry, uint64_t place, uint32_t id,
                            pqx_range *thrift, uint32_t *crc, pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    const uint8_t *cell = entry->cell.data, *at = cell + 8;
    int is_node = (id & PQX_FLAT_GROUP) != 0;
    uint32_t number = id & ~PQX_FLAT_GROUP, n = s->number_bytes,
             after = 8 + s->offset_bytes + s->length_bytes;
    uint64_t elements = (uint64_t)s->leaves + s->nodes;
    *crc = pqx_load32(cell + 4);
    *thrift = (pqx_range){pqx_index_number(at, s->offset_bytes),
                          pqx_index_number(at + s->offset_bytes, s->length_bytes)};
    at = cell + after;
    entry->parent = pqx_index_number(at, n);
    entry->index = pqx_index_number(at + n, n);
    entry->position = pqx_index_number(at + 2 * n, n);
    uint32_t limit = id == PQX_FLAT_GROUP ? 1 : is_node ? number : s->nodes;
    if (entry->parent >= limit)
        return pqx_index_fail(index, error, PQX_BAD_VALUE, place + after, limit, entry->parent);
    if (entry->index >= elements)
        return pqx_index_fail(index, error, PQX_BAD_VALUE, place + after + n, elements,
                              entry->index);
    if (entry->position >= elements)
        return pqx_index_fail(index, error, PQX_BAD_VALUE, place + after + 2 * n, elements,
                              entry->position);
    entry->place = index->payload + place + after + n;
    entry->first_leaf = number;
    entry->leaf_count = 1;
    if (!is_node) return PQX_OK;
    uint32_t leaves = after + 3 * n + 3;
    entry->first_leaf = pqx_index_number(cell + leaves, n);
    entry->leaf_count = pqx_index_number(cell + leaves + n, n);
    if (entry->first_leaf > s->leaves)
        return pqx_index_fail(index, error, PQX_BAD_VALUE, place + leaves, s->leaves,
                              entry->first_leaf);
    uint32_t most = s->leaves - entry->first_leaf;
    return entry->leaf_count <= most ? PQX_OK
                                     : pqx_index_fail(index, error, PQX_BAD_VALUE,
                                                      place + leaves + n, most, entry->leaf_count);
}

/* Read the SchemaElement, with the levels and the column order from the cell. */
static int read_element(pqx_index *index, pqx_index_entry *entry, uint64_t place, pqx_range thrift,
                        uint32_t crc, pqx_error *error)
{
    PQX_TRY(pqx_index_read_thrift(index, place + 8, thrift, crc, &entry->thrift, error));
    pqx_cursor c = {entry->thrift.data, entry->thrift.size, 0, NULL};
    if (pqx_scan_element(&c, &entry->element) != PQX_OK || c.at != c.size)
        return pqx_index_not_whole(index, thrift.offset, thrift.length, error);
    const uint8_t *levels = entry->cell.data + 8 + index->shape.offset_bytes
                            + index->shape.length_bytes + 3 * index->shape.number_bytes;
    entry->element.column_order = levels[0];
    entry->element.max_definition = levels[1];
    entry->element.max_repetition = levels[2];
    entry->element.sort_order = (uint8_t)pqx_sort_order(entry->thrift.data, &entry->element);
    return PQX_OK;
}

int pqx_index_load_entry(pqx_index *index, pqx_index_entry *entry, uint32_t id, pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    int is_node = (id & PQX_FLAT_GROUP) != 0;
    uint64_t place =
        is_node ? index->areas.nodes + (uint64_t)(id & ~PQX_FLAT_GROUP) * pqx_index_node_bytes(s)
                : pqx_index_part_place(s, id, 0);
    pqx_range thrift;
    uint32_t crc;
    entry->id = PQX_INDEX_NOTHING;
    PQX_TRY(pqx_index_load(index, place,
                           is_node ? pqx_index_node_bytes(s) : pqx_index_column_bytes(s),
                           &entry->cell, error));
    PQX_TRY(read_schema_part(index, entry, place, id, &thrift, &crc, error));
    int status = read_element(index, entry, place, thrift, crc, error);
    if (PQX_UNLIKELY(status == PQX_IO && !is_node))
        pqx_index_want_chunks(index, id, entry->cell.data);
    return status;
}

/* Build the path of index->node, whose number is `node`, without the root, NUL between the names.
 * The parent group's path stays cached, because its other children share it. */
static int find_node_path(pqx_index *index, uint32_t node, pqx_error *error)
{
    const pqx_index_entry *entry = &index->node;
    pqx_buffer *names = &index->names, *lengths = &index->lengths, *path = &index->node.path;
    uint32_t at = node;
    names->size = lengths->size = path->size = 0;
    PQX_TRY(pqx_buffer_reserve(names, 1, error));
    for (; at && at != index->group; at = entry->parent) {
        if (at != node) {
            entry = &index->above;
            PQX_TRY(index->form->load_entry(index, &index->above, PQX_FLAT_GROUP | at, error));
        }
        pqx_range name = entry->element.name;
        PQX_TRY(pqx_buffer_append(names, entry->thrift.data + name.offset, name.length, error));
        PQX_TRY(pqx_buffer_append(lengths, &name.length, sizeof name.length, error));
    }
    if (at) PQX_TRY(pqx_buffer_append(path, index->group_path.data, index->group_path.size, error));
    const uint32_t *length = (const uint32_t *)(const void *)lengths->data;
    size_t count = lengths->size / sizeof *length;
    for (size_t i = count; i--;) {
        if (at || i + 1 < count) PQX_TRY(pqx_buffer_append(path, "", 1, error));
        names->size -= length[i];
        PQX_TRY(pqx_buffer_append(path, names->data + names->size, length[i], error));
    }
    if (!count || !index->node.parent) return PQX_OK;
    index->group = 0;
    index->group_path.size = 0;
    PQX_TRY(pqx_buffer_append(&index->group_path, path->data, path->size - length[0] - 1, error));
    index->group = index->node.parent;
    return PQX_OK;
}

static int load_node_path(pqx_index *index, uint32_t node, pqx_error *error)
{
    const pqx_index_entry *entry;
    PQX_TRY(pqx_index_load_id(index, PQX_FLAT_GROUP | node, &entry, error));
    if (entry->has_path) return PQX_OK;
    PQX_TRY(find_node_path(index, node, error));
    index->node.has_path = 1;
    return PQX_OK;
}

int pqx_index_load_path(pqx_index *index, uint32_t id, const pqx_index_entry **found,
                        pqx_error *error)
{
    if (id & PQX_FLAT_GROUP) PQX_TRY(load_node_path(index, id & ~PQX_FLAT_GROUP, error));
    PQX_TRY(pqx_index_load_id(index, id, found, error));
    pqx_index_entry *entry = &index->column;
    if (id & PQX_FLAT_GROUP || entry->has_path) return PQX_OK;
    pqx_range name = entry->element.name;
    entry->path.size = 0;
    if (entry->parent) {
        PQX_TRY(load_node_path(index, entry->parent, error));
        PQX_TRY(
            pqx_buffer_append(&entry->path, index->node.path.data, index->node.path.size, error));
        PQX_TRY(pqx_buffer_append(&entry->path, "", 1, error));
    }
    PQX_TRY(pqx_buffer_append(&entry->path, entry->thrift.data + name.offset, name.length, error));
    entry->has_path = 1;
    return PQX_OK;
}

int pqx_index_load_id(pqx_index *index, uint32_t id, const pqx_index_entry **entry,
                      pqx_error *error)
{
    int is_node = (id & PQX_FLAT_GROUP) != 0;
    uint32_t number = id & ~PQX_FLAT_GROUP,
             count = is_node ? index->shape.nodes : index->shape.leaves;
    if (number >= count) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, count, number);
    pqx_index_entry *found = is_node ? &index->node : &index->column;
    *entry = found;
    if (found->id == id) return PQX_OK;
    PQX_TRY(index->form->load_entry(index, found, id, error));
    found->id = id;
    found->has_path = 0;
    return PQX_OK;
}

int pqx_index_get_node(pqx_index *index, uint32_t id, pqx_flat_node *node, pqx_error *error)
{
    const pqx_index_entry *entry;
    pqx_index_begin(index);
    PQX_TRY(pqx_index_load_path(index, id, &entry, error));
    *node = (pqx_flat_node){
        .thrift = {entry->thrift.data, entry->thrift.size},
        .path = {entry->path.data, entry->path.size},
        .parent = id == PQX_FLAT_GROUP ? PQX_FLAT_NONE : entry->parent,
        .schema_index = entry->index,
        .first_leaf = entry->first_leaf,
        .leaf_count = entry->leaf_count,
        .column_order = entry->element.column_order,
        .max_definition = entry->element.max_definition,
        .max_repetition = entry->element.max_repetition,
    };
    return PQX_OK;
}
