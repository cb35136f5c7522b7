/* The scan's two decoders of a chunk: the one for the usual field order needs room behind it, the
 * other none. They say the same, and neither reads outside, whatever bit is flipped. */
#include "harness.h"
#include "footer/scan_fast.h"
#include "scans.h"

static const uint8_t head[] = {
    0x15, 0x02, 0x19, 0x2c, 0x48, 0x01, 'r',  0x15, 0x02,
    0x00, 0x15, 0x04, 0x25, 0x02, 0x18, 0x01, 'a',  0x00, /* version, schema */
    0x16, 0x06, 0x19, 0x1c, 0x19, 0x2c, /* num_rows, one row group of two chunks */
};
static const uint8_t chunk[] = {
    0x26, 0x00, 0x1c, /* file_offset 0, meta_data */
    0x15, 0x04, 0x19, 0x35, 0x00, 0x06, 0x10, 0x19, 0x18, 0x01, 'a',  0x15, 0x02, /* INT64, three
                                                                                     encodings,
                                                                                     path, SNAPPY */
    0x16, 0x06, 0x16, 0x9e, 0x02, 0x16, 0xa8, 0x02, 0x26, 0xae, 0x01, 0x26, 0x08, /* counts, sizes,
                                                                                     both page
                                                                                     offsets */
    0x1c, 0x18, 0x01, 'z',  0x18, 0x01, 'b',  0x16, 0x02, 0x28, 0x01, 'y',  0x18, 0x01,
    'c',  0x11, 0x12, 0x00, /* statistics */
    0x19, 0x2c, 0x15, 0x04, 0x15, 0x00, 0x15, 0x02, 0x00, 0x15, 0x00, 0x15, 0x10, 0x15,
    0x02, 0x00,                                                 /* encoding_stats */
    0x3c, 0x29, 0x06, 0x19, 0x26, 0x00, 0x06, 0x00, 0x00, 0x00, /* size_statistics, ends */
};
static const uint8_t behind[] = {0x16, 0x60, 0x16, 0x06,
                                 0x00}; /* total_byte_size, num_rows, end of the row group */

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
    uint32_t present = PQX_PRESENT_METADATA | PQX_PRESENT_FILE_OFFSET
                       | PQX_PRESENT_FULLY_DICTIONARY_ENCODED | PQX_PRESENT_MAX_EXACT;
    CHECK((found->present & present) == present && !(found->present & PQX_PRESENT_MIN_EXACT)
          && found->present & PQX_PRESENT_MIN_EXACT_SET);
    CHECK(found->type == 2 && found->codec == 1
          && found->encodings == (1u << 0 | 1u << 3 | 1u << 8));
    CHECK(found->num_values == 3 && found->total_uncompressed_size == 143
          && found->total_compressed_size == 148);
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
    CHECK(pqx_scan_footer(no_schema, sizeof no_schema, &scan, &error) == PQX_MISSING_FIELD
          && error.expected == 2);
    CHECK(pqx_scan_loosely(no_schema, sizeof no_schema, &scan, &error) == PQX_OK);
    CHECK(scan.problem.code == PQX_MISSING_FIELD && scan.problem.expected == 2
          && scan.num_rows == -1 && scan.leaf_count == 0);
    pqx_scan_free(&scan);
}

/* ---- footers of writers ---- */

struct habit {
    const char *writer, *chunk;
}; /* a ColumnChunk as hexadecimal digits */
static const struct habit usual[] = {
    {"pyarrow, INT64", "26001c150419350006101918016115021608168201168401265226081c18080400000000000"
                       "000180801000000000000001602280804000000000000001808010000000000000011110019"
                       "2c15041500150200150015101502003c290619260206000000"},
    {"pyarrow, strings", "26001c150c1935000610191801731502160816800116880126da01268c011c360028037a7"
                         "a7a180177111100192c15041500150200150015101502003c160e190619260008000000"},
    {"DuckDB", "26001c15041915001918016115021608169c01166426083c18080400000000000000180801000000000"
               "0000016022808040000000000000018080100000000000000111100191c150015001502000000"},
    {"parquet-mr 1.10",
     "26081c150219350008061928057265706c79087265706c795f6964150016e80716e61116e61126083c180435abcd7"
     "f18049f30068016ea03280435abcd7f18049f30068000191c150015001502000000"},
    {"parquet-mr 1.8, the deprecated pair alone",
     "26081c1504193508060019180269641500161416820216820226083c18080a0000000000000018080100000000000"
     "0001600000000"},
    {"Impala", "268ea0071c1502192504081918026964150216f0ab0116a4b4071686a00726baf10426081c360028040"
               "f27000018040000000000192c15041504150200150015041502000000"},
    {"Impala, no statistics", "266e1c15021935060400191802696415021604165e1666263626080000"},
    {"arrow-rs, an empty list's", "26421c150219250006193809656d7074796c697374046c697374046974656d15"
                                  "001602163a163a26083c3602000000"},
    {"parquet-mr 1.18, counts of NaN",
     "26001c15081925080019180d666c6f61745f6965656537353415001614167e167e26083c18040000a040180400000"
     "0c0160028040000a0401804000000c0360000191c150015001502000000"},
    {"arrow, key-values",
     "26241c150219250006191807636f6c756d6e3115001600161c161c192c1803666f6f1803626172001815746869736"
     "9736b6579776974686f757476616c75650016002608291c150415001502000000"},
    {"Dask, a chunk in another file", "1807706172742e302e16001c150219250006191807636f6c756d6e311500"
                                      "1600161c161c2608491c150415001502000000"},
    {"DataFusion, geospatial",
     "26001c150c193500061019180867656f6d65747279150c161416e60716cc04269e1826a6141c3600421200192c150"
     "41500150200150015101502003c16b40629260014001c1c1700002f856fdb36c01700803760475c06c0179c002efd"
     "c63cff3f17f5a0620becc6444000191504000000"},
};
/* Chunks with offsets of indexes and filters. */
static const struct habit placed[] = {
    {"parquet-mr 1.13",
     "26081c150219350006081918026964150c16d80916a22716a41426083c1804211a000018048a16000016002804211"
     "a000018048a16000000191c150015001502000016e270151616e46b152e00"},
    {"Polars", "26a8021c1504193500061019180161150c160816b00116cc01265c26081c36022808040000000000000"
               "018080100000000000000000016a605151416c204153e00"},
    {"arrow-rs, with a Bloom filter",
     "2696031c150c1935000610191806537472696e671500161c168e03168e0326b00226081c5805746f6461791805486"
     "56c6c6f11110026fa0315a0200016cc241516169a24153200"},
    {"pyarrow, with a page index",
     "26001c150419350006101918016115021608168201168401265226081c18080400000000000000180801000000000"
     "0000016022808040000000000000018080100000000000000111100192c15041500150200150015101502003c2906"
     "1926020600001688031514169402154600"},
};
static const struct habit surprising[] = {
    {"an enum of two bytes", "26001c1584001935000610191801611502160816820116840126521c000000"},
    {"a negative enum", "26001c150319250006191801611502160816820116840126520000"},
    {"a negative count", "26001c150419250006191801611502160716820116840126520000"},
    {"fields in another order", "26001c190525000615040000"},
    {"no metadata", "1801781600180c00"},
    {"no file_offset", "3c150419250006191801611502160816820116840126520000"},
};

enum { BEHIND = 256 };
#define FAIL(writer)                     \
    do {                                 \
        fprintf(stderr, "%s\n", writer); \
        CHECK(0);                        \
    } while (0)

/* Scan one chunk, and zeros behind it, by both decoders; how many the fast one takes. */
static uint32_t taken_fast(const struct habit *habit, int with_places, pqx_chunk *fast,
                           pqx_places *fast_places)
{
    size_t size = strlen(habit->chunk) / 2;
    uint8_t *data = calloc(1, 1 + size + BEHIND); /* no chunk is at offset 0 */
    for (size_t i = 0; i < size; i++) {
        unsigned byte = 0;
        CHECK(sscanf(habit->chunk + 2 * i, "%2x", &byte) == 1);
        data[1 + i] = (uint8_t)byte;
    }
    pqx_chunk plain;
    pqx_places plain_places;
    pqx_scan scan = {.chunks = fast, .places = with_places ? fast_places : NULL};
    pqx_scanning s = {.cursor = {data, 1 + size + BEHIND, 1, NULL}, .scan = &scan};
    for (int i = 0; i < PQX_HABITS; i++) s.habits[i].head = PQX_NO_HEAD;
    uint32_t taken = pqx_fast_chunks(&s, 1);
    CHECK(s.cursor.at == (taken ? 1 + size : 1) && scan.chunk_count == taken);
    int is_placed = 0;
    s.cursor.at = 1;
    int status = pqx_scan_chunk(&s, &plain, &plain_places, &is_placed);
    if (taken)
        CHECK(status == PQX_OK && s.cursor.at == 1 + size
              && same_bytes(&plain, fast, sizeof plain));
    if (taken && with_places) CHECK(same_bytes(&plain_places, fast_places, sizeof plain_places));
    free(data);
    return taken;
}

static void what_writers_write_is_taken_fast(void)
{
    pqx_chunk chunk;
    pqx_places places;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        for (int with_places = 0; with_places < 2; with_places++)
            if (taken_fast(&usual[i], with_places, &chunk, &places) != 1) FAIL(usual[i].writer);
    for (size_t i = 0; i < sizeof placed / sizeof *placed; i++) {
        if (taken_fast(&placed[i], 1, &chunk, &places) != 1) FAIL(placed[i].writer);
        if (taken_fast(&placed[i], 0, &chunk, &places) != 0) FAIL(placed[i].writer);
    }
}

static void what_surprises_is_left_to_the_other_decoder(void)
{
    pqx_chunk chunk;
    pqx_places places;
    for (size_t i = 0; i < sizeof surprising / sizeof *surprising; i++)
        if (taken_fast(&surprising[i], 1, &chunk, &places) != 0) FAIL(surprising[i].writer);
}

int main(void)
{
    RUN(both_decoders_give_the_facts);
    RUN(flipped_bits_do_no_harm);
    RUN(contradictions_are_told);
    RUN(what_writers_write_is_taken_fast);
    RUN(what_surprises_is_left_to_the_other_decoder);
    return 0;
}
