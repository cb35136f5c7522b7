/* The scan's two decoders of a chunk: the one for the usual field order needs room behind it, the other none. They say the
 * same, and neither reads outside, whatever bit is flipped. */
#include "harness.h"
#include "scans.h"

static const uint8_t head[] = {
    0x15, 0x02, 0x19, 0x2c, 0x48, 0x01, 'r', 0x15, 0x02, 0x00, 0x15, 0x04, 0x25, 0x02, 0x18, 0x01, 'a', 0x00, /* version, schema */
    0x16, 0x06, 0x19, 0x1c, 0x19, 0x2c,                               /* num_rows, one row group of two chunks */
};
static const uint8_t chunk[] = {
    0x26, 0x00, 0x1c,                                                 /* file_offset 0, meta_data */
    0x15, 0x04, 0x19, 0x35, 0x00, 0x06, 0x10, 0x19, 0x18, 0x01, 'a', 0x15, 0x02, /* INT64, three encodings, path, SNAPPY */
    0x16, 0x06, 0x16, 0x9e, 0x02, 0x16, 0xa8, 0x02, 0x26, 0xae, 0x01, 0x26, 0x08, /* counts, sizes, both page offsets */
    0x1c, 0x18, 0x01, 'z', 0x18, 0x01, 'b', 0x16, 0x02, 0x28, 0x01, 'y', 0x18, 0x01, 'c', 0x11, 0x12, 0x00, /* statistics */
    0x19, 0x2c, 0x15, 0x04, 0x15, 0x00, 0x15, 0x02, 0x00, 0x15, 0x00, 0x15, 0x10, 0x15, 0x02, 0x00, /* encoding_stats */
    0x3c, 0x29, 0x06, 0x19, 0x26, 0x00, 0x06, 0x00, 0x00, 0x00,       /* size_statistics, ends */
};
static const uint8_t behind[] = {0x16, 0x60, 0x16, 0x06, 0x00};       /* total_byte_size, num_rows, end of the row group */

enum { MOST = sizeof head + 2 * sizeof chunk + sizeof behind + 400 };

/* The footer, with `room` bytes of created_by behind the chunks; its size. */
static size_t build(uint8_t *out, size_t room)
{
    size_t at = 0;
    memcpy(out, head, sizeof head);
    at += sizeof head;
    for (int i = 0; i < 2; i++, at += sizeof chunk) memcpy(out + at, chunk, sizeof chunk);
    memcpy(out + at, behind, sizeof behind);
    at += sizeof behind;
    out[at++] = 0x28;
    out[at++] = (uint8_t)(room | 0x80);
    out[at++] = (uint8_t)(room >> 7);
    memset(out + at, 'x', room);
    out[at + room] = 0;
    return at + room + 1;
}

static void check_chunk(const uint8_t *data, const pqx_chunk *found)
{
    uint32_t present = PQX_PRESENT_METADATA | PQX_PRESENT_FILE_OFFSET | PQX_PRESENT_FULLY_DICTIONARY_ENCODED | PQX_PRESENT_MAX_EXACT;
    CHECK((found->present & present) == present && !(found->present & PQX_PRESENT_MIN_EXACT) && found->present & PQX_PRESENT_MIN_EXACT_SET);
    CHECK(found->type == 2 && found->codec == 1 && found->encodings == (1u << 0 | 1u << 3 | 1u << 8));
    CHECK(found->num_values == 3 && found->total_uncompressed_size == 143 && found->total_compressed_size == 148);
    CHECK(found->data_page_offset == 87 && found->dictionary_page_offset == 4);
    CHECK(found->null_count == 1 && found->distinct_count == -1);
    CHECK(data[found->max.offset] == 'z' && data[found->min.offset] == 'b');
    CHECK(data[found->max_value.offset] == 'y' && data[found->min_value.offset] == 'c');
    CHECK(found->chunk.length == sizeof chunk && found->metadata.length == sizeof chunk - 4);
}

static void both_decoders_give_the_facts(void)
{
    uint8_t bytes[MOST];
    for (size_t room = 0; room < 320; room++) {
        size_t size = build(bytes, room);
        uint8_t *data = exact(bytes, size);
        pqx_scan scan;
        pqx_error error = {0};
        int accepted = 0;
        CHECK(both_decoders(data, size, &scan, &error, &accepted) && accepted);
        CHECK(scan.chunk_count == 2 && !scan.regular && scan.end == size && scan.places == NULL);
        check_chunk(data, &scan.chunks[0]);
        check_chunk(data, &scan.chunks[1]);
        pqx_scan_free(&scan);
        free(data);
    }
}

static void flipped_bits_do_no_harm(void)
{
    uint8_t bytes[MOST];
    for (size_t room = 0; room < 320; room += 53) {
        size_t size = build(bytes, room);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            uint8_t *data = exact(bytes, size);
            data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            pqx_scan scan;
            pqx_error error = {0};
            int accepted = 0;
            CHECK(both_decoders(data, size, &scan, &error, &accepted));
            CHECK(accepted ? scan.end <= size : error.code != PQX_OK && error.offset <= size);
            if (accepted) pqx_scan_free(&scan);
            free(data);
        }
    }
}

static void contradictions_are_told(void)
{
    const uint8_t no_schema[] = {0x15, 0x02, 0x00};
    pqx_scan scan;
    pqx_error error;
    CHECK(pqx_scan_footer(no_schema, sizeof no_schema, &scan, &error) == PQX_MISSING_FIELD && error.expected == 2);
    CHECK(pqx_scan_loosely(no_schema, sizeof no_schema, &scan, &error) == PQX_OK);
    CHECK(scan.problem.code == PQX_MISSING_FIELD && scan.problem.expected == 2 && scan.num_rows == -1 && scan.leaf_count == 0);
    pqx_scan_free(&scan);
}

int main(void)
{
    RUN(both_decoders_give_the_facts);
    RUN(flipped_bits_do_no_harm);
    RUN(contradictions_are_told);
    return 0;
}
