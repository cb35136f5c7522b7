/* Write tables that many schema elements refer to: once, after all elements, in the ROOT cell. */
#include "flat/flat_write.h"

int pqx_flat_share(pqx_flat_writer *w, const pqx_shared_table *table, uint32_t field, int *shared)
{
    uint32_t index = 0;
    while (index < w->shared_count && memcmp(&w->shared[index], table, sizeof *table) != 0) index++;
    *shared = index < PQX_FLAT_SHARED_TABLES;
    if (!*shared) return PQX_OK;
    w->shared[index] = *table;
    if (index == w->shared_count) w->shared_count++;
    uint32_t link[2] = {field, index};
    return pqx_buffer_append(&w->shared_links, link, sizeof link, w->error);
}

int pqx_flat_put_shared_table(pqx_flat_writer *w, const pqx_shared_table *shared, uint32_t *at)
{
    const pqx_shape *shape;
    PQX_TRY(pqx_flat_table(w, (int)shared->table, shared->mask, at, &shape));
    uint8_t *table = pqx_flat_at(w, *at);
    for (int i = 0; i < 2; i++) {
        if (!(shared->mask >> i & 1)) continue;
        if (shared->table == PQX_FLAT_DECIMAL_OPTIONS)
            pqx_store32(table + shape->at[i], shared->values[i]);
        else table[shape->at[i]] = (uint8_t)shared->values[i];
    }
    return PQX_OK;
}

int pqx_flat_write_shared(pqx_flat_writer *w)
{
    uint32_t places[PQX_FLAT_SHARED_TABLES];
    const uint32_t *links = (const uint32_t *)(const void *)w->shared_links.data;
    for (uint32_t i = 0; i < w->shared_count; i++)
        PQX_TRY(pqx_flat_put_shared_table(w, &w->shared[i], &places[i]));
    for (size_t i = 0; i < w->shared_links.size / 8; i++)
        pqx_flat_link(w, links[2 * i], places[links[2 * i + 1]]);
    return PQX_OK;
}
