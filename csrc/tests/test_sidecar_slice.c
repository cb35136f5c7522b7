/* The note for slices: of a footer, through a sidecar, back to a footer; every cut and every
 * flipped bit of it. */
#include "footer.h"
#include "harness.h"
#include "sidecar/sidecar.h"

/* A sidecar of the small footer, and the note for its slices. */
typedef struct made {
    uint8_t *data, *note;
    size_t size, note_size;
    pqx_scan schema;
} made;

/* The part of the note before the runs. The schema is the footer's own: of it only the elements
 * count. */
static void write_note(const pqx_scan *scan, made *m)
{
    pqx_buffer ends = {0}, runs = {0};
    int whole;
    CHECK(pqx_pm_write_runs(scan, &ends, &runs, &whole, NULL) == PQX_OK && whole);
    const uint32_t fixed[6] = {1, sizeof small_footer, 0,
                               0, scan->leaf_count,    scan->row_group_count};
    m->note_size = sizeof fixed + ends.size + sizeof small_footer + runs.size;
    m->note = malloc(m->note_size);
    uint8_t *at = m->note;
    const pqx_bytes parts[] = {{(const uint8_t *)fixed, sizeof fixed},
                               {ends.data, ends.size},
                               {small_footer, sizeof small_footer},
                               {runs.data, runs.size}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; at += parts[i++].size)
        memcpy(at, parts[i].data, parts[i].size);
    pqx_buffer_free(&ends);
    pqx_buffer_free(&runs);
}

static made make(void)
{
    made m;
    pqx_pm_writer writer = {0};
    pqx_pm_chunk chunk;
    const pqx_pm_column column = {.name = {(const uint8_t *)"a", 1}, .type = 6, .physical_type = 2};
    const pqx_pm_table table = {
        .columns = &column, .column_count = 1, .designated_timestamp = -1, .squash_tracker = -1};
    CHECK(pqx_scan_footer(small_footer, sizeof small_footer, &m.schema, NULL) == PQX_OK);
    write_note(&m.schema, &m);
    CHECK(pqx_pm_chunk_of(small_footer, &m.schema.chunks[0], NULL, &column, 0, &chunk, NULL)
          == PQX_OK);
    CHECK(pqx_pm_write_header(&writer, &table, NULL) == PQX_OK
          && pqx_pm_write_row_group(&writer, 0, 3, &chunk, NULL) == PQX_OK);
    const pqx_pm_end end = {
        .parquet_footer_offset = 52, .parquet_footer_length = sizeof small_footer, .seq_txn = -1};
    CHECK(pqx_pm_write_footer(&writer, &end, NULL) == PQX_OK);
    m.data = exact(writer.out.data, m.size = writer.out.size);
    pqx_pm_writer_free(&writer);
    return m;
}

static void discard(made *m)
{
    pqx_scan_free(&m->schema);
    free(m->data);
    free(m->note);
}

/* Slice everything; returns a code, and if it is PQX_OK, a footer that must be sound. */
static int slice(const made *m, const uint8_t *note, size_t size, pqx_buffer *out)
{
    const uint32_t first = 0;
    pqx_pm pm;
    pqx_pm_footer footer;
    pqx_pm_slices slices;
    pqx_scan again;
    CHECK(pqx_pm_open(m->data, m->size, &pm, NULL) == PQX_OK
          && pqx_pm_get_footer(&pm, m->size, &footer, NULL) == PQX_OK);
    int status = pqx_pm_open_slices(note, size, &slices, NULL);
    if (status == PQX_OK)
        status = pqx_pm_slice(&pm, &footer, &slices, small_footer, sizeof small_footer, &m->schema,
                              &first, 1, &first, 1, 1, 0, out, NULL);
    if (status != PQX_OK) return status;
    uint8_t *sliced = exact(out->data, out->size);
    CHECK(pqx_scan_footer(sliced, out->size, &again, NULL) == PQX_OK);
    CHECK(again.end == out->size && again.leaf_count == 1 && again.row_group_count == 1);
    pqx_scan_free(&again);
    free(sliced);
    return PQX_OK;
}

static void a_slice_says_what_the_footer_says(void)
{
    made m = make();
    pqx_buffer out = {0};
    pqx_scan again;
    CHECK(slice(&m, m.note, m.note_size, &out) == PQX_OK);
    CHECK(pqx_scan_footer(out.data, out.size, &again, NULL) == PQX_OK);
    const pqx_chunk *there = &again.chunks[0], *wanted = &m.schema.chunks[0];
    CHECK(again.row_groups[0].num_rows == 3 && there->num_values == 3
          && there->encodings == wanted->encodings && there->codec == wanted->codec);
    CHECK(there->total_compressed_size == 48 && there->total_uncompressed_size == 48
          && there->data_page_offset == 4);
    pqx_scan_free(&again);
    pqx_buffer_free(&out);
    discard(&m);
}

static void a_chunk_has_its_statistics(void)
{
    made m = make();
    pqx_pm pm;
    pqx_pm_footer footer;
    pqx_pm_slices slices;
    pqx_chunk chunk;
    pqx_places places;
    const pqx_element *element = &m.schema.elements[m.schema.leaves[0]];
    CHECK(pqx_pm_open(m.data, m.size, &pm, NULL) == PQX_OK
          && pqx_pm_get_footer(&pm, m.size, &footer, NULL) == PQX_OK);
    CHECK(pqx_pm_open_slices(m.note, m.note_size, &slices, NULL) == PQX_OK && slices.leaf_count == 1
          && slices.row_group_count == 1);
    CHECK(pqx_pm_get_chunks(&pm, &footer, &slices, element, 0, 0, 1, &chunk, &places, NULL)
          == PQX_OK);
    CHECK(chunk.null_count == 0 && chunk.min_value.length == 8
          && m.data[chunk.min_value.offset] == 7 && m.data[chunk.max_value.offset] == 9);
    CHECK(chunk.distinct_count == -1 && places.bloom_filter_offset == -1);
    CHECK(pqx_pm_get_chunks(&pm, &footer, &slices, element, 0, 1, 1, &chunk, &places, NULL)
          == PQX_BAD_ARGUMENT);
    CHECK(pqx_pm_get_chunks(&pm, &footer, &slices, element, 1, 0, 1, &chunk, &places, NULL)
          == PQX_BAD_ARGUMENT);
    const pqx_element other = {.type = 1};
    CHECK(pqx_pm_get_chunks(&pm, &footer, &slices, &other, 0, 0, 1, &chunk, &places, NULL)
          == PQX_PM_SLICES);
    discard(&m);
}

static void every_cut_of_the_note_is_found(void)
{
    made m = make();
    pqx_buffer out = {0};
    for (size_t size = 0; size < m.note_size; size++) {
        uint8_t *cut = exact(m.note, size);
        CHECK(slice(&m, cut, size, &out) == PQX_PM_SLICES && out.size == 0);
        free(cut);
    }
    discard(&m);
}

static void a_flipped_bit_of_the_note_makes_no_footer_that_is_none(void)
{
    made m = make();
    int refused = 0, made_one = 0;
    for (size_t bit = 0; bit < 8 * m.note_size; bit++) {
        pqx_buffer out = {0};
        uint8_t *note = exact(m.note, m.note_size);
        note[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (slice(&m, note, m.note_size, &out) == PQX_OK) made_one++;
        else refused++;
        pqx_buffer_free(&out);
        free(note);
    }
    CHECK(refused > 100 && made_one > 100);
    discard(&m);
}

static void a_note_of_another_shape_contradicts_the_sidecar(void)
{
    made m = make();
    pqx_buffer out = {0};
    for (int at = 16; at <= 20; at += 4) {
        uint8_t *note = exact(m.note, m.note_size);
        pqx_store32(note + at, 2); /* leaves, row groups */
        CHECK(slice(&m, note, m.note_size, &out) == PQX_PM_SLICES);
        free(note);
    }
    discard(&m);
}

int main(void)
{
    RUN(a_slice_says_what_the_footer_says);
    RUN(a_chunk_has_its_statistics);
    RUN(every_cut_of_the_note_is_found);
    RUN(a_flipped_bit_of_the_note_makes_no_footer_that_is_none);
    RUN(a_note_of_another_shape_contradicts_the_sidecar);
    return 0;
}
