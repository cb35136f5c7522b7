/* Decompress the stored pages of a column chunk and supply them to a column. */
#include "page/stored.h"

#include "page/codec.h"
#include "page/zstd.h"

enum {
    MAGIC_BYTES = 4,
    VAST_PAGE = 1 << 24, /* size up to which a page is accepted regardless of its stored size */
    BELIEVED = 64        /* accepted bytes of a larger page per stored byte */
};

void pqx_unpacked_free(pqx_unpacked *room)
{
    pqx_release(room->body.data);
    pqx_release(room->dictionary.data);
    pqx_zstd_free(room->zstd);
    pqx_zstd_free(room->dictionary_zstd);
    *room = (pqx_unpacked){0};
}

/* Decompress the bytes of a page after its levels. */
static int unpack(const pqx_page *header, const uint8_t *stored, int codec, size_t levels,
                  void **zstd, pqx_memory *memory, pqx_bytes *body)
{
    size_t size = (size_t)header->compressed_size, wanted = (size_t)header->uncompressed_size;
    if (levels > size || levels > wanted) return 0;
    stored += levels, size -= levels, wanted -= levels;
    *body = (pqx_bytes){stored, wanted};
    if (codec == PQX_CODEC_UNCOMPRESSED || !header->is_compressed) return size == wanted;
    if (!pqx_codec_believes(codec, size, wanted)) return 0;
    if (!pqx_grow(memory, 0, wanted + PQX_DECOMPRESS_SPARE)) return 0;
    body->data = memory->data;
    return pqx_decompress(codec, stored, size, memory->data, wanted, zstd);
}

int pqx_stored_is_usual(const pqx_page *header, int is_first)
{
    int encoding = header->encoding, most = PQX_ENCODING_BYTE_STREAM_SPLIT;
    if (header->compressed_size < 0 || header->uncompressed_size < 0) return 0;
    if (header->uncompressed_size > VAST_PAGE
        && header->uncompressed_size / BELIEVED > header->compressed_size)
        return 0; /* the caller of the kernels knows the limits of such pages */
    if (header->type < PQX_PAGE_DATA_PAGE || header->type > PQX_PAGE_DATA_PAGE_V2) return 0;
    if (header->type == PQX_PAGE_DICTIONARY_PAGE)
        return is_first
               && (encoding == PQX_ENCODING_PLAIN || encoding == PQX_ENCODING_PLAIN_DICTIONARY);
    if (header->type != PQX_PAGE_DATA_PAGE) return 1;
    return header->repetition_encoding >= 0 && header->repetition_encoding <= most
           && header->definition_encoding >= 0 && header->definition_encoding <= most;
}

int pqx_stored_has_place(const pqx_chunk *chunk, uint64_t file_size)
{
    int64_t dictionary = chunk->dictionary_page_offset, data = chunk->data_page_offset;
    int64_t begin = pqx_chunk_begin(data, dictionary), size = chunk->total_compressed_size;
    int has_dictionary = (chunk->present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET) != 0;
    if (data < MAGIC_BYTES || (has_dictionary && (dictionary < 0 || dictionary >= data))) return 0;
    return begin >= MAGIC_BYTES && (uint64_t)begin <= file_size && size > 0
           && (uint64_t)size <= file_size - (uint64_t)begin;
}

int pqx_stored_dictionary(pqx_column *column, const pqx_page *header, const uint8_t *stored,
                          int codec, pqx_unpacked *room)
{
    pqx_bytes body;
    pqx_error error;
    if (header->num_values < 0) return 0;
    if (!unpack(header, stored, codec, 0, &room->zstd, &room->dictionary, &body)) return 0;
    return !pqx_column_set_dictionary(column, body.data, body.size, (uint64_t)header->num_values, 0,
                                      &error);
}

int pqx_stored_levels(const pqx_column *column, const pqx_page *header, size_t *size)
{
    *size = 0;
    if (header->num_values < 0) return 0;
    if (header->encoding < 0 || header->encoding > PQX_ENCODING_BYTE_STREAM_SPLIT) return 0;
    if (header->type != PQX_PAGE_DATA_PAGE_V2)
        return header->definition_encoding == PQX_ENCODING_RLE || !column->leaf.max_definition;
    if (header->repetition_size < 0 || header->definition_size < 0) return 0;
    *size = (size_t)header->repetition_size + (size_t)header->definition_size;
    return 1;
}

int pqx_stored_page(pqx_column *column, const pqx_page *header, const uint8_t *stored, int codec,
                    uint64_t passed, pqx_unpacked *room)
{
    pqx_column_page page = {.header = *header};
    pqx_bytes body = {stored, 0};
    pqx_error error;
    size_t levels;
    if (!pqx_stored_levels(column, header, &levels)) return 0;
    if (header->type == PQX_PAGE_DATA_PAGE_V2) {
        page.levels = stored;
        page.levels_size = levels;
    }
    if ((uint64_t)header->num_values > passed
        && !unpack(header, stored, codec, levels, &room->zstd, &room->body, &body))
        return 0;
    page.values = body.data;
    page.values_size = body.size;
    return !pqx_column_give(column, &page, &error);
}

/* Supply the page whose header is at data[*at] if it is a data page; *at advances over it. A page
 * of at most `passed` entries is not decompressed. */
static int give_next(pqx_column *column, const uint8_t *data, size_t size, size_t *at, int codec,
                     uint64_t passed, pqx_unpacked *room)
{
    pqx_page header;
    pqx_error error;
    if (*at >= size || pqx_page_header(data, size, *at, &header, &error)) return 0;
    size_t body = *at + header.header_size;
    if (!pqx_stored_is_usual(&header, !*at) || (size_t)header.compressed_size > size - body)
        return 0;
    *at = body + (size_t)header.compressed_size;
    if (header.type == PQX_PAGE_DICTIONARY_PAGE)
        return pqx_stored_dictionary(column, &header, data + body, codec, room);
    if (header.type == PQX_PAGE_DATA_PAGE || header.type == PQX_PAGE_DATA_PAGE_V2)
        return pqx_stored_page(column, &header, data + body, codec, passed, room);
    return 1;
}

int pqx_stored_chunk(pqx_column *column, const uint8_t *data, size_t size, int codec,
                     const int64_t *counts, size_t turns, pqx_unpacked *room)
{
    size_t at = 0, turn = 0;
    uint64_t done = 0, left;
    if (!pqx_codec_is_known(codec)) return 0;
    for (;;) {
        if (!pqx_column_take_turns(column, counts, turns, &turn, &done, &left)) return 0;
        if (turn == turns) return 1;
        if (!give_next(column, data, size, &at, codec, turn % 2 ? 0 : left, room)) return 0;
    }
}
