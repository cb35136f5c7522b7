/* Write the flat footer's names: every leaf and group under the hash of its path and, if it has
 * one, of its field id. */
#include "flat/flat_write.h"

static int append_entry(pqx_flat_writer *w, pqx_buffer *homes, uint64_t hash, uint32_t place)
{
    uint32_t entry[2] = {(uint32_t)hash, place}, home = (uint32_t)(hash >> 32);
    PQX_TRY(pqx_buffer_append(&w->listed, entry, sizeof entry, w->error));
    return pqx_buffer_append(homes, &home, sizeof home, w->error);
}

/* Return the position of leaf i, or node i - leaves: its cell, and its index in that cell. */
static uint32_t entry_word(const pqx_flat_writer *w, uint32_t i)
{
    uint32_t leaves = w->scan->leaf_count;
    return i < leaves ? w->places[i / w->cell_leaves] | i % w->cell_leaves
                      : w->places[w->column_cells + i - leaves];
}

/* Fill w->listed with all entries in order, and `homes` with the high halves of their hashes. */
static int list_entries(pqx_flat_writer *w, pqx_buffer *homes)
{
    const pqx_scan *scan = w->scan;
    uint32_t count = scan->leaf_count + w->node_count;
    for (uint32_t i = 0; i < count; i++) {
        if (i != scan->leaf_count)
            PQX_TRY(append_entry(w, homes, w->hashes[i], entry_word(w, i))); /* not the root */
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t element =
            i < scan->leaf_count ? scan->leaves[i] : w->node_element[i - scan->leaf_count];
        int32_t field_id = scan->elements[element].field_id;
        if (i == scan->leaf_count || field_id == INT32_MIN) continue;
        PQX_TRY(append_entry(w, homes, pqx_flat_hash_field_id(field_id), entry_word(w, i)));
    }
    return PQX_OK;
}

static size_t count_entries(const pqx_flat_writer *w)
{
    size_t count = (size_t)w->scan->element_count - 1;
    for (uint32_t i = 1; i < w->scan->element_count; i++)
        count += w->scan->elements[i].field_id != INT32_MIN;
    return count;
}

int pqx_flat_reserve_names(pqx_flat_writer *w)
{
    size_t entries = count_entries(w);
    if (entries <= PQX_FLAT_LIST_ENTRIES) return PQX_OK;
    w->bucket_count = (uint32_t)((entries + PQX_FLAT_BUCKET_FILL - 1) / PQX_FLAT_BUCKET_FILL);
    return pqx_flat_pages(w, PQX_KIND_BUCKET, w->bucket_count, &w->buckets);
}

int pqx_flat_fill_names(pqx_flat_writer *w)
{
    pqx_buffer homes = {0};
    int status = list_entries(w, &homes);
    if (status == PQX_OK && w->bucket_count) {
        pqx_flat_fill_buckets(pqx_flat_at(w, w->buckets), w->bucket_count,
                              (const uint32_t *)(const void *)homes.data, w->listed.data,
                              homes.size / sizeof(uint32_t));
        w->listed.size = 0;
    }
    pqx_buffer_free(&homes);
    return status;
}
