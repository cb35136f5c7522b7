/* Write heads of leaves and groups in the flat footer (docs/formats.md, 3.3), and the cells of
 * groups. */
#include "flat/flat_write.h"

void pqx_flat_heads_begin(pqx_flat_writer *w, uint32_t tables)
{
    w->heads.size = 0;
    w->listed_table = tables;
}

static int add_number(pqx_flat_writer *w, uint32_t number)
{
    uint8_t bytes[10];
    return pqx_buffer_append(&w->heads, bytes, pqx_varint_put(bytes, number), w->error);
}

int pqx_flat_list_table(pqx_flat_writer *w, uint32_t table)
{
    uint32_t distance = (table - w->listed_table) / 4;
    w->listed_table = table;
    return add_number(w, distance);
}

int pqx_flat_head_begin(pqx_flat_writer *w, uint32_t index)
{
    const pqx_element *element = &w->scan->elements[index];
    int is_leaf = w->leaf_of[index] != PQX_FLAT_NONE;
    const uint8_t levels[4] = {(uint8_t)(is_leaf ? element->column_order : 0),
                               element->max_definition, element->max_repetition,
                               (uint8_t)(is_leaf ? element->type : 255)};
    uint32_t at;
    PQX_TRY(pqx_flat_put_element(w, index, &at));
    PQX_TRY(pqx_buffer_append(&w->heads, levels, sizeof levels, w->error));
    return pqx_flat_list_table(w, at);
}

/* Split the element's Thrift bytes at its name; without a name, all bytes are before it. */
static void cut_out_name(const pqx_element *element, pqx_range *prefix, pqx_range *suffix)
{
    uint32_t begin = element->bytes.offset, end = begin + element->bytes.length,
             name = element->name.offset, behind = name + element->name.length;
    int has_name = name > begin && behind <= end;
    *prefix = (pqx_range){begin, has_name ? name - begin : end - begin};
    *suffix = (pqx_range){behind, has_name ? end - behind : 0};
}

int pqx_flat_head_end(pqx_flat_writer *w, uint32_t index)
{
    const pqx_element *element = &w->scan->elements[index];
    int is_leaf = w->leaf_of[index] != PQX_FLAT_NONE, is_below = element->parent > 0;
    uint32_t above = is_below ? (uint32_t)w->path.size - element->name.length - 1 : 0;
    pqx_range prefix, suffix;
    cut_out_name(element, &prefix, &suffix);
    PQX_TRY(add_number(w, index - (is_leaf ? w->leaf_of[index] : w->node_of[index])));
    PQX_TRY(add_number(w, index ? w->node_of[element->parent] : 0));
    if (is_below) PQX_TRY(add_number(w, w->position[index]));
    PQX_TRY(add_number(w, is_below ? above : w->arrow[index]));
    if (!is_leaf) {
        PQX_TRY(add_number(w, (uint32_t)element->first_leaf));
        PQX_TRY(add_number(w, (uint32_t)element->leaf_count));
    }
    PQX_TRY(add_number(w, prefix.length));
    PQX_TRY(add_number(w, suffix.length));
    PQX_TRY(pqx_buffer_append(&w->heads, w->footer + prefix.offset, prefix.length, w->error));
    PQX_TRY(pqx_buffer_append(&w->heads, w->footer + suffix.offset, suffix.length, w->error));
    return pqx_buffer_append(&w->heads, w->path.data, above, w->error);
}

int pqx_flat_put_heads(pqx_flat_writer *w, uint32_t cell, uint32_t word)
{
    uint32_t at;
    PQX_TRY(pqx_flat_append(w, w->heads.data, w->heads.size, &at));
    pqx_store32(pqx_flat_at(w, cell) + word, at - cell);
    return PQX_OK;
}

int pqx_flat_write_node(pqx_flat_writer *w, uint32_t node)
{
    uint32_t cell, index = w->node_element[node];
    PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_NODE, 0, node, &cell));
    w->places[w->column_cells + node] = cell;
    PQX_TRY(pqx_flat_zeros(w, PQX_FLAT_TABLES_AT - PQX_FLAT_HEADS, NULL));
    PQX_TRY(pqx_flat_make_path(w, index));
    pqx_flat_heads_begin(w, pqx_flat_end(w));
    PQX_TRY(pqx_flat_head_begin(w, index));
    PQX_TRY(pqx_flat_head_end(w, index));
    PQX_TRY(pqx_flat_put_heads(w, cell, PQX_FLAT_HEADS));
    w->hashes[w->scan->leaf_count + node] = pqx_flat_hash_path(w->path.data, w->path.size);
    return pqx_flat_cell_end(w, cell);
}
