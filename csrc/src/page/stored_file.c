/* Read column chunks from a file, a part of each at a time, so that the decoded bytes are still in
 * the processor's cache. */
#include "page/stored_file.h"

#include "page/file_chunk.h"
#include "page/stored_pages.h"

/* Supply the next page to the column. A page of at most `passed` entries is not decompressed. */
static int give_page(pqx_column *column, pqx_file_chunk *chunk, uint64_t passed)
{
    pqx_page header;
    uint64_t body;
    if (!pqx_file_chunk_header(chunk, &header, &body)) return 0;
    int is_given = 1;
    if (header.type == PQX_PAGE_DICTIONARY_PAGE)
        is_given = pqx_file_chunk_give_dictionary(column, chunk, &header, body);
    else if (header.type == PQX_PAGE_DATA_PAGE || header.type == PQX_PAGE_DATA_PAGE_V2)
        is_given = pqx_file_chunk_give_data(column, chunk, &header, body, passed);
    chunk->at = body + (uint64_t)header.compressed_size;
    return is_given;
}

/* Read one page after another, and the turns as far as each page reaches. A page is finished when
 * the next one is supplied. */
static int read_chunk(pqx_column *column, pqx_file_chunk *chunk, const int64_t *counts,
                      size_t turns)
{
    size_t turn = 0;
    uint64_t done = 0, left;
    for (size_t i = 0; i < turns; i++)
        if (counts[i] < 0) return 0;
    for (;;) {
        if (!pqx_column_take_turns(column, counts, turns, &turn, &done, &left)) return 0;
        if (turn == turns) return 1;
        if (!give_page(column, chunk, turn % 2 ? 0 : left)) return 0;
    }
}

/* Begin a chunk, if it has these rows and is within the file. `table` is NULL if its pages are
 * unknown. */
static int begin_chunk(pqx_column *column, pqx_file_chunk *chunk, const pqx_chunk *facts,
                       int64_t rows, const pqx_page_table *table)
{
    int64_t begin = pqx_chunk_begin(facts->data_page_offset, facts->dictionary_page_offset);
    int64_t size = facts->total_compressed_size, values = facts->num_values;
    pqx_window *window = &chunk->window;
    if (facts->present & (PQX_PRESENT_CRYPTO | PQX_PRESENT_FILE_PATH)) return 0;
    if (facts->type != column->leaf.type || rows < 0 || values < rows) return 0;
    if (values != rows && !column->leaf.max_repetition) return 0;
    if (!pqx_codec_is_known(facts->codec)) return 0;
    if (!rows) begin = size = 0;
    else if (!pqx_stored_has_place(facts, window->source->size)) return 0;
    if (table ? table->rows != (uint64_t)rows || table->begin != (uint64_t)begin
                    || table->end - table->begin != (uint64_t)size
              : column->leaf.max_repetition)
        return 0;
    pqx_column_begin_chunk(column, (uint64_t)values, (uint64_t)rows);
    chunk->codec = facts->codec;
    chunk->begin = chunk->at = window->begin = (uint64_t)begin;
    window->end = (uint64_t)begin + (uint64_t)size;
    window->held = 0;
    return 1;
}

/* Determine how far a chunk is read: to the last row of the last turn that reads rows. */
static void plan_chunk(pqx_file_chunk *chunk, int64_t rows, const int64_t *counts, size_t turns)
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
    if (!chunk->is_part || likely > (double)PQX_BYTES_AT_ONCE) likely = (double)PQX_BYTES_AT_ONCE;
    chunk->window.step = likely < (double)PQX_LEAST_BYTES ? PQX_LEAST_BYTES : (size_t)likely;
}

/* Read the requested rows of a leaf's chunks, one chunk after another. */
static int read_chunks(const pqx_leaf_reading *leaf, pqx_file_chunk *chunk,
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
        const pqx_page_table *table = leaf->tables ? leaf->tables[i] : NULL;
        if (chosen->turns && (chosen->turns[i] < 0 || turns > left)) return 0;
        if (!turns) continue;
        if (!begin_chunk(leaf->column, chunk, facts, whole[1], table)) return 0;
        plan_chunk(chunk, whole[1], some, turns);
        if (!(table ? pqx_stored_read_pages(leaf->column, chunk, table, some, turns)
                    : read_chunk(leaf->column, chunk, some, turns)))
            return 0;
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
    pqx_file_chunk chunk = {.window = {.source = source}};
    for (pqx_leaf_reading *leaf = leaves; leaf < leaves + count; leaf++) {
        pqx_column *column = leaf->column;
        column->leaf.stored = leaf->tables ? 0 : stored_bytes(leaf, chosen, source->size);
        column->leaf.is_strict = 1;
        if (column->leaf.most_bytes > most_bytes) column->leaf.most_bytes = (uint32_t)most_bytes;
        chunk.checks_crc = leaf->checks_crc;
        leaf->is_done = !column->leaf.list_levels && read_chunks(leaf, &chunk, chosen);
        most_bytes -= column->output.bytes < most_bytes ? column->output.bytes : most_bytes;
        pqx_column_begin_chunk(column, UINT64_MAX, UINT64_MAX);
    }
    pqx_file_chunk_free(&chunk);
}
