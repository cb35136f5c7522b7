#include "page/stored_part.h"

enum {
    LENGTH = 4, /* bytes of a length prefix of levels and of byte arrays */
    RUN_HEADER = 5,
    SMALL = 32 << 10 /* dictionaries up to this size are decompressed at once */
};

/* Begin a page's body, after `levels` bytes that are not compressed. */
static int begin(pqx_unpack *body, const pqx_page *header, pqx_window *window, uint64_t at,
                 size_t levels, int codec, pqx_memory *memory, void **zstd)
{
    size_t stored = (size_t)header->compressed_size, size = (size_t)header->uncompressed_size;
    if (levels > stored || levels > size) return 0;
    *body = (pqx_unpack){.window = window,
                         .at = at,
                         .front = levels,
                         .stored = stored - levels,
                         .codec = header->is_compressed ? codec : PQX_CODEC_UNCOMPRESSED,
                         .size = size - levels,
                         .memory = memory,
                         .zstd = zstd};
    return pqx_unpack_begin(body);
}

/* ---- dictionaries ---- */

static int make_values(pqx_late_values *late, uint32_t count)
{
    pqx_stored_values *values = (pqx_stored_values *)late;
    pqx_dictionary *dictionary = values->dictionary;
    if (!pqx_unpack_until(&values->body, (uint64_t)count * dictionary->width)) return 0;
    dictionary->fixed = pqx_unpack_data(&values->body); /* it may have moved */
    late->ready = (uint32_t)(values->body.ready / dictionary->width);
    return 1;
}

int pqx_stored_is_late(const pqx_column *column, const pqx_page *header)
{ return column->width && !column->leaf.ranges && header->uncompressed_size > SMALL; }

int pqx_stored_late_dictionary(pqx_column *column, const pqx_page *header, pqx_window *window,
                               uint64_t at, int codec, pqx_stored_values *values,
                               pqx_unpacked *room)
{
    pqx_error error;
    pqx_unpack *body = &values->body;
    if (header->num_values < 0) return 0;
    if (!begin(body, header, window, at, 0, codec, &room->dictionary, &room->dictionary_zstd))
        return 0;
    if (pqx_column_set_dictionary(column, pqx_unpack_data(body), body->size,
                                  (uint64_t)header->num_values, 0, &error))
        return 0;
    values->late = (pqx_late_values){.make = make_values};
    values->dictionary = &column->dictionary;
    column->dictionary.late = &values->late;
    return 1;
}

/* ---- data pages ---- */

/* Make the whole body available. */
static int have_all(pqx_unpack *body) { return pqx_unpack_until(body, UINT64_MAX); }

/* Make the body available up to the first `count` indices; all of it if there are fewer, or invalid
 * runs. */
static int have_indices(pqx_unpack *body, uint64_t at, uint64_t count)
{
    if (!pqx_unpack_until(body, at + 1)) return 0;
    if (at >= body->size) return 1;
    uint32_t width = pqx_unpack_data(body)[at++];
    while (count && width && at < body->size) {
        uint32_t run;
        size_t next;
        if (!pqx_unpack_until(body, at + RUN_HEADER)) return 0;
        if (pqx_varint_get32(pqx_unpack_data(body), body->ready, (size_t)at, &run, &next, NULL))
            return have_all(body);
        int is_packed = run & 1;
        uint64_t values = is_packed ? (uint64_t)(run >> 1) * 8 : run >> 1;
        uint64_t some = values < count ? values : count;
        if (!values) return have_all(body);
        at = next + ((is_packed ? some * width : width) + 7) / 8;
        count -= some;
    }
    return pqx_unpack_until(body, at);
}

/* Make the body available up to the first `count` PLAIN byte arrays, or all of it. */
static int have_arrays(pqx_unpack *body, uint64_t at, uint64_t count)
{
    for (; count && at < body->size && body->size - at >= LENGTH; count--) {
        if (!pqx_unpack_until(body, at + LENGTH)) return 0;
        at += LENGTH + (uint64_t)pqx_load32(pqx_unpack_data(body) + at);
    }
    return pqx_unpack_until(body, at);
}

/* Make the body available up to the first `count` values, which begin at `at`. */
static int have_values(pqx_unpack *body, const pqx_column *column, int encoding, uint64_t at,
                       uint64_t count)
{
    switch (encoding) {
    case PQX_ENCODING_PLAIN:
        if (column->leaf.type == PQX_PHYSICAL_BYTE_ARRAY) return have_arrays(body, at, count);
        if (column->leaf.type == PQX_PHYSICAL_BOOLEAN)
            return pqx_unpack_until(body, at + (count + 7) / 8);
        return pqx_unpack_until(body, at + count * column->width);
    case PQX_ENCODING_PLAIN_DICTIONARY:
    case PQX_ENCODING_RLE_DICTIONARY: return have_indices(body, at, count);
    default: return have_all(body);
    }
}

/* Make the body available up to the levels and values of the first `count` entries: at most one
 * value per entry. */
static int have_entries(pqx_unpack *body, const pqx_column *column, const pqx_page *header,
                        uint64_t count)
{
    uint64_t at = 0;
    if (header->type == PQX_PAGE_DATA_PAGE && column->leaf.max_definition) {
        if (body->size < LENGTH || !pqx_unpack_until(body, LENGTH)) return 0;
        at = LENGTH + (uint64_t)pqx_load32(pqx_unpack_data(body));
        if (at > body->size || !pqx_unpack_until(body, at)) return 0;
    }
    return have_values(body, column, header->encoding, at, count);
}

int pqx_stored_first(pqx_column *column, const pqx_page *header, pqx_window *window, uint64_t at,
                     int codec, uint64_t wanted, pqx_unpacked *room)
{
    pqx_column_page page = {.header = *header};
    pqx_unpack body;
    pqx_error error;
    if (!pqx_stored_levels(column, header, &page.levels_size)) return 0;
    if (!begin(&body, header, window, at, page.levels_size, codec, &room->body, &room->zstd))
        return 0;
    if (!pqx_window_load(window, at, page.levels_size)) return 0;
    if (!have_entries(&body, column, header, wanted)) return 0;
    page.values = pqx_unpack_data(&body);
    page.values_size = body.size;
    if (header->type == PQX_PAGE_DATA_PAGE_V2) page.levels = pqx_window_at(window, at);
    return !pqx_column_give(column, &page, &error);
}
