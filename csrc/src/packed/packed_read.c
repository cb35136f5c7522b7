/* Read parts of a packed footer: cells, elements, chunks, row groups and pairs. */
#include <stdlib.h>

#include "packed/facts.h"
#include "footer/scan_fast.h"
#include "page/zstd.h"

/* Make the directories available, if they are few. */
static int hold_directories(pqx_index *index, pqx_error *error)
{
    const pqx_packed *p = pqx_packed_of(index);
    if (p->tail - p->directories > PQX_PACKED_DIRECTORIES) return PQX_OK;
    return pqx_index_hold_from(index, index->payload + p->directories, error);
}

/* Read begin and end of a cell from the list of its area. */
static int find_cell(pqx_index *index, int kind, uint32_t number, uint32_t *begin, uint32_t *end,
                     pqx_error *error)
{
    const pqx_packed_area_entry *area = &pqx_packed_of(index)->areas[kind];
    uint64_t place = area->directory + 4 * (uint64_t)number;
    uint8_t ends[8];
    PQX_TRY(hold_directories(index, error));
    PQX_TRY(pqx_index_fetch(index, index->payload + place - (number ? 4 : 0), number ? 8 : 4, ends,
                            error));
    *begin = number ? pqx_load32(ends) : area->begin;
    *end = pqx_load32(ends + (number ? 4 : 0));
    if (*begin < area->begin || *end > area->directory || *end < PQX_PACKED_CRC_BYTES
        || *begin > *end - PQX_PACKED_CRC_BYTES)
        return pqx_index_fail(index, error, PQX_BAD_OFFSET, place, area->directory, *end);
    if (*end - *begin > index->allowance)
        return pqx_index_fail(index, error, PQX_BAD_OFFSET, place, index->limit, *end - *begin);
    index->allowance -= *end - *begin;
    return PQX_OK;
}

int pqx_packed_load(pqx_index *index, int kind, uint32_t number, pqx_buffer *cell,
                    pqx_content *content, pqx_error *error)
{
    uint32_t begin = 0, end = 0;
    PQX_TRY(find_cell(index, kind, number, &begin, &end, error));
    size_t size = end - begin;
    cell->size = 0;
    PQX_TRY(pqx_buffer_reserve(cell, size + PQX_PACKED_SLACK, error));
    PQX_TRY(pqx_index_fetch(index, index->payload + begin, size, cell->data, error));
    memset(cell->data + size, 0, PQX_PACKED_SLACK);
    uint32_t stored = pqx_load32(cell->data),
             crc = pqx_crc32(pqx_packed_seed(kind, number), cell->data + PQX_PACKED_CRC_BYTES,
                             size - PQX_PACKED_CRC_BYTES);
    if (stored != crc) return pqx_index_fail(index, error, PQX_CHECKSUM, begin, stored, crc);
    cell->size = size;
    *content = (pqx_content){cell->data, size, PQX_PACKED_CRC_BYTES, index->payload + begin, error};
    return PQX_OK;
}

int pqx_packed_load_books(pqx_index *index, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    pqx_content content;
    if (p->has_books) return PQX_OK;
    PQX_TRY(pqx_packed_load(index, PQX_CELLS_BOOKS, 0, &p->books_cell, &content, error));
    for (int i = 0; i < PQX_BOOKS; i++) PQX_TRY(pqx_packed_book_read(&content, &p->books[i]));
    PQX_TRY(pqx_content_end(&content));
    uint32_t templates = p->books[PQX_BOOK_CHUNKS].template_count;
    p->plans = (pqx_packed_plan **)calloc(templates + (size_t)1, sizeof *p->plans);
    if (!p->plans) return pqx_fail(error, PQX_NO_MEMORY, 0, templates * sizeof *p->plans, 0);
    p->has_books = 1;
    return PQX_OK;
}

/* ---- runs: elements and row groups ---- */

/* All parts of a run are read with its cell. */
static int load_no_part(pqx_packed_tile *tile, int part, pqx_error *error)
{ return pqx_fail(error, PQX_BAD_CELL, tile->placed.place, 0, (uint64_t)part); }

int pqx_packed_load_run(pqx_index *index, int kind, uint32_t number, uint32_t count, int book,
                        pqx_packed_run *run, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    pqx_content content;
    int rows = kind == PQX_CELLS_NODES ? 8 : kind == PQX_CELLS_LEAVES ? 6 : 0;
    if (run->number == number) return PQX_OK;
    run->number = PQX_INDEX_NOTHING;
    PQX_TRY(pqx_packed_load_books(index, error));
    PQX_TRY(pqx_packed_load(index, kind, number, &run->cell, &content, error));
    for (int i = 0; i < rows; i++)
        PQX_TRY(pqx_packed_table_read(&content, 1, count, &run->rows[i]));
    run->tile.load = load_no_part;
    run->tile.limit = p->limit;
    PQX_TRY(pqx_packed_tile_begin(&run->tile, &p->books[book], 1, count, error));
    for (int part = 0; part <= PQX_PART_RESTS; part++)
        PQX_TRY(pqx_packed_tile_read(&run->tile, part, &content));
    PQX_TRY(pqx_content_end(&content));
    run->number = number;
    return PQX_OK;
}

int pqx_packed_run_struct(pqx_packed_run *run, uint32_t row, pqx_buffer *out, size_t *columns_at,
                          pqx_error *error)
{
    uint32_t length;
    return pqx_packed_tile_structs(&run->tile, 0, row, 1, (pqx_bytes){NULL, 0}, out, &length,
                                   columns_at, error);
}

/* ---- the schema ---- */

/* Check a number of an element, and return it. */
static int check_number(pqx_packed_run *run, int row, uint32_t at, uint64_t limit, uint32_t *number,
                        pqx_error *error)
{
    int64_t value;
    pqx_packed_table_column(&run->rows[row], 0, at, 1, &value);
    if ((uint64_t)value >= limit)
        return pqx_fail(error, PQX_BAD_VALUE, run->tile.placed.place, limit, (uint64_t)value);
    *number = (uint32_t)value;
    return PQX_OK;
}

static int read_numbers(pqx_index *index, pqx_packed_run *run, uint32_t at, uint32_t id,
                        pqx_index_entry *entry, uint32_t levels[3], pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    int is_node = (id & PQX_FLAT_GROUP) != 0;
    uint32_t number = id & ~PQX_FLAT_GROUP;
    uint64_t elements = (uint64_t)s->leaves + s->nodes;
    PQX_TRY(check_number(run, 0, at,
                         id == PQX_FLAT_GROUP ? 1
                         : is_node            ? number
                                              : s->nodes,
                         &entry->parent, error));
    PQX_TRY(check_number(run, 1, at, elements, &entry->index, error));
    PQX_TRY(check_number(run, 2, at, elements, &entry->position, error));
    for (int i = 0; i < 3; i++) PQX_TRY(check_number(run, 3 + i, at, 256, &levels[i], error));
    entry->first_leaf = number;
    entry->leaf_count = 1;
    if (!is_node) return PQX_OK;
    PQX_TRY(check_number(run, 6, at, s->leaves + UINT64_C(1), &entry->first_leaf, error));
    return check_number(run, 7, at, s->leaves - (uint64_t)entry->first_leaf + 1, &entry->leaf_count,
                        error);
}

int pqx_packed_load_entry(pqx_index *index, pqx_index_entry *entry, uint32_t id, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    int is_node = (id & PQX_FLAT_GROUP) != 0;
    uint32_t number = id & ~PQX_FLAT_GROUP, cell = number / PQX_PACKED_ELEMENTS_PER_CELL,
             at = number % PQX_PACKED_ELEMENTS_PER_CELL, levels[3] = {0},
             left = (is_node ? index->shape.nodes : index->shape.leaves)
                    - cell * PQX_PACKED_ELEMENTS_PER_CELL,
             count = left < PQX_PACKED_ELEMENTS_PER_CELL ? left : PQX_PACKED_ELEMENTS_PER_CELL;
    pqx_packed_run *run = is_node ? &p->nodes : &p->leaves;
    entry->id = PQX_INDEX_NOTHING;
    PQX_TRY(pqx_packed_load_run(index, is_node ? PQX_CELLS_NODES : PQX_CELLS_LEAVES, cell, count,
                                PQX_BOOK_ELEMENTS, run, error));
    PQX_TRY(read_numbers(index, run, at, id, entry, levels, error));
    entry->place = run->tile.placed.place;
    entry->thrift.size = 0;
    PQX_TRY(pqx_packed_run_struct(run, at, &entry->thrift, NULL, error));
    pqx_cursor c = {entry->thrift.data, entry->thrift.size, 0, NULL};
    if (pqx_scan_element(&c, &entry->element) != PQX_OK || c.at != c.size)
        return pqx_fail(error, PQX_BAD_VALUE, entry->place, c.size, 0);
    entry->element.column_order = (uint8_t)levels[0];
    entry->element.max_definition = (uint8_t)levels[1];
    entry->element.max_repetition = (uint8_t)levels[2];
    entry->element.sort_order = (uint8_t)pqx_sort_order(entry->thrift.data, &entry->element);
    return PQX_OK;
}

int pqx_packed_load_bucket(pqx_index *index, uint32_t bucket, uint64_t *place, pqx_error *error)
{
    *place =
        pqx_packed_of(index)->areas[PQX_CELLS_NAMES].begin + PQX_FLAT_PAGE_BYTES * (uint64_t)bucket;
    int status = pqx_index_load(index, *place, PQX_FLAT_PAGE_BYTES, &index->bucket, error);
    /* A source that collects missing ranges: the elements to which names lead need directories. */
    if (PQX_UNLIKELY(status == PQX_IO)) (void)hold_directories(index, NULL);
    return status;
}

/* ---- chunks ---- */

static int load_part(pqx_packed_tile *tile, int part, pqx_error *error)
{
    static const int kinds[] = {PQX_CELLS_PLACED, PQX_CELLS_BOUNDS, PQX_CELLS_TEXTS,
                                PQX_CELLS_LONG_TEXTS};
    pqx_packed *p = (pqx_packed *)tile->context;
    pqx_content content;
    PQX_TRY(pqx_packed_load(p->index, kinds[part], (uint32_t)p->tile_number, &p->parts[part],
                            &content, error));
    PQX_TRY(pqx_packed_tile_read(tile, part, &content));
    int status = pqx_content_end(&content);
    if (status) tile->has[part] = 0;
    return status;
}

static int load_tile(pqx_index *index, uint32_t leaf, uint32_t below, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    uint32_t block = leaf / p->tile_columns,
             columns = index->shape.leaves - block * p->tile_columns,
             rows = index->shape.row_groups - below * p->tile_rows;
    uint64_t number = (uint64_t)block * p->tiles_below + below;
    if (p->tile_number == number) return PQX_OK;
    PQX_TRY(pqx_packed_load_books(index, error));
    p->tile.load = load_part;
    p->tile.context = p;
    p->tile.limit = p->limit;
    p->tile_number = PQX_INDEX_NOTHING;
    PQX_TRY(pqx_packed_tile_begin(&p->tile, &p->books[PQX_BOOK_CHUNKS],
                                  columns < p->tile_columns ? columns : p->tile_columns,
                                  rows < p->tile_rows ? rows : p->tile_rows, error));
    p->tile_number = number;
    return PQX_OK;
}

/* A leaf cannot be read: tell a source that collects missing ranges which other cells its chunks
 * need. */
static void want_tile(pqx_index *index, uint32_t leaf, uint32_t first)
{
    static const int kinds[] = {PQX_CELLS_PLACED, PQX_CELLS_BOUNDS, PQX_CELLS_TEXTS};
    pqx_packed *p = pqx_packed_of(index);
    uint32_t number = leaf / p->tile_columns * p->tiles_below + first / p->tile_rows;
    pqx_buffer cell = {0};
    pqx_content content;
    if (first >= index->shape.row_groups) return;
    for (size_t i = 0; i < (p->tile.skips_bounds ? 1 : sizeof kinds / sizeof *kinds); i++)
        (void)pqx_packed_load(index, kinds[i], number, &cell, &content, NULL);
    pqx_buffer_free(&cell);
}

/* Load the element of a leaf, and its path. */
static int load_leaf(pqx_index *index, uint32_t leaf, uint32_t first, const pqx_index_entry **entry,
                     pqx_error *error)
{
    int status = pqx_index_load_path(index, leaf, entry, error);
    if (PQX_UNLIKELY(status == PQX_IO)) want_tile(index, leaf, first);
    return status;
}

int pqx_packed_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                      pqx_buffer *out, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    const pqx_index_entry *entry;
    size_t start = out->size;
    PQX_TRY(load_leaf(index, leaf, first, &entry, error));
    p->lengths.size = 0;
    PQX_TRY(pqx_buffer_reserve(&p->lengths, (size_t)count * sizeof(uint32_t) + 1, error));
    uint32_t *lengths = (uint32_t *)(void *)p->lengths.data;
    for (uint32_t done = 0; done < count;) {
        uint32_t below = (first + done) / p->tile_rows, from = (first + done) % p->tile_rows;
        PQX_TRY(load_tile(index, leaf, below, error));
        uint32_t some = p->tile.rows - from < count - done ? p->tile.rows - from : count - done;
        PQX_TRY(pqx_packed_tile_structs(&p->tile, leaf % p->tile_columns, from, some,
                                        (pqx_bytes){entry->path.data, entry->path.size}, out,
                                        lengths + done, NULL, error));
        if (out->size - start > p->limit)
            return pqx_fail(error, PQX_BAD_CELL, p->tile.placed.place, p->limit, out->size - start);
        if (out->size > UINT32_MAX)
            return pqx_fail(error, PQX_TOO_LARGE, index->footer, UINT32_MAX, out->size);
        done += some;
    }
    return PQX_OK;
}

/* Append the Thrift bytes of chunks to `arena`, and scan them; ranges are relative to its start. */
int pqx_packed_read_structs(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                            pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                            pqx_error *error)
{
    size_t at = arena->size;
    PQX_TRY(pqx_packed_chunks(index, leaf, first, count, arena, error));
    PQX_TRY(pqx_buffer_reserve(arena, PQX_SLACK, error));
    memset(arena->data + arena->size, 0, PQX_SLACK);
    const uint32_t *lengths = (const uint32_t *)(const void *)pqx_packed_of(index)->lengths.data;
    for (uint32_t i = 0; i < count; i++) {
        PQX_TRY(pqx_index_decode_chunk(index, arena, at, (pqx_range){0, lengths[i]}, &chunks[i],
                                       places ? &places[i] : NULL, error));
        at += lengths[i];
    }
    return PQX_OK;
}

/* Store the facts of chunks tile by tile; *is_done is 0 if some of them must be scanned. */
static int read_facts(pqx_index *index, const pqx_index_entry *entry, uint32_t first,
                      uint32_t count, pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                      int *is_done, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    uint32_t leaf = (uint32_t)entry->id;
    uint64_t room = p->limit;
    *is_done = 1;
    for (uint32_t done = 0; done < count && *is_done;) {
        uint32_t below = (first + done) / p->tile_rows, from = (first + done) % p->tile_rows;
        PQX_TRY(load_tile(index, leaf, below, error));
        uint32_t some = p->tile.rows - from < count - done ? p->tile.rows - from : count - done;
        PQX_TRY(pqx_packed_tile_facts(index, leaf % p->tile_columns, from, some, entry->path.size,
                                      chunks + done, places ? places + done : NULL, arena, &room,
                                      is_done, error));
        done += some;
    }
    return PQX_OK;
}

/* Write and scan chunks, and keep nothing but their facts. */
static int scan_facts(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                      pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena, pqx_error *error)
{
    pqx_buffer *thrift = &pqx_packed_of(index)->thrift;
    thrift->size = 0;
    PQX_TRY(pqx_packed_read_structs(index, leaf, first, count, chunks, places, thrift, error));
    for (uint32_t i = 0; i < count; i++)
        PQX_TRY(pqx_packed_keep_bounds(thrift->data, &chunks[i], arena, error));
    return PQX_OK;
}

/* Store the facts of chunks; without an `arena` their bounds are empty. */
static int read_column(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                       pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena, pqx_error *error)
{
    const pqx_index_entry *entry;
    size_t start = arena ? arena->size : 0;
    int is_done = 0;
    PQX_TRY(load_leaf(index, leaf, first, &entry, error));
    uint64_t allowance = index->allowance, tile = pqx_packed_of(index)->tile_number;
    PQX_TRY(read_facts(index, entry, first, count, chunks, places, arena, &is_done, error));
    if (is_done) return PQX_OK;
    if (pqx_packed_of(index)->tile_number != tile && tile != PQX_INDEX_NOTHING) {
        index->allowance = allowance; /* its cells are read again */
        pqx_packed_of(index)->tile_number = PQX_INDEX_NOTHING;
    }
    if (arena) arena->size = start;
    return scan_facts(index, leaf, first, count, chunks, places, arena, error);
}

int pqx_packed_read_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                           pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                           pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    PQX_TRY(pqx_buffer_reserve(arena, 1, error)); /* bounds may be empty */
    return read_column(index, leaf, first, count, chunks, places,
                       p->tile.skips_bounds ? NULL : arena, error);
}

int pqx_packed_get_placed(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                          pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                          pqx_element *element, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    p->tile.skips_bounds = 1;
    int status =
        pqx_index_get_chunks(index, leaf, first, count, chunks, places, arena, element, error);
    p->tile.skips_bounds = 0;
    return status;
}

/* ---- row groups, key-values and the rest ---- */

int pqx_packed_load_row_group(pqx_index *index, uint32_t number, pqx_error *error)
{
    uint32_t cell = number / PQX_PACKED_ROW_GROUPS_PER_CELL,
             left = index->shape.row_groups - cell * PQX_PACKED_ROW_GROUPS_PER_CELL;
    return pqx_packed_load_run(
        index, PQX_CELLS_ROW_GROUPS, cell,
        left < PQX_PACKED_ROW_GROUPS_PER_CELL ? left : PQX_PACKED_ROW_GROUPS_PER_CELL,
        PQX_BOOK_ROW_GROUPS, &pqx_packed_of(index)->row_groups, error);
}

int pqx_packed_read_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                               pqx_row_group *groups, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    for (uint32_t i = 0; i < count; i++) {
        size_t columns_at;
        PQX_TRY(pqx_packed_load_row_group(index, first + i, error));
        index->own.size = 0;
        PQX_TRY(pqx_packed_run_struct(&p->row_groups, (first + i) % PQX_PACKED_ROW_GROUPS_PER_CELL,
                                      &index->own, &columns_at, error));
        if (pqx_index_decode_row_group(&index->scanning, index->own.data, index->own.size,
                                       columns_at, &groups[i])
            != PQX_OK)
            return pqx_fail(error, PQX_BAD_VALUE, p->row_groups.tile.placed.place, index->own.size,
                            0);
        groups[i].chunk_count = index->shape.leaves;
    }
    return PQX_OK;
}

int pqx_packed_load_pair(pqx_index *index, uint32_t number, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    pqx_content c;
    uint8_t form = 0;
    uint64_t size = 0;
    index->pair_begin = 0;
    PQX_TRY(pqx_packed_load(index, PQX_CELLS_PAIRS, number, &index->text, &c, error));
    size_t at = c.at;
    PQX_TRY(pqx_content_byte(&c, &form));
    PQX_TRY(pqx_content_varint(&c, &size));
    if (form > 1) return pqx_content_fail(&c, PQX_BAD_VALUE, at, 1, form);
    if (size > p->limit) return pqx_content_fail(&c, PQX_BAD_CELL, at + 1, p->limit, size);
    if (!form && size != pqx_content_left(&c))
        return pqx_content_fail(&c, PQX_BAD_CELL, at + 1, size, pqx_content_left(&c));
    index->pair_thrift.size = 0;
    PQX_TRY(pqx_buffer_reserve(&index->pair_thrift, (size_t)size + 1, error));
    if (!form) memcpy(index->pair_thrift.data, c.data + c.at, (size_t)size);
    else if (!pqx_zstd_frame(&p->tile.zstd, c.data + c.at, pqx_content_left(&c),
                             index->pair_thrift.data, (size_t)size))
        return pqx_content_fail(&c, PQX_COMPRESSED_TEXT, at, size, pqx_content_left(&c));
    index->pair_thrift.size = (size_t)size;
    return PQX_OK;
}

int pqx_packed_read_created_by(pqx_index *index, pqx_bytes *text, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    pqx_content c;
    const uint8_t *place;
    PQX_TRY(pqx_packed_load(index, PQX_CELLS_FRAME, 0, &p->frame, &c, error));
    size_t at = c.at;
    PQX_TRY(pqx_content_take(&c, 8, &place));
    uint32_t begin = pqx_load32(place), length = pqx_load32(place + 4);
    uint64_t size = c.size - at;
    if (begin > size || length > size - begin)
        return pqx_content_fail(&c, PQX_BAD_OFFSET, at, size, begin);
    *text = (pqx_bytes){c.data + at + begin, length};
    return PQX_OK;
}

void pqx_packed_close(void *state)
{
    pqx_packed *p = (pqx_packed *)state;
    pqx_packed_run *runs[] = {&p->leaves, &p->nodes, &p->row_groups};
    for (int i = 0; i < 3; i++) {
        pqx_packed_tile_free(&runs[i]->tile);
        pqx_buffer_free(&runs[i]->cell);
    }
    pqx_packed_tile_free(&p->tile);
    for (uint32_t i = 0; p->plans && i < p->books[PQX_BOOK_CHUNKS].template_count; i++)
        free(p->plans[i]);
    free((void *)p->plans);
    for (int i = 0; i < 4; i++) pqx_buffer_free(&p->parts[i]);
    for (int i = 0; i < PQX_BOOKS; i++) pqx_packed_book_free(&p->books[i]);
    pqx_buffer_free(&p->books_cell);
    pqx_buffer_free(&p->frame);
    pqx_buffer_free(&p->lengths);
    pqx_buffer_free(&p->thrift);
    pqx_zstd_free(p->tile.zstd);
    free(p);
}
