/* Print the values of one column of a Parquet file that is not compressed, one per line: integers,
 * doubles and texts outside of lists.
 *
 *     values FILE LEAF          LEAF is the number of the column among the leaves, from 0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parquetext.h"

enum { MOST_PAGES = 256, ROWS_AT_ONCE = 1 << 16 };

static int fail(const char *message)
{
    fprintf(stderr, "values: %s\n", message);
    return 1;
}

static int fail_with(const pqx_error *error)
{
    char message[256];
    pqx_error_format(error, message, sizeof message);
    return fail(message);
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

static int cut_off(pqx_error *error)
{
    *error = (pqx_error){.code = PQX_TRUNCATED};
    return error->code;
}

static int print_chunk(pqx_decoder *decoder, const uint8_t *data, size_t size,
                       const pqx_chunk *chunk, int64_t rows, pqx_error *error)
{
    int64_t begin = pqx_chunk_begin(chunk->data_page_offset, chunk->dictionary_page_offset);
    if (begin < 0 || (uint64_t)begin > size || chunk->total_compressed_size < 0
        || (uint64_t)chunk->total_compressed_size > size - (uint64_t)begin)
        return cut_off(error);
    uint64_t at = (uint64_t)begin, end = at + (uint64_t)chunk->total_compressed_size;
    int status = pqx_decoder_begin(decoder, (uint64_t)chunk->num_values, (uint64_t)rows, error);
    while (!status && at < end) {
        pqx_page pages[MOST_PAGES];
        size_t count;
        status = pqx_page_walk(&(pqx_page_span){data, (size_t)end, at, end}, pages, MOST_PAGES,
                               &count, &at, error);
        for (size_t i = 0; i < count && !status; i++) {
            const pqx_page *page = &pages[i];
            const uint8_t *body = data + page->offset + page->header_size;
            size_t length = (size_t)page->compressed_size;
            if (page->type == PQX_PAGE_DICTIONARY_PAGE)
                status = pqx_decoder_dictionary(decoder, body, length, (uint64_t)page->num_values,
                                                error);
            else if (page->type != PQX_PAGE_INDEX_PAGE)
                status = pqx_decoder_page(decoder, page, (pqx_bytes){0}, (pqx_bytes){body, length},
                                          error);
        }
        if (!status && !count) status = cut_off(error);
    }
    return status;
}

static int print_chunks(pqx_decoder *decoder, const pqx_bytes *file, int type,
                        const pqx_chunk *chunks, const int64_t *rows, uint32_t count)
{
    pqx_error error;
    for (uint32_t i = 0; i < count; i++) {
        if (chunks[i].codec != PQX_CODEC_UNCOMPRESSED) return fail("the column is compressed");
        if (print_chunk(decoder, file->data, file->size, &chunks[i], rows[i], &error)
            || print_rows(decoder, type, &error))
            return fail_with(&error);
    }
    return 0;
}

static int print_column(pqx_footer *footer, const pqx_bytes *file, uint32_t leaf)
{
    pqx_footer_info info;
    pqx_decoder_leaf described;
    pqx_error error;
    pqx_footer_get_info(footer, &info);
    if (leaf >= info.leaf_count) return fail("no such leaf");
    if (pqx_footer_get_leaf(footer, leaf, &described, &error)) return fail_with(&error);
    int type = described.type;
    if (described.max_repetition
        || (type != PQX_PHYSICAL_INT32 && type != PQX_PHYSICAL_INT64 && type != PQX_PHYSICAL_DOUBLE
            && type != PQX_PHYSICAL_BYTE_ARRAY))
        return fail("no column of such values");
    size_t count = info.row_group_count ? info.row_group_count : 1;
    pqx_chunk *chunks = calloc(count, sizeof *chunks);
    int64_t *rows = calloc(count, sizeof *rows);
    pqx_buffer bounds = {0};
    pqx_decoder *decoder = NULL;
    int result;
    if (!chunks || !rows) result = fail("out of memory");
    else if (pqx_footer_get_chunks(footer, leaf, chunks, &bounds, &error)
             || pqx_footer_get_rows(footer, rows, &error)
             || pqx_decoder_open(&described, &decoder, &error))
        result = fail_with(&error);
    else result = print_chunks(decoder, file, type, chunks, rows, info.row_group_count);
    pqx_decoder_close(decoder);
    pqx_buffer_free(&bounds);
    free(chunks);
    free(rows);
    return result;
}

static int read_memory(void *context, uint64_t offset, size_t length, uint8_t *into)
{
    const pqx_bytes *file = context;
    if (offset > file->size || length > file->size - offset) return EIO;
    memcpy(into, file->data + offset, length);
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 3) return fail("usage: values FILE LEAF");
    pqx_bytes file = {0};
    pqx_footer *footer;
    pqx_error error;
    uint8_t *data = read_whole(arguments[1], &file.size);
    if (!data) return fail("the file cannot be read");
    file.data = data;
    pqx_source source = {read_memory, &file, file.size};
    uint32_t leaf = (uint32_t)strtoul(arguments[2], NULL, 10);
    int result = pqx_footer_open(&source, 0, &footer, &error) ? fail_with(&error)
                                                              : print_column(footer, &file, leaf);
    pqx_footer_close(footer);
    free(data);
    return result;
}
