/* Turn inputs of the other targets into inputs of the sidecar target:  sidecar_seed FOLDER FILE...
 */
#include "scanned.h"
#include "base/internal.h"

#define MOST 64

static const uint8_t steering[8] = {1};
static const uint8_t bitset[32] = {1, 2, 3};

static void describe(const uint8_t *data, const pqx_scan *scan, pqx_pm_column *columns)
{
    for (uint32_t i = 0; i < scan->leaf_count; i++) {
        const pqx_element *leaf = &scan->elements[scan->leaves[i]];
        columns[i] = (pqx_pm_column){
            .name = {data + leaf->name.offset, leaf->name.length},
            .id = (int32_t)i,
            .type = 6,
            .physical_type = (uint8_t)leaf->type,
            .fixed_byte_len = leaf->type_length,
            .max_repetition = leaf->max_repetition,
            .max_definition = leaf->max_definition,
        };
    }
}

static int put(pqx_buffer *out, const void *bytes, size_t size)
{ return pqx_buffer_append(out, bytes, size, NULL) == PQX_OK; }

/* The note for slices; of the schema, here the whole footer, only the elements count. */
static int write_slices(const uint8_t *data, const pqx_scan *scan, pqx_buffer *note,
                        pqx_bytes *schema)
{
    pqx_buffer ends = {0}, runs = {0};
    const uint32_t fixed[6] = {1, (uint32_t)scan->end, 0,
                               0, scan->leaf_count,    scan->row_group_count};
    int whole = 0;
    int made = scan->row_group_count <= 4
               && pqx_pm_write_runs(scan, &ends, &runs, &whole, NULL) == PQX_OK && whole
               && put(note, fixed, sizeof fixed) && put(note, ends.data, ends.size)
               && put(note, data, scan->end) && put(note, runs.data, runs.size);
    *schema = (pqx_bytes){data, scan->end};
    pqx_buffer_free(&ends);
    pqx_buffer_free(&runs);
    return made;
}

/* The sidecar of a footer; 0 if it has none. */
static int make(const uint8_t *data, const pqx_scan *scan, pqx_pm_writer *writer)
{
    static pqx_pm_column columns[MOST];
    static pqx_pm_chunk chunks[MOST];
    const uint32_t first = 0;
    uint32_t count = scan->leaf_count;
    if (count == 0 || count > MOST || !scan->regular) return 0;
    describe(data, scan, columns);
    const pqx_pm_table table = {columns,           count, &first, 1, &first, 1, 0, count > 3,
                                (int64_t)count - 1};
    if (pqx_pm_write_header(writer, &table, NULL) != PQX_OK) return 0;
    for (uint32_t group = 0; group < scan->row_group_count && group < 4; group++) {
        for (uint32_t i = 0; i < count; i++)
            if (pqx_pm_chunk_of(data, &scan->chunks[(uint64_t)group * count + i], NULL, &columns[i],
                                0, &chunks[i], NULL)
                != PQX_OK)
                return 0;
        chunks[0].bloom = (pqx_bytes){bitset, sizeof bitset};
        if (pqx_pm_write_row_group(writer, group, 10, chunks, NULL) != PQX_OK) return 0;
    }
    static const uint8_t origin[PQX_PM_ORIGIN_BYTES] = {PQX_PM_ORIGIN_KNOWN_LAYOUT,
                                                        [PQX_PM_ORIGIN_FOOTER_LENGTH] = 100};
    pqx_bytes schema;
    pqx_buffer slices = {0};
    int with_slices = write_slices(data, scan, &slices, &schema);
    const pqx_pm_scratch notes[] = {{7, {bitset, 9}},
                                    {PQX_PM_SLICES_CODE, {slices.data, slices.size}},
                                    {PQX_PM_ORIGIN_CODE, {origin, sizeof origin}}};
    const pqx_pm_end end = {
        .parquet_footer_offset = 1000,
        .parquet_footer_length = 100,
        .seq_txn = count % 2 ? 5 : -1,
        .scratchpad = notes,
        .scratchpad_count = with_slices ? 3 : count % 3 == 0,
        .schema = with_slices ? schema : (pqx_bytes){NULL, 0},
    };
    int status = pqx_pm_write_footer(writer, &end, NULL);
    pqx_buffer_free(&slices);
    return status == PQX_OK;
}

static int make_sidecar(const uint8_t *data, size_t size, const pqx_scan *scan, int number,
                        pqx_buffer *seed)
{
    (void)size, (void)number;
    pqx_pm_writer writer = {0};
    int made = make(data, scan, &writer) && put(seed, writer.out.data, writer.out.size);
    pqx_pm_writer_free(&writer);
    return made;
}

int main(int count, char **arguments)
{ return make_seeds(count, arguments, make_sidecar, steering); }
