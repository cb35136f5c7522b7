/* Open any bytes as a flat footer's payload with its trailer, half of the time with all
 * checksums corrected, so that the checks after them are reached; read everything, and verify
 * it. */
#include "input.h"
#include "base/wire.h"
#include "signing.h"

#define MOST 32

static void ask_for_chunks(pqx_flat *flat, uint32_t leaf, uint32_t row_groups)
{
    pqx_chunk chunks[MOST];
    pqx_places places[MOST];
    pqx_buffer arena = {0};
    if (pqx_flat_get_chunks(flat, leaf, 0, row_groups, chunks, places, &arena, NULL) == PQX_OK) {
        for (uint32_t i = 0; i < row_groups; i++) {
            CLAIM(chunks[i].min_value.offset <= arena.size
                  && chunks[i].min_value.length <= arena.size - chunks[i].min_value.offset);
            CLAIM(chunks[i].max_value.offset <= arena.size
                  && chunks[i].max_value.length <= arena.size - chunks[i].max_value.offset);
        }
    }
    pqx_buffer_free(&arena);
}

static void ask_for_everything(pqx_flat *flat)
{
    pqx_flat_facts facts;
    pqx_flat_get_facts(flat, &facts);
    uint32_t row_groups = facts.row_group_count < MOST ? facts.row_group_count : MOST;
    for (uint32_t leaf = 0; leaf < facts.leaf_count && leaf < MOST; leaf++) {
        pqx_flat_node node;
        if (pqx_flat_get_node(flat, leaf, &node, NULL) == PQX_OK) {
            uint32_t ids[4];
            size_t count;
            uint8_t *path = exact(node.path.data, node.path.size);
            (void)pqx_flat_find_name(flat, path, node.path.size, ids, 4, &count, NULL);
            free(path);
        }
        ask_for_chunks(flat, leaf, row_groups);
    }
    for (uint32_t id = 0; id < facts.node_count && id < MOST; id++) {
        pqx_flat_node node;
        (void)pqx_flat_get_node(flat, PQX_FLAT_GROUP | id, &node, NULL);
    }
    uint32_t ids[4];
    size_t count;
    for (int32_t field_id = -1; field_id < 4; field_id++)
        (void)pqx_flat_find_field_id(flat, field_id, ids, 4, &count, NULL);
    pqx_row_group groups[MOST];
    (void)pqx_flat_get_row_groups(flat, 0, row_groups, groups, NULL);
    pqx_bytes key, value;
    for (uint32_t i = 0; i < facts.key_value_count && i < MOST; i++)
        (void)pqx_flat_get_key_value(flat, i, &key, &value, NULL);
    int present;
    (void)pqx_flat_get_created_by(flat, &key, &present, NULL);
    uint32_t extensions, length;
    uint8_t uuid[16];
    if (pqx_flat_get_extension_count(flat, &extensions, NULL) != PQX_OK) extensions = 0;
    for (uint32_t i = 0; i < extensions && i < MOST; i++) {
        CLAIM(pqx_flat_get_extension_name(flat, i, uuid, &length, NULL) == PQX_OK);
        CLAIM(pqx_flat_get_extension(flat, i, &value, NULL) != PQX_OK || value.size == length);
    }

    const uint32_t first = 0;
    pqx_buffer out = {0};
    if (pqx_flat_slice(flat, &first, facts.leaf_count > 0, &first, facts.row_group_count > 0, 1, 1,
                       &out, NULL)
        == PQX_OK) {
        pqx_scan scan;
        CLAIM(pqx_scan_footer(out.data, out.size, &scan, NULL) == PQX_OK);
        pqx_scan_free(&scan);
    }
    pqx_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    size_t tail_size = 28 + (steering >> 1) % 4096, payload = size < 28 ? size : size - 28;
    uint8_t *data = exact(input, size);
    if (steering & 1) sign_flat(data, payload);
    if (tail_size > size) tail_size = size;
    uint8_t *tail = exact(data + size - tail_size, tail_size);
    pqx_bytes bytes = {data, size};
    pqx_source source = {read_memory, &bytes, size};
    pqx_flat *flat;
    if (pqx_flat_open(&source, 0, payload, tail, tail_size, size, &flat, NULL) == PQX_OK) {
        ask_for_everything(flat);
        if (tail_size % 2 && pqx_flat_hold(flat, NULL) == PQX_OK) ask_for_everything(flat);
        pqx_flat_close(flat);
    }
    (void)pqx_flat_verify(data, payload, NULL);
    free(tail);
    free(data);
    return 0;
}
