/* Column chunks read from a file, a part of each at a time, so that what is decoded is still in the
 * processor's cache. */
#include "page/stored_file.h"

#include "page/codec.h"
#include "page/stored.h"

enum { AT_ONCE = 1 << 20 /* bytes that are read together */ };

/* A chunk as it is read. */
typedef struct stored_chunk {
    const pqx_source *source;
    uint64_t begin;        /* offsets in the file: the first page, */
    uint64_t at, end;      /* the next one, and where pages end */
    uint64_t loaded;       /* offset of what `stored` begins with */
    size_t held;           /* bytes of `stored` */
    pqx_memory stored;     /* what is loaded */
    pqx_memory dictionary; /* one that is not compressed */
    pqx_unpacked room;
    int codec;
    size_t turn;   /* what comes next, */
    uint64_t done; /* and how many rows of it are done */
} stored_chunk;

/* Have `size` bytes from the next page on in memory. */
static int load(stored_chunk *chunk, uint64_t size)
{
    uint64_t left = chunk->end - chunk->at, most = size > AT_ONCE ? size : AT_ONCE;
    if (size > left) return 0;
    if (chunk->at + size <= chunk->loaded + chunk->held) return 1;
    if (most > left) most = left;
    chunk->held = 0;
    if (most > SIZE_MAX / 2 || !pqx_grow(&chunk->stored, 0, (size_t)most)) return 0;
    const pqx_source *source = chunk->source;
    if (source->read(source->context, chunk->at, (size_t)most, chunk->stored.data)) return 0;
    chunk->loaded = chunk->at;
    chunk->held = (size_t)most;
    return 1;
}

static const uint8_t *next_bytes(const stored_chunk *chunk)
{ return chunk->stored.data + (chunk->at - chunk->loaded); }

static int parse_header(const stored_chunk *chunk, pqx_page *header)
{
    pqx_error error;
    size_t before = (size_t)(chunk->at - chunk->loaded);
    return !pqx_page_header(next_bytes(chunk), chunk->held - before, 0, header, &error);
}

/* Have the next page in memory. */
static int load_page(stored_chunk *chunk, pqx_page *header)
{
    uint64_t left = chunk->end - chunk->at;
    if (!load(chunk, 1)) return 0;
    if (!parse_header(chunk, header)) {
        if (chunk->held - (chunk->at - chunk->loaded) >= AT_ONCE) return 0;
        if (!load(chunk, left < AT_ONCE ? left : AT_ONCE) || !parse_header(chunk, header)) return 0;
    }
    if (!pqx_stored_is_usual(header, chunk->at == chunk->begin)) return 0;
    return load(chunk, (uint64_t)header->header_size + (uint64_t)header->compressed_size);
}

/* Give the column a dictionary page. One that is not compressed is copied: other pages are loaded
 * over it. */
static int give_dictionary(pqx_column *column, stored_chunk *chunk, const pqx_page *header,
                           const uint8_t *stored)
{
    if (chunk->codec == PQX_CODEC_UNCOMPRESSED || !header->is_compressed) {
        size_t size = (size_t)header->compressed_size;
        if (!pqx_grow(&chunk->dictionary, 0, size + 1)) return 0;
        memcpy(chunk->dictionary.data, stored, size);
        stored = chunk->dictionary.data;
    }
    return pqx_stored_dictionary(column, header, stored, chunk->codec, &chunk->room);
}

/* Give the column the next page. A data page of at most `passed` entries is not decompressed. */
static int give_page(pqx_column *column, stored_chunk *chunk, uint64_t passed)
{
    pqx_page header;
    if (!load_page(chunk, &header)) return 0;
    const uint8_t *stored = next_bytes(chunk) + header.header_size;
    int is_given = 1;
    if (header.type == PQX_PAGE_DICTIONARY_PAGE)
        is_given = give_dictionary(column, chunk, &header, stored);
    else if (header.type == PQX_PAGE_DATA_PAGE || header.type == PQX_PAGE_DATA_PAGE_V2)
        is_given = pqx_stored_page(column, &header, stored, chunk->codec, passed, &chunk->room);
    chunk->at += (uint64_t)header.header_size + (uint64_t)header.compressed_size;
    return is_given;
}

/* One page after the other, and the turns as far as each goes: a page is done with when the next
 * one is given. */
static int read_chunk(pqx_column *column, stored_chunk *chunk, const int64_t *counts, size_t turns)
{
    pqx_error error;
    chunk->turn = 0;
    chunk->done = 0;
    for (;;) {
        uint64_t left = 0, begun;
        for (; chunk->turn < turns; chunk->turn++, chunk->done = 0) {
            int keeps = chunk->turn % 2;
            if (counts[chunk->turn] < 0) return 0;
            left = (uint64_t)counts[chunk->turn] - chunk->done;
            int status = keeps ? pqx_column_read(column, left, &begun, &error)
                               : pqx_column_skip(column, left, &begun, &error);
            if (status || column->is_full) return 0;
            left -= begun;
            chunk->done += begun;
            if (left) break;
        }
        if (chunk->turn == turns) return 1;
        if (!give_page(column, chunk, chunk->turn % 2 ? 0 : left)) return 0;
    }
}

/* Begin with a chunk, if it is one of these rows that lies in the file. */
static int begin_chunk(pqx_column *column, stored_chunk *chunk, const pqx_chunk *facts,
                       int64_t rows)
{
    int64_t begin = pqx_chunk_begin(facts->data_page_offset, facts->dictionary_page_offset);
    int64_t size = facts->total_compressed_size;
    if (facts->present & (PQX_PRESENT_CRYPTO | PQX_PRESENT_FILE_PATH)) return 0;
    if (facts->type != column->leaf.type || rows < 0 || facts->num_values != rows) return 0;
    if (!pqx_codec_is_known(facts->codec)) return 0;
    if (!rows) begin = size = 0;
    else if (!pqx_stored_has_place(facts, chunk->source->size)) return 0;
    pqx_column_begin_chunk(column, (uint64_t)rows, (uint64_t)rows);
    chunk->codec = facts->codec;
    chunk->begin = chunk->at = chunk->loaded = (uint64_t)begin;
    chunk->end = (uint64_t)begin + (uint64_t)size;
    chunk->held = 0;
    return 1;
}

/* Read the chosen rows of a leaf's chunks, one chunk after another. */
static int read_chunks(const pqx_leaf_reading *leaf, stored_chunk *chunk,
                       const pqx_chosen_rows *chosen)
{
    const int64_t *counts = chosen->counts;
    size_t left = chosen->count;
    for (size_t i = 0; i < chosen->groups; i++) {
        size_t group = chosen->first + i;
        int64_t whole[] = {0, chosen->rows[group]};
        const pqx_chunk *facts = leaf->chunks + group * leaf->step;
        if (!begin_chunk(leaf->column, chunk, facts, whole[1])) return 0;
        if (!chosen->turns) {
            if (!read_chunk(leaf->column, chunk, whole, 2)) return 0;
            continue;
        }
        if (chosen->turns[i] < 0 || (uint64_t)chosen->turns[i] > left) return 0;
        size_t turns = (size_t)chosen->turns[i];
        if (turns && !read_chunk(leaf->column, chunk, counts, turns)) return 0;
        counts += turns;
        left -= turns;
    }
    return 1;
}

/* The bytes that the chosen chunks have in a file, which may tell any number. */
static uint64_t stored_bytes(const pqx_leaf_reading *leaf, const pqx_chosen_rows *chosen,
                             uint64_t most)
{
    uint64_t size = 0;
    for (size_t i = 0; i < chosen->groups; i++) {
        int64_t some = leaf->chunks[(chosen->first + i) * leaf->step].total_compressed_size;
        if (some > 0 && (uint64_t)some < most - size) size += (uint64_t)some;
    }
    return size;
}

void pqx_read_leaves(pqx_leaf_reading *leaves, size_t count, const pqx_source *source,
                     const pqx_chosen_rows *chosen, uint64_t most_bytes)
{
    stored_chunk chunk = {.source = source};
    for (pqx_leaf_reading *leaf = leaves; leaf < leaves + count; leaf++) {
        pqx_column *column = leaf->column;
        column->leaf.stored = stored_bytes(leaf, chosen, source->size);
        column->leaf.is_strict = 1;
        if (column->leaf.most_bytes > most_bytes) column->leaf.most_bytes = (uint32_t)most_bytes;
        leaf->is_done = !column->leaf.max_repetition && !column->leaf.list_levels
                        && read_chunks(leaf, &chunk, chosen);
        most_bytes -= column->output.bytes < most_bytes ? column->output.bytes : most_bytes;
        pqx_column_begin_chunk(column, UINT64_MAX, UINT64_MAX);
    }
    pqx_release(chunk.stored.data);
    pqx_release(chunk.dictionary.data);
    pqx_unpacked_free(&chunk.room);
}
