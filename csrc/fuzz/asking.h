/* Numbers for edits and requests, and a reader of footers that is asked for everything. */
#ifndef PQX_FUZZ_ASKING_H
#define PQX_FUZZ_ASKING_H

#include "input.h"

#define MOST 32

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20) % below;
}

static void ask_for_chunks(pqx_index *index, uint32_t leaf, uint32_t row_groups)
{
    pqx_chunk chunks[MOST];
    pqx_places places[MOST];
    pqx_element element;
    pqx_buffer arena = {0};
    if (pqx_index_get_chunks(index, leaf, 0, row_groups, chunks, places, &arena, &element, NULL)
        == PQX_OK) {
        for (uint32_t i = 0; i < row_groups; i++) {
            pqx_range low, high;
            int has;
            CLAIM(chunks[i].chunk.offset <= arena.size
                  && chunks[i].chunk.length <= arena.size - chunks[i].chunk.offset);
            pqx_usable_bounds(arena.data, &chunks[i], &element, &low, &high, &has);
            CLAIM(!(has & 1)
                  || (low.offset <= arena.size && low.length <= arena.size - low.offset));
            CLAIM(!(has & 2)
                  || (high.offset <= arena.size && high.length <= arena.size - high.offset));
        }
    }
    pqx_buffer_free(&arena);
}

static void ask_for_everything(pqx_index *index)
{
    pqx_flat_facts facts;
    pqx_flat_node node;
    pqx_index_get_facts(index, &facts);
    uint32_t row_groups = facts.row_group_count < MOST ? facts.row_group_count : MOST, ids[4];
    size_t count;
    for (uint32_t leaf = 0; leaf < facts.leaf_count && leaf < MOST; leaf++) {
        if (pqx_index_get_node(index, leaf, &node, NULL) == PQX_OK) {
            uint8_t *path = exact(node.path.data, node.path.size);
            (void)pqx_index_guess_name(index, path, node.path.size);
            (void)pqx_index_find_name(index, path, node.path.size, ids, 4, &count, NULL);
            free(path);
        }
        ask_for_chunks(index, leaf, row_groups);
    }
    for (uint32_t id = 0; id < facts.node_count && id < MOST; id++)
        (void)pqx_index_get_node(index, PQX_FLAT_GROUP | id, &node, NULL);
    for (int32_t field_id = -1; field_id < 4; field_id++)
        (void)pqx_index_find_field_id(index, field_id, ids, 4, &count, NULL);
    pqx_row_group groups[MOST];
    pqx_sorting_column columns[4];
    pqx_bytes key, value;
    int present;
    (void)pqx_index_get_row_groups(index, 0, row_groups, groups, NULL);
    for (uint32_t i = 0; i < row_groups; i++)
        (void)pqx_index_get_sorting_columns(index, i, columns, 4, &count, NULL);
    for (uint32_t i = 0; i < facts.key_value_count && i < MOST; i++)
        (void)pqx_index_get_key_value(index, i, &key, &value, NULL);
    (void)pqx_index_get_created_by(index, &key, &present, NULL);
    uint32_t leaves[MOST], wanted = 0, first[2] = {row_groups ? row_groups - 1 : 0, 0};
    for (uint32_t leaf = draw(3); leaf < facts.leaf_count && wanted < MOST; leaf += 1 + draw(3))
        leaves[wanted++] = leaf;
    pqx_buffer out = {0};
    if (pqx_index_slice(index, leaves, wanted, first, row_groups ? 2 : 0, 1, (int)draw(2), &out,
                        NULL)
        == PQX_OK) {
        pqx_scan scan;
        CLAIM(pqx_scan_footer(out.data, out.size, &scan, NULL) == PQX_OK);
        pqx_scan_free(&scan);
    }
    pqx_buffer_free(&out);
}

#endif
