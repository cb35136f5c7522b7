/* Turn inputs of the other targets into inputs of the sidecar target:  sidecar_seed FOLDER FILE... */
#include "input.h"

#define MOST 64

static const uint8_t steering[8] = {1};
static const uint8_t bitset[32] = {1, 2, 3};

static void describe(const uint8_t *data, const pqx_scan *scan, pqx_pm_column *columns)
{
    for (uint32_t i = 0; i < scan->leaf_count; i++) {
        const pqx_element *leaf = &scan->elements[scan->leaves[i]];
        columns[i] = (pqx_pm_column){
            .name = {data + leaf->name.offset, leaf->name.length}, .id = (int32_t)i, .type = 6, .physical_type = (uint8_t)leaf->type,
            .fixed_byte_len = leaf->type_length, .max_repetition = leaf->max_repetition, .max_definition = leaf->max_definition,
        };
    }
}

/* The sidecar of a footer; 0 where it has none. */
static int make(const uint8_t *data, const pqx_scan *scan, pqx_pm_writer *writer)
{
    static pqx_pm_column columns[MOST];
    static pqx_pm_chunk chunks[MOST];
    const uint32_t first = 0;
    uint32_t count = scan->leaf_count;
    if (count == 0 || count > MOST || !scan->regular) return 0;
    describe(data, scan, columns);
    const pqx_pm_table table = {columns, count, &first, 1, &first, 1, 0, count > 3, (int64_t)count - 1};
    if (pqx_pm_write_header(writer, &table, NULL) != PQX_OK) return 0;
    for (uint32_t group = 0; group < scan->row_group_count && group < 4; group++) {
        for (uint32_t i = 0; i < count; i++)
            if (pqx_pm_chunk_of(data, &scan->chunks[(uint64_t)group * count + i], NULL, &columns[i], 0, &chunks[i], NULL) != PQX_OK) return 0;
        chunks[0].bloom = (pqx_bytes){bitset, sizeof bitset};
        if (pqx_pm_write_row_group(writer, group, 10, chunks, NULL) != PQX_OK) return 0;
    }
    const pqx_pm_scratch note = {7, {bitset, 9}};
    const pqx_pm_end end = {1000, 0, 100, count % 2 ? 5 : -1, &note, count % 3 == 0, {NULL, 0}};
    return pqx_pm_write_footer(writer, &end, NULL) == PQX_OK;
}

int main(int count, char **arguments)
{
    static uint8_t data[1 << 20];
    int made = 0;
    for (int i = 2; i < count; i++) {
        FILE *file = fopen(arguments[i], "rb");
        if (!file) return 1;
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        pqx_scan scan;
        if (size < 8 || pqx_scan_footer(data, size - 8, &scan, NULL) != PQX_OK) continue;
        pqx_pm_writer writer = {0};
        if (make(data, &scan, &writer)) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%04d", arguments[1], made++);
            FILE *seed = fopen(path, "wb");
            if (!seed) return 1;
            size_t written = fwrite(writer.out.data, 1, writer.out.size, seed) + fwrite(steering, 1, 8, seed);
            if (fclose(seed) != 0 || written != writer.out.size + 8) return 1;
        }
        pqx_pm_writer_free(&writer);
        pqx_scan_free(&scan);
    }
    printf("%d sidecars\n", made);
    return made ? 0 : 1;
}
