/* The values of one column of a Parquet file that is not compressed, a line for each: integers,
 * doubles and texts outside of lists.
 *
 *     values FILE LEAF          LEAF is the number of the column among the leaves, from 0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parquetext.h"

enum { MOST_PAGES = 256, ROWS_AT_ONCE = 1 << 16 };

static int fail(const char *what)
{
    fprintf(stderr, "values: %s\n", what);
    return 1;
}

static int fail_with(const pqx_error *error, int status)
{
    fprintf(stderr, "values: %s (offset %" PRIu64 ", expected %" PRIu64 ", found %" PRIu64 ")\n",
            pqx_status_message(status), error->offset, error->expected, error->found);
    return 1;
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    uint8_t *data = NULL;
    long length = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    if (length > 0 && (data = malloc((size_t)length))) {
        rewind(file);
        *size = fread(data, 1, (size_t)length, file);
    }
    fclose(file);
    return data;
}

static void print(const pqx_decoded *decoded, int type)
{
    for (uint64_t i = 0; i < decoded->slots; i++) {
        int32_t number;
        int64_t large;
        double real;
        if (decoded->valid && !(decoded->valid[i / 8] >> (i % 8) & 1)) {
            puts("null");
        } else if (type == PQX_PHYSICAL_INT32) {
            memcpy(&number, decoded->values + 4 * i, 4);
            printf("%" PRId32 "\n", number);
        } else if (type == PQX_PHYSICAL_INT64) {
            memcpy(&large, decoded->values + 8 * i, 8);
            printf("%" PRId64 "\n", large);
        } else if (type == PQX_PHYSICAL_DOUBLE) {
            memcpy(&real, decoded->values + 8 * i, 8);
            printf("%.17g\n", real);
        } else {
            int32_t begin = decoded->offsets[i], length = decoded->offsets[i + 1] - begin;
            fwrite(decoded->values + begin, 1, (size_t)length, stdout);
            putchar('\n');
        }
    }
}

/* Read and print all rows of the pages that were given. */
static int print_rows(pqx_decoder *decoder, int type, pqx_error *error)
{
    for (;;) {
        uint64_t begun;
        int state, status = pqx_decoder_read(decoder, ROWS_AT_ONCE, &begun, &state, error);
        if (status) return status;
        pqx_decoded decoded;
        if ((status = pqx_decoder_take(decoder, &decoded, error))) return status;
        print(&decoded, type);
        pqx_decoded_free(&decoded);
        if (!begun && state != PQX_DECODER_FULL) return PQX_OK;
    }
}

static int print_chunk(pqx_decoder *decoder, const uint8_t *data, size_t size,
                       const pqx_chunk *chunk, int64_t rows, pqx_error *error)
{
    int64_t begin = pqx_chunk_begin(chunk->data_page_offset, chunk->dictionary_page_offset);
    if (begin < 0 || (uint64_t)begin > size || chunk->total_compressed_size < 0
        || (uint64_t)chunk->total_compressed_size > size - (uint64_t)begin)
        return PQX_TRUNCATED;
    uint64_t at = (uint64_t)begin, end = at + (uint64_t)chunk->total_compressed_size;
    int status = pqx_decoder_begin(decoder, (uint64_t)chunk->num_values, (uint64_t)rows, error);
    while (!status && at < end) {
        pqx_page pages[MOST_PAGES];
        size_t count;
        status = pqx_page_walk(data, (size_t)end, at, end, pages, MOST_PAGES, &count, &at, error);
        for (size_t i = 0; i < count && !status; i++) {
            const pqx_page *page = &pages[i];
            const uint8_t *body = data + page->offset + page->header_size;
            size_t length = (size_t)page->compressed_size;
            if (page->type == PQX_PAGE_DICTIONARY_PAGE)
                status = pqx_decoder_dictionary(decoder, body, length, (uint64_t)page->num_values,
                                                error);
            else if (page->type != PQX_PAGE_INDEX_PAGE)
                status = pqx_decoder_page(decoder, page, NULL, 0, body, length, error);
        }
        if (!status && !count) status = PQX_TRUNCATED;
    }
    return status;
}

static int print_column(const uint8_t *data, size_t size, const pqx_scan *scan, uint32_t leaf)
{
    const pqx_element *element = &scan->elements[scan->leaves[leaf]];
    pqx_decoder_leaf wanted = {.type = element->type, .max_definition = element->max_definition};
    pqx_decoder *decoder;
    pqx_error error = {0};
    int is_printable = element->type == PQX_PHYSICAL_INT32 || element->type == PQX_PHYSICAL_INT64
                       || element->type == PQX_PHYSICAL_DOUBLE
                       || element->type == PQX_PHYSICAL_BYTE_ARRAY;
    if (element->max_repetition || !is_printable) return fail("no column of such values");
    int status = pqx_decoder_open(&wanted, &decoder, &error);
    for (uint64_t i = 0; i < scan->row_group_count && !status; i++) {
        const pqx_chunk *chunk = &scan->chunks[i * scan->leaf_count + leaf];
        if (chunk->codec != PQX_CODEC_UNCOMPRESSED) {
            pqx_decoder_close(decoder);
            return fail("the column is compressed");
        }
        status = print_chunk(decoder, data, size, chunk, scan->row_groups[i].num_rows, &error);
        if (!status) status = print_rows(decoder, element->type, &error);
    }
    pqx_decoder_close(decoder);
    return status ? fail_with(&error, status) : 0;
}

int main(int count, char **arguments)
{
    size_t size = 0;
    pqx_scan scan;
    pqx_error error;
    if (count != 3) return fail("usage: values FILE LEAF");
    uint8_t *data = read_whole(arguments[1], &size);
    if (!data || size < 12 || memcmp(data + size - 4, "PAR1", 4)) {
        free(data);
        return fail("not a Parquet file");
    }
    const uint8_t *end = data + size - 8;
    size_t length = end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16 | (size_t)end[3] << 24;
    if (length > size - 12) {
        free(data);
        return fail("the footer cannot be read");
    }
    int result = 1, status = pqx_scan_footer(end - length, length, &scan, &error);
    if (status) {
        fail_with(&error, status);
    } else {
        unsigned long leaf = strtoul(arguments[2], NULL, 10);
        if (leaf >= scan.leaf_count || !scan.regular) fail("no such leaf");
        else result = print_column(data, size - 8 - length, &scan, (uint32_t)leaf);
        pqx_scan_free(&scan);
    }
    free(data);
    return result;
}
