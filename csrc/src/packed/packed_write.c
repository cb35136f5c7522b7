/* Write the packed footer of a scanned Thrift footer (docs/formats.md, section 15). */
#include <stdlib.h>

#include "flat/flat_residue.h"
#include "index/index.h"
#include "packed/tile_write.h"

typedef struct pqx_packed_writer {
    const uint8_t *footer;
    const pqx_scan *scan;
    const pqx_packed_compress *compress;
    const pqx_flat_extension *extensions;
    uint32_t extension_count;
    uint32_t columns, rows; /* of a tile */
    uint32_t thrift_bytes, thrift_crc;
    pqx_index_names names;
    pqx_packed_structs structs[PQX_BOOKS];
    pqx_buffer cells[PQX_CELLS_KINDS]; /* the cells of each kind, concatenated */
    pqx_buffer ends[PQX_CELLS_KINDS];  /* their ends in `cells`, each a uint32_t */
    pqx_buffer *out;
    pqx_error *error;
} pqx_packed_writer;

/* ---- cells ---- */

/* Begin a cell; its content is appended to the buffer that is returned. */
static int begin_cell(pqx_packed_writer *w, int kind, pqx_buffer **cell)
{
    static const uint8_t crc[PQX_PACKED_CRC_BYTES] = {0};
    *cell = &w->cells[kind];
    return pqx_buffer_append(*cell, crc, sizeof crc, w->error);
}

static uint32_t count_cells(const pqx_packed_writer *w, int kind)
{ return (uint32_t)(w->ends[kind].size / sizeof(uint32_t)); }

static int end_cell(pqx_packed_writer *w, int kind)
{
    pqx_buffer *cells = &w->cells[kind];
    uint32_t number = count_cells(w, kind), begin = 0;
    if (cells->size > INT32_MAX)
        return pqx_fail(w->error, PQX_TOO_LARGE, 0, INT32_MAX, cells->size);
    if (number) begin = pqx_load32(w->ends[kind].data + 4 * (size_t)(number - 1));
    uint8_t *cell = cells->data + begin;
    size_t size = cells->size - begin;
    pqx_store32(cell, pqx_crc32(pqx_packed_seed(kind, number), cell + PQX_PACKED_CRC_BYTES,
                                size - PQX_PACKED_CRC_BYTES));
    uint32_t end = (uint32_t)cells->size;
    return pqx_buffer_append(&w->ends[kind], &end, sizeof end, w->error);
}

/* ---- structs ---- */

/* Write the path of an element from below the root into `path`, NUL between its names. */
static int make_path(pqx_packed_writer *w, uint32_t element, pqx_buffer *path)
{
    const pqx_element *elements = w->scan->elements;
    size_t size = 0;
    for (int32_t at = (int32_t)element; at > 0; at = elements[at].parent)
        size += elements[at].name.length + (size_t)(elements[at].parent > 0);
    path->size = 0;
    PQX_TRY(pqx_buffer_reserve(path, size + 1, w->error));
    path->size = size;
    for (int32_t at = (int32_t)element; at > 0; at = elements[at].parent) {
        pqx_range name = elements[at].name;
        size -= name.length;
        if (name.length) memcpy(path->data + size, w->footer + name.offset, name.length);
        if (elements[at].parent > 0) path->data[--size] = 0;
    }
    return PQX_OK;
}

static int add_chunks(pqx_packed_writer *w)
{
    const pqx_scan *scan = w->scan;
    pqx_buffer path = {0}, lists = {0};
    size_t *ends = (size_t *)malloc((scan->leaf_count + (size_t)1) * sizeof *ends);
    /* for each leaf, the template of its previous chunk */
    uint8_t *likely = (uint8_t *)malloc(scan->leaf_count + (size_t)1);
    int status =
        ends && likely ? PQX_OK : pqx_fail(w->error, PQX_NO_MEMORY, 0, scan->leaf_count * 9, 0);
    if (status == PQX_OK) memset(likely, PQX_NO_TEMPLATE, scan->leaf_count);
    for (uint32_t leaf = 0; status == PQX_OK && leaf < scan->leaf_count; leaf++) {
        ends[leaf] = lists.size;
        status = make_path(w, scan->leaves[leaf], &path);
        if (status == PQX_OK) status = pqx_append_path_list(path.data, path.size, &lists, w->error);
        ends[leaf + 1] = lists.size;
    }
    for (uint64_t i = 0; status == PQX_OK && i < scan->chunk_count; i++) {
        uint32_t leaf = (uint32_t)(i % scan->leaf_count);
        pqx_range range = scan->chunks[i].chunk;
        pqx_packed_struct_facts facts = {
            .path_list = lists.data + ends[leaf],
            .path_list_size = ends[leaf + 1] - ends[leaf],
            .physical_type = scan->elements[scan->leaves[leaf]].type,
        };
        status =
            pqx_packed_structs_add(&w->structs[PQX_BOOK_CHUNKS], range.offset,
                                   range.offset + range.length, &facts, &likely[leaf], w->error);
    }
    free(ends);
    free(likely);
    pqx_buffer_free(&path);
    pqx_buffer_free(&lists);
    return status;
}

static const uint8_t no_path[] = {1 << 4 | PQX_TYPE_BINARY, 0}; /* a list of one empty name */

static int add_row_groups(pqx_packed_writer *w)
{
    const pqx_scan *scan = w->scan;
    uint8_t likely = PQX_NO_TEMPLATE;
    for (uint32_t i = 0; i < scan->row_group_count; i++) {
        const pqx_row_group *group = &scan->row_groups[i];
        uint32_t end = group->columns.offset + group->columns.length;
        pqx_packed_struct_facts facts = {
            .path_list = no_path,
            .path_list_size = sizeof no_path,
            .physical_type = -1,
            .columns_begin =
                scan->leaf_count ? scan->chunks[scan->first_chunk[i]].chunk.offset : end,
            .columns_end = end,
        };
        PQX_TRY(pqx_packed_structs_add(&w->structs[PQX_BOOK_ROW_GROUPS], group->bytes.offset,
                                       group->bytes.offset + group->bytes.length, &facts, &likely,
                                       w->error));
    }
    return PQX_OK;
}

static int add_element(pqx_packed_writer *w, uint32_t element)
{
    static const pqx_packed_struct_facts facts = {
        .path_list = no_path, .path_list_size = sizeof no_path, .physical_type = -1};
    pqx_range range = w->scan->elements[element].bytes;
    uint8_t likely = PQX_NO_TEMPLATE;
    return pqx_packed_structs_add(&w->structs[PQX_BOOK_ELEMENTS], range.offset,
                                  range.offset + range.length, &facts, &likely, w->error);
}

static uint32_t node_count(const pqx_packed_writer *w)
{ return w->scan->element_count - w->scan->leaf_count; }

static int divide(pqx_packed_writer *w)
{
    for (int i = 0; i < PQX_BOOKS; i++) {
        w->structs[i].data = w->footer;
        w->structs[i].size = w->scan->end;
        w->structs[i].kind = i;
        PQX_TRY(pqx_buffer_reserve(&w->structs[i].values, 1, w->error)); /* data is not NULL */
    }
    PQX_TRY(add_chunks(w));
    PQX_TRY(add_row_groups(w));
    for (uint32_t i = 0; i < w->scan->leaf_count; i++) PQX_TRY(add_element(w, w->scan->leaves[i]));
    for (uint32_t i = 0; i < node_count(w); i++) PQX_TRY(add_element(w, w->names.node_element[i]));
    pqx_buffer *cell;
    PQX_TRY(begin_cell(w, PQX_CELLS_BOOKS, &cell));
    for (int i = 0; i < PQX_BOOKS; i++) {
        pqx_packed_structs_number(&w->structs[i]);
        PQX_TRY(pqx_packed_structs_write_book(&w->structs[i], cell, w->error));
    }
    return end_cell(w, PQX_CELLS_BOOKS);
}

/* ---- tiles ---- */

static int write_tile(pqx_packed_writer *w, pqx_tile_writer *tile, pqx_tile_place place)
{
    static const int kinds[] = {PQX_CELLS_PLACED, PQX_CELLS_BOUNDS, PQX_CELLS_TEXTS,
                                PQX_CELLS_LONG_TEXTS};
    pqx_buffer *cells[4];
    PQX_TRY(pqx_tile_write_begin(tile, place));
    for (int i = 0; i < 4; i++) PQX_TRY(begin_cell(w, kinds[i], &cells[i]));
    PQX_TRY(pqx_tile_write_placed(tile, cells[0]));
    PQX_TRY(pqx_tile_write_bounds(tile, cells[1]));
    PQX_TRY(pqx_tile_write_words(tile, cells[2], cells[3]));
    for (int i = 0; i < 4; i++) PQX_TRY(end_cell(w, kinds[i]));
    return PQX_OK;
}

static uint32_t least(uint32_t one, uint32_t other) { return one < other ? one : other; }

static int write_tiles(pqx_packed_writer *w)
{
    const pqx_scan *scan = w->scan;
    pqx_tile_writer tile = {
        .structs = &w->structs[PQX_BOOK_CHUNKS], .compress = w->compress, .error = w->error};
    int status = PQX_OK;
    for (uint32_t leaf = 0; status == PQX_OK && leaf < scan->leaf_count; leaf += w->columns) {
        for (uint32_t row = 0; status == PQX_OK && row < scan->row_group_count; row += w->rows) {
            pqx_tile_place place = {
                .columns = least(w->columns, scan->leaf_count - leaf),
                .rows = least(w->rows, scan->row_group_count - row),
                .first = (uint64_t)row * scan->leaf_count + leaf,
                .column_step = 1,
                .row_step = scan->leaf_count,
            };
            status = write_tile(w, &tile, place);
        }
    }
    pqx_tile_writer_free(&tile);
    return status;
}

/* Append a run of structs to a cell as a tile of one column, with its parts one after the other. */
static int write_run(pqx_tile_writer *tile, uint64_t first, uint32_t count, pqx_buffer *cell)
{
    pqx_buffer cold = {0};
    PQX_TRY(pqx_tile_write_begin(
        tile, (pqx_tile_place){.columns = 1, .rows = count, .first = first, .row_step = 1}));
    PQX_TRY(pqx_tile_write_placed(tile, cell));
    PQX_TRY(pqx_tile_write_bounds(tile, cell));
    int status = pqx_tile_write_words(tile, cell, &cold);
    if (status == PQX_OK && cold.size)
        status = pqx_buffer_append(cell, cold.data, cold.size, tile->error);
    pqx_buffer_free(&cold);
    return status;
}

static int write_row_groups(pqx_packed_writer *w)
{
    pqx_tile_writer tile = {
        .structs = &w->structs[PQX_BOOK_ROW_GROUPS], .compress = w->compress, .error = w->error};
    uint32_t all = w->scan->row_group_count;
    int status = PQX_OK;
    for (uint32_t first = 0; status == PQX_OK && first < all;
         first += PQX_PACKED_ROW_GROUPS_PER_CELL) {
        pqx_buffer *cell;
        status = begin_cell(w, PQX_CELLS_ROW_GROUPS, &cell);
        if (status == PQX_OK)
            status =
                write_run(&tile, first, least(PQX_PACKED_ROW_GROUPS_PER_CELL, all - first), cell);
        if (status == PQX_OK) status = end_cell(w, PQX_CELLS_ROW_GROUPS);
    }
    pqx_tile_writer_free(&tile);
    return status;
}

/* Write the positions of a run of elements in the schema, and their levels: one table per field. */
static int write_places(pqx_packed_writer *w, const uint32_t *elements, uint32_t count,
                        int are_nodes, pqx_buffer *cell)
{
    int64_t rows[8][PQX_PACKED_ELEMENTS_PER_CELL];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = elements[i];
        const pqx_element *element = &w->scan->elements[number];
        rows[0][i] = number ? w->names.id_of[element->parent] & ~PQX_FLAT_GROUP : 0;
        rows[1][i] = number;
        rows[2][i] = w->names.position[number];
        rows[3][i] = are_nodes ? 0 : element->column_order;
        rows[4][i] = element->max_definition;
        rows[5][i] = element->max_repetition;
        rows[6][i] = element->first_leaf;
        rows[7][i] = element->leaf_count;
    }
    for (int i = 0; i < (are_nodes ? 8 : 6); i++)
        PQX_TRY(pqx_packed_table_write(rows[i], 1, count, cell, w->error));
    return PQX_OK;
}

static int write_elements_of(pqx_packed_writer *w, pqx_tile_writer *tile, int kind)
{
    int are_nodes = kind == PQX_CELLS_NODES;
    const uint32_t *elements = are_nodes ? w->names.node_element : w->scan->leaves;
    uint32_t all = are_nodes ? node_count(w) : w->scan->leaf_count;
    for (uint32_t first = 0; first < all; first += PQX_PACKED_ELEMENTS_PER_CELL) {
        uint32_t count = least(PQX_PACKED_ELEMENTS_PER_CELL, all - first);
        pqx_buffer *cell;
        PQX_TRY(begin_cell(w, kind, &cell));
        PQX_TRY(write_places(w, elements + first, count, are_nodes, cell));
        uint64_t number = first + (are_nodes ? (uint64_t)w->scan->leaf_count : 0);
        PQX_TRY(write_run(tile, number, count, cell));
        PQX_TRY(end_cell(w, kind));
    }
    return PQX_OK;
}

static int write_elements(pqx_packed_writer *w)
{
    pqx_tile_writer tile = {.structs = &w->structs[PQX_BOOK_ELEMENTS], .error = w->error};
    int status = write_elements_of(w, &tile, PQX_CELLS_LEAVES);
    if (status == PQX_OK) status = write_elements_of(w, &tile, PQX_CELLS_NODES);
    pqx_tile_writer_free(&tile);
    return status;
}

/* ---- the rest ---- */

static int write_pair(pqx_packed_writer *w, pqx_range range)
{
    enum { UNCOMPRESSED, COMPRESSED, LEAST_COMPRESSED = 64 };
    pqx_bytes data = {w->footer + range.offset, range.length};
    pqx_buffer *cell, frame = {0};
    int status = begin_cell(w, PQX_CELLS_PAIRS, &cell);
    if (status == PQX_OK && w->compress && data.size >= LEAST_COMPRESSED)
        status = w->compress->run(w->compress->context, data, &frame, w->error);
    int is_shorter = frame.size && frame.size < data.size;
    if (status == PQX_OK)
        status = pqx_buffer_append_byte(cell, is_shorter ? COMPRESSED : UNCOMPRESSED, w->error);
    if (status == PQX_OK) status = pqx_buffer_append_varint(cell, data.size, w->error);
    if (status == PQX_OK)
        status = pqx_buffer_append(cell, is_shorter ? frame.data : data.data,
                                   is_shorter ? frame.size : data.size, w->error);
    pqx_buffer_free(&frame);
    return status == PQX_OK ? end_cell(w, PQX_CELLS_PAIRS) : status;
}

static int write_slots(pqx_packed_writer *w)
{
    for (uint32_t i = 0; i < w->extension_count; i++) {
        const pqx_flat_extension *extension = &w->extensions[i];
        pqx_buffer *cell;
        PQX_TRY(begin_cell(w, PQX_CELLS_SLOTS, &cell));
        PQX_TRY(pqx_buffer_append(cell, extension->uuid, PQX_UUID_BYTES, w->error));
        if (extension->data.size)
            PQX_TRY(pqx_buffer_append(cell, extension->data.data, extension->data.size, w->error));
        PQX_TRY(end_cell(w, PQX_CELLS_SLOTS));
    }
    return PQX_OK;
}

static int write_frame(pqx_packed_writer *w)
{
    pqx_buffer *cell;
    PQX_TRY(begin_cell(w, PQX_CELLS_FRAME, &cell));
    PQX_TRY(pqx_packed_write_frame(w->footer, w->scan, cell, &w->thrift_bytes, &w->thrift_crc,
                                   w->error));
    return end_cell(w, PQX_CELLS_FRAME);
}

/* ---- the payload ---- */

/* The areas in their order in the payload: the areas that the first look-up needs are near the end.
 * BOOKS follow the directories of the other areas. */
static const uint8_t order[] = {
    PQX_CELLS_LONG_TEXTS, PQX_CELLS_TEXTS,  PQX_CELLS_BOUNDS, PQX_CELLS_PAIRS,
    PQX_CELLS_SLOTS,      PQX_CELLS_FRAME,  PQX_CELLS_LEAVES, PQX_CELLS_NODES,
    PQX_CELLS_ROW_GROUPS, PQX_CELLS_PLACED, PQX_CELLS_NAMES,  PQX_CELLS_BOOKS,
};
enum { AREAS = sizeof order };
#define ENTRIES_BYTES ((size_t)AREAS * PQX_PACKED_AREA_BYTES)

static uint8_t *entry_of(uint8_t *entries, int kind)
{ return entries + (kind - 1) * PQX_PACKED_AREA_BYTES; }

/* Append an area's cells. */
static int put_cells(pqx_packed_writer *w, int kind, size_t start, uint8_t *entries)
{
    pqx_store32(entry_of(entries, kind), (uint32_t)kind);
    pqx_store32(entry_of(entries, kind) + 4, count_cells(w, kind));
    pqx_store32(entry_of(entries, kind) + 8, (uint32_t)(w->out->size - start));
    const pqx_buffer *cells = &w->cells[kind];
    return cells->size ? pqx_buffer_append(w->out, cells->data, cells->size, w->error) : PQX_OK;
}

/* Append an area's directory. */
static int put_directory(pqx_packed_writer *w, int kind, size_t start, uint8_t *entries)
{
    uint32_t begin = pqx_load32(entry_of(entries, kind) + 8);
    pqx_store32(entry_of(entries, kind) + 12, (uint32_t)(w->out->size - start));
    for (uint32_t i = 0; i < count_cells(w, kind); i++) {
        uint8_t end[4];
        pqx_store32(end, begin + pqx_load32(w->ends[kind].data + 4 * (size_t)i));
        PQX_TRY(pqx_buffer_append(w->out, end, sizeof end, w->error));
    }
    return w->out->size - start <= INT32_MAX
               ? PQX_OK
               : pqx_fail(w->error, PQX_TOO_LARGE, 0, INT32_MAX, w->out->size - start);
}

static int put_areas(pqx_packed_writer *w, uint8_t entries[ENTRIES_BYTES])
{
    size_t start = w->out->size;
    for (int i = 0; i < AREAS - 1; i++) PQX_TRY(put_cells(w, order[i], start, entries));
    for (int kind = PQX_CELLS_BOOKS + 1; kind <= AREAS; kind++)
        PQX_TRY(put_directory(w, kind, start, entries));
    PQX_TRY(put_cells(w, PQX_CELLS_BOOKS, start, entries));
    return put_directory(w, PQX_CELLS_BOOKS, start, entries);
}

static int put_tail(pqx_packed_writer *w, const uint8_t entries[ENTRIES_BYTES])
{
    const pqx_scan *scan = w->scan;
    pqx_buffer *out = w->out;
    uint8_t tail[PQX_PACKED_TAIL_BYTES] = {0}, record[PQX_PACKED_RECORD_BYTES];
    size_t start = out->size, listed = w->names.count <= PQX_FLAT_LIST_ENTRIES ? w->names.count : 0;
    const uint32_t words[] = {scan->leaf_count,       node_count(w),
                              scan->row_group_count,  scan->key_value_count,
                              w->names.count,         pqx_index_arrow_schema(w->footer, scan),
                              (uint32_t)scan->version};
    memcpy(tail, words, sizeof words);
    pqx_store64(tail + 28, (uint64_t)scan->num_rows);
    pqx_store32(tail + 36, w->thrift_bytes);
    pqx_store32(tail + 40, w->thrift_crc);
    pqx_store16(tail + 44, (uint16_t)w->columns);
    pqx_store16(tail + 46, (uint16_t)w->rows);
    tail[48] =
        (uint8_t)(scan->has_created_by | scan->has_key_values << 1 | scan->has_column_orders << 2);
    tail[49] = AREAS;
    PQX_TRY(pqx_buffer_append(out, tail, sizeof tail, w->error));
    PQX_TRY(pqx_buffer_append(out, entries, ENTRIES_BYTES, w->error));
    PQX_TRY(pqx_buffer_append(out, w->names.entries, 8 * listed, w->error));
    pqx_store32(record, PQX_PACKED_LAYOUT_VERSION);
    pqx_store32(record + 4, (uint32_t)(out->size - start + sizeof record));
    PQX_TRY(pqx_buffer_append(out, record, sizeof record, w->error));
    uint8_t *block = out->data + start;
    size_t size = out->size - start - 4;
    pqx_store32(block + size, pqx_crc32(0, block, size));
    return PQX_OK;
}

/* Refuse footers that this form cannot represent. */
static int check(const pqx_packed_writer *w)
{
    const pqx_scan *scan = w->scan;
    if (scan->encrypted) return pqx_fail(w->error, PQX_ENCRYPTED, 0, 0, scan->encrypted);
    for (uint32_t i = 0; i < scan->row_group_count; i++)
        if (scan->row_groups[i].chunk_count != scan->leaf_count)
            return pqx_fail(w->error, PQX_IRREGULAR, scan->row_groups[i].columns.offset,
                            scan->leaf_count, scan->row_groups[i].chunk_count);
    PQX_TRY(pqx_flat_check_paths(scan, pqx_flat_limit(scan->end), w->error));
    uint64_t names = pqx_index_names_count(scan);
    return names <= UINT32_MAX ? PQX_OK : pqx_fail(w->error, PQX_TOO_LARGE, 0, UINT32_MAX, names);
}

static int write_names(pqx_packed_writer *w)
{
    const pqx_index_shape shape = {.names = w->names.count};
    uint32_t buckets = pqx_index_buckets(&shape);
    size_t size = PQX_FLAT_PAGE_BYTES * (size_t)buckets;
    pqx_buffer *cells = &w->cells[PQX_CELLS_NAMES];
    if (!buckets) return PQX_OK;
    PQX_TRY(pqx_buffer_reserve(cells, size, w->error));
    memset(cells->data, 0, size);
    pqx_index_names_put_buckets(&w->names, cells->data);
    cells->size = size;
    for (uint32_t i = 1; i <= buckets; i++) {
        uint32_t end = PQX_FLAT_PAGE_BYTES * i;
        PQX_TRY(pqx_buffer_append(&w->ends[PQX_CELLS_NAMES], &end, sizeof end, w->error));
    }
    return PQX_OK;
}

static int write_payload(pqx_packed_writer *w)
{
    uint8_t entries[ENTRIES_BYTES];
    uint32_t groups = w->scan->row_group_count;
    PQX_TRY(check(w));
    w->rows = groups < PQX_PACKED_TILE_CHUNKS ? (groups ? groups : 1) : PQX_PACKED_TILE_CHUNKS;
    w->columns = least(PQX_PACKED_TILE_COLUMNS, PQX_PACKED_TILE_CHUNKS / w->rows);
    PQX_TRY(pqx_index_names_make(w->footer, w->scan, &w->names, w->error));
    PQX_TRY(divide(w));
    PQX_TRY(write_tiles(w));
    PQX_TRY(write_elements(w));
    PQX_TRY(write_row_groups(w));
    for (uint32_t i = 0; i < w->scan->key_value_count; i++)
        PQX_TRY(write_pair(w, w->scan->key_values[i].bytes));
    PQX_TRY(write_slots(w));
    PQX_TRY(write_names(w));
    PQX_TRY(write_frame(w));
    size_t start = w->out->size;
    PQX_TRY(put_areas(w, entries));
    PQX_TRY(put_tail(w, entries));
    uint64_t limit = pqx_packed_limit(w->out->size - start);
    return w->thrift_bytes <= limit
               ? PQX_OK
               : pqx_fail(w->error, PQX_TOO_REGULAR, 0, limit, w->thrift_bytes);
}

int pqx_packed_write(const uint8_t *footer, size_t size, const pqx_scan *scan,
                     const pqx_packed_compress *compress, const pqx_flat_extension *extensions,
                     uint32_t extension_count, pqx_buffer *out, pqx_error *error)
{
    pqx_packed_writer w = {.footer = footer,
                           .scan = scan,
                           .compress = compress,
                           .extensions = extensions,
                           .extension_count = extension_count,
                           .out = out,
                           .error = error};
    int status = size < scan->end ? pqx_fail(error, PQX_BAD_ARGUMENT, 0, scan->end, size)
                                  : pqx_check_scan(scan, error);
    if (status == PQX_OK) status = write_payload(&w);
    pqx_index_names_free(&w.names);
    for (int i = 0; i < PQX_BOOKS; i++) pqx_packed_structs_free(&w.structs[i]);
    for (int i = 0; i < PQX_CELLS_KINDS; i++) {
        pqx_buffer_free(&w.cells[i]);
        pqx_buffer_free(&w.ends[i]);
    }
    return status;
}
