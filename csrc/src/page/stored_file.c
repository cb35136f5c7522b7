/* Read column chunks from a file, a part of each at a time, so that the decoded bytes are still in
 * the processor's cache. */
#include "page/stored_file.h"

#include "page/codec.h"
#include "page/stored_part.h"

enum {
    AT_ONCE = 1 << 20, /* bytes that are read together */
    LEAST = 16 << 10   /* if only a few rows are requested */
};

/* A chunk that is being read. */
typedef struct stored_chunk {
    pqx_window window; /* of its pages, */
    pqx_window held;   /* and of a dictionary whose values are loaded on demand */
    pqx_stored_values values;
    uint64_t begin, at;    /* offsets in the file: the first page, and the next one */
    pqx_memory dictionary; /* an uncompressed one */
    pqx_unpacked room;
    int codec;
    uint64_t wanted; /* remaining entries up to the last one that is read */
    int is_part;     /* far fewer entries are read than exist */
    size_t turn;     /* the current turn, */
    uint64_t done;   /* and the number of its rows that are done */
} stored_chunk;

static int parse_header(const stored_chunk *chunk, pqx_page *header)
{
    pqx_error error;
    return !pqx_page_header(pqx_window_at(&chunk->window, chunk->at),
                            pqx_window_held(&chunk->window, chunk->at), 0, header, &error);
}

/* Load the next page's header; its body begins at *body. */
static int load_header(stored_chunk *chunk, pqx_page *header, uint64_t *body)
{
    pqx_window *window = &chunk->window;
    uint64_t left = window->end - chunk->at;
    if (!left || !pqx_window_load(window, chunk->at, 1)) return 0;
    if (!parse_header(chunk, header)) {
        if (pqx_window_held(window, chunk->at) >= AT_ONCE) return 0;
        if (!pqx_window_load(window, chunk->at, left < AT_ONCE ? left : AT_ONCE)) return 0;
        if (!parse_header(chunk, header)) return 0;
    }
    *body = chunk->at + header->header_size;
    return pqx_stored_is_usual(header, chunk->at == chunk->begin)
           && (uint64_t)header->compressed_size <= window->end - *body;
}

/* Supply a dictionary page to the column. An uncompressed one is copied, because other pages are
 * loaded over it. */
static int give_whole_dictionary(pqx_column *column, stored_chunk *chunk, const pqx_page *header,
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

/* Supply a dictionary page to the column. If only a few rows are requested, its values are loaded
 * on demand through a separate window. */
static int give_dictionary(pqx_column *column, stored_chunk *chunk, const pqx_page *header,
                           uint64_t body)
{
    if (!chunk->is_part || !pqx_stored_is_late(column, header))
        return give_whole_dictionary(column, chunk, header, body);
    pqx_memory spare = chunk->held.memory;
    chunk->held = chunk->window;
    chunk->window.memory = spare;
    chunk->window.held = 0;
    return pqx_stored_late_dictionary(column, header, &chunk->held, body, chunk->codec,
                                      &chunk->values, &chunk->room);
}

/* Supply a data page to the column. A page of at most `passed` entries is not decompressed; nor are
 * the bytes after the last requested entry. */
static int give_data(pqx_column *column, stored_chunk *chunk, const pqx_page *header, uint64_t body,
                     uint64_t passed)
{
    if (header->num_values < 0) return 0;
    uint64_t entries = (uint64_t)header->num_values, wanted = chunk->wanted;
    chunk->wanted -= entries < wanted ? entries : wanted;
    if (entries > passed && entries > wanted)
        return pqx_stored_first(column, header, &chunk->window, body, chunk->codec, wanted,
                                &chunk->room);
    size_t size = entries > passed ? (size_t)header->compressed_size : 0;
    if (!pqx_window_load(&chunk->window, body, size)) return 0;
    const uint8_t *stored = chunk->window.memory.data;
    if (entries > passed) stored = pqx_window_at(&chunk->window, body);
    return pqx_stored_page(column, header, stored, chunk->codec, passed, &chunk->room);
}

/* Supply the next page to the column. */
static int give_page(pqx_column *column, stored_chunk *chunk, uint64_t passed)
{
    pqx_page header;
    uint64_t body;
    if (!load_header(chunk, &header, &body)) return 0;
    int is_given = 1;
    if (header.type == PQX_PAGE_DICTIONARY_PAGE)
        is_given = give_dictionary(column, chunk, &header, body);
    else if (header.type == PQX_PAGE_DATA_PAGE || header.type == PQX_PAGE_DATA_PAGE_V2)
        is_given = give_data(column, chunk, &header, body, passed);
    chunk->at = body + (uint64_t)header.compressed_size;
    return is_given;
}

/* Read one page after another, and the turns as far as each page reaches. A page is finished when
 * the next one is supplied. */
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

/* Begin a chunk, if it has these rows and is within the file. */
static int begin_chunk(pqx_column *column, stored_chunk *chunk, const pqx_chunk *facts,
                       int64_t rows)
{
    int64_t begin = pqx_chunk_begin(facts->data_page_offset, facts->dictionary_page_offset);
    int64_t size = facts->total_compressed_size;
    pqx_window *window = &chunk->window;
    if (facts->present & (PQX_PRESENT_CRYPTO | PQX_PRESENT_FILE_PATH)) return 0;
    if (facts->type != column->leaf.type || rows < 0 || facts->num_values != rows) return 0;
    if (!pqx_codec_is_known(facts->codec)) return 0;
    if (!rows) begin = size = 0;
    else if (!pqx_stored_has_place(facts, window->source->size)) return 0;
    pqx_column_begin_chunk(column, (uint64_t)rows, (uint64_t)rows);
    chunk->codec = facts->codec;
    chunk->begin = chunk->at = window->begin = (uint64_t)begin;
    window->end = (uint64_t)begin + (uint64_t)size;
    window->held = 0;
    return 1;
}

/* Determine how far a chunk is read: to the last row of the last turn that reads rows. */
static void plan_chunk(stored_chunk *chunk, int64_t rows, const int64_t *counts, size_t turns)
{
    uint64_t at = 0;
    chunk->wanted = 0;
    for (size_t turn = 0; turn < turns && counts[turn] >= 0; turn++) {
        at += (uint64_t)counts[turn];
        if (at > (uint64_t)rows) at = (uint64_t)rows;
        if (turn % 2 && counts[turn]) chunk->wanted = at;
    }
    chunk->is_part = chunk->wanted < (uint64_t)rows - (uint64_t)rows / 4;
    double share = rows ? (double)chunk->wanted / (double)rows : 1;
    double likely = share * (double)(chunk->window.end - chunk->begin);
    if (!chunk->is_part || likely > (double)AT_ONCE) likely = (double)AT_ONCE;
    chunk->window.step = likely < (double)LEAST ? LEAST : (size_t)likely;
}

/* Read the requested rows of a leaf's chunks, one chunk after another. */
static int read_chunks(const pqx_leaf_reading *leaf, stored_chunk *chunk,
                       const pqx_chosen_rows *chosen)
{
    const int64_t *counts = chosen->counts;
    size_t left = chosen->count;
    for (size_t i = 0; i < chosen->groups; i++) {
        size_t group = chosen->first + i;
        int64_t whole[] = {0, chosen->rows[group]};
        const pqx_chunk *facts = leaf->chunks + group * leaf->step;
        const int64_t *some = chosen->turns ? counts : whole;
        size_t turns = chosen->turns ? (size_t)chosen->turns[i] : 2;
        if (!begin_chunk(leaf->column, chunk, facts, whole[1])) return 0;
        if (chosen->turns && (chosen->turns[i] < 0 || turns > left)) return 0;
        plan_chunk(chunk, whole[1], some, turns);
        if (turns && !read_chunk(leaf->column, chunk, some, turns)) return 0;
        if (!chosen->turns) continue;
        counts += turns;
        left -= turns;
    }
    return 1;
}

/* Return the size of the requested chunks in a file. The footer may claim any number. */
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
    stored_chunk chunk = {.window = {.source = source}};
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
    pqx_release(chunk.window.memory.data);
    pqx_release(chunk.held.memory.data);
    pqx_release(chunk.dictionary.data);
    pqx_unpacked_free(&chunk.room);
}
