/* Load the pages of a column chunk from a file, and supply them to a column. */
#include "page/file_chunk.h"

void pqx_file_chunk_free(pqx_file_chunk *chunk)
{
    pqx_release(chunk->window.memory.data);
    pqx_release(chunk->held.memory.data);
    pqx_release(chunk->dictionary.data);
    pqx_unpacked_free(&chunk->room);
}

static int parse_header(const pqx_file_chunk *chunk, pqx_page *header)
{
    pqx_error error;
    return !pqx_page_header(pqx_window_at(&chunk->window, chunk->at),
                            pqx_window_held(&chunk->window, chunk->at), 0, header, &error);
}

int pqx_file_chunk_header(pqx_file_chunk *chunk, pqx_page *header, uint64_t *body)
{
    pqx_window *window = &chunk->window;
    uint64_t left = window->end - chunk->at;
    if (!left || !pqx_window_load(window, chunk->at, 1)) return 0;
    if (!parse_header(chunk, header)) {
        if (pqx_window_held(window, chunk->at) >= PQX_BYTES_AT_ONCE) return 0;
        if (!pqx_window_load(window, chunk->at,
                             left < PQX_BYTES_AT_ONCE ? left : PQX_BYTES_AT_ONCE))
            return 0;
        if (!parse_header(chunk, header)) return 0;
    }
    *body = chunk->at + header->header_size;
    return pqx_stored_is_usual(header, chunk->at == chunk->begin)
           && (uint64_t)header->compressed_size <= window->end - *body;
}

/* Return 1 if a page's body has the checksum in its header, or if checksums are not compared. */
static int is_intact(pqx_file_chunk *chunk, const pqx_page *header, uint64_t body)
{
    if (!chunk->checks_crc || !header->has_crc) return 1;
    size_t size = (size_t)header->compressed_size;
    if (!pqx_window_load(&chunk->window, body, size)) return 0;
    return pqx_crc32(0, pqx_window_at(&chunk->window, body), size) == header->crc;
}

/* Supply a dictionary page to the column. An uncompressed one is copied, because other pages are
 * loaded over it. */
static int give_whole_dictionary(pqx_column *column, pqx_file_chunk *chunk, const pqx_page *header,
                                 uint64_t body)
{
    size_t size = (size_t)header->compressed_size;
    if (!pqx_window_load(&chunk->window, body, size)) return 0;
    const uint8_t *stored = pqx_window_at(&chunk->window, body);
    if (chunk->codec == PQX_CODEC_UNCOMPRESSED || !header->is_compressed) {
        if (!pqx_grow(&chunk->dictionary, 0, size + 1)) return 0;
        memcpy(chunk->dictionary.data, stored, size);
        stored = chunk->dictionary.data;
    }
    return pqx_stored_dictionary(column, header, stored, chunk->codec, &chunk->room);
}

int pqx_file_chunk_give_dictionary(pqx_column *column, pqx_file_chunk *chunk,
                                   const pqx_page *header, uint64_t body)
{
    if (!is_intact(chunk, header, body)) return 0;
    if (!chunk->is_part || !pqx_stored_is_late(column, header))
        return give_whole_dictionary(column, chunk, header, body);
    pqx_memory spare = chunk->held.memory;
    chunk->held = chunk->window;
    chunk->window.memory = spare;
    chunk->window.held = 0;
    return pqx_stored_late_dictionary(column, header, &chunk->held, body, chunk->codec,
                                      &chunk->values, &chunk->room);
}

int pqx_file_chunk_give_data(pqx_column *column, pqx_file_chunk *chunk, const pqx_page *header,
                             uint64_t body, uint64_t passed)
{
    if (header->num_values < 0) return 0;
    uint64_t entries = (uint64_t)header->num_values, wanted = chunk->wanted;
    chunk->wanted -= entries < wanted ? entries : wanted;
    if (entries > passed && !is_intact(chunk, header, body)) return 0;
    if (entries > passed && entries > wanted)
        return pqx_stored_first(column, header, &chunk->window, body, chunk->codec, wanted,
                                &chunk->room);
    size_t size = entries > passed ? (size_t)header->compressed_size : 0;
    if (!pqx_window_load(&chunk->window, body, size)) return 0;
    const uint8_t *stored = chunk->window.memory.data;
    if (entries > passed) stored = pqx_window_at(&chunk->window, body);
    return pqx_stored_page(column, header, stored, chunk->codec, passed, &chunk->room);
}
