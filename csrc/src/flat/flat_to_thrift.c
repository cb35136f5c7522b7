/* Rebuild the Thrift footer from a whole flat payload (docs/formats.md, 3.6). */
#include <stdlib.h>

#include "flat/flat_head.h"
#include "flat/flat_residue.h"
#include "flat/flat_slice.h"

enum { NOT_A_NUMBER = 256 }; /* the operation of a record's number, which is not an operation */

/* The records of one cell, from `at` on. */
typedef struct pqx_records {
    const pqx_cell *cell;
    uint32_t at, literals;
    pqx_bytes skeleton; /* of the last record; data NULL: none yet */
} pqx_records;

typedef struct pqx_rebuilding {
    pqx_flat *flat;
    uint64_t limit, left; /* of the output: the limit and the remaining bytes */
    pqx_cell *pages;      /* of the pool; size 0: not loaded yet */
    int keeps_pages; /* set if pages are copies, because the reader reuses its buffer for the next
                        one */
    pqx_range *element_ranges; /* of `elements`, in preorder */
    pqx_records records;       /* of the current COLUMN cell */
    uint8_t *orders;           /* by leaf */
    pqx_range *ranges;         /* of `chunks`, leaf by leaf */
    pqx_buffer path, arena, elements, chunks, group, schema, groups, column_orders;
    pqx_error *error;
} pqx_rebuilding;

/* Subtract bytes of the output from the remaining ones, before they are written. */
static int spend(pqx_rebuilding *t, size_t size)
{
    if (size > t->left) return pqx_fail(t->error, PQX_TOO_LARGE, 0, t->limit, t->limit + 1);
    t->left -= size;
    return PQX_OK;
}

static int emit(pqx_rebuilding *t, const void *bytes, size_t size, pqx_buffer *out)
{ return pqx_buffer_append(out, bytes, size, t->error); }

static int emit_varint(pqx_rebuilding *t, uint64_t value, pqx_buffer *out)
{
    PQX_TRY(pqx_buffer_reserve(out, 10, t->error));
    size_t size = pqx_varint_put(out->data + out->size, value);
    out->size += size;
    return spend(t, 1 + size);
}

static int misplaced(const pqx_rebuilding *t, uint64_t place, int op)
{ return pqx_flat_fail(t->flat, t->error, PQX_BAD_VALUE, place, 0, (uint64_t)op); }

/* Write a fact in its Thrift form. */
static int emit_fact(pqx_rebuilding *t, const pqx_fact *fact, pqx_buffer *out)
{
    uint8_t varint[10];
    size_t head = fact->kind == PQX_FACT_RAW
                      ? 0
                      : pqx_varint_put(varint, fact->kind == PQX_FACT_SIZED ? fact->bytes.size
                                                                            : fact->zigzag);
    PQX_TRY(spend(t, 1 + head + fact->bytes.size));
    PQX_TRY(emit(t, varint, head, out));
    return emit(t, fact->bytes.data, fact->bytes.size, out);
}

/* Write the value of operation `op` of the skeleton at *p; *p advances over its number, if it has
 * one. */
static int rebuild_fact(pqx_rebuilding *t, int op, const uint8_t **p, const uint8_t *end,
                        const pqx_facts *facts, uint64_t place, pqx_buffer *out)
{
    pqx_fact fact;
    uint64_t zigzag;
    uint32_t number = 0;
    size_t next = 0;
    if (facts->chunk && pqx_chunk_number(facts, op, &zigzag)) return emit_varint(t, zigzag, out);
    int numbered = op == PQX_OP_KEY || op == PQX_OP_VALUE;
    if (numbered && pqx_varint_get32(*p, (size_t)(end - *p), 0, &number, &next, NULL) != PQX_OK)
        return misplaced(t, place, op);
    *p += next;
    PQX_TRY(pqx_get_fact(facts, op, number, &fact, t->error));
    return fact.kind == PQX_FACT_NONE ? misplaced(t, place, op) : emit_fact(t, &fact, out);
}

/* Append the struct that the skeleton builds from facts and the literals at *at; *at advances over
 * these. An inconsistency is PQX_BAD_VALUE at `place`. */
static int rebuild(pqx_rebuilding *t, pqx_bytes skeleton, const uint8_t *literals, size_t size,
                   uint32_t *at, const pqx_facts *facts, uint64_t place, pqx_buffer *out)
{
    const uint8_t *p = skeleton.data, *end = p + skeleton.size;
    while (p < end) {
        int op = *p++;
        if (op < PQX_LONGEST_RUN) {
            if (op >= end - p) return misplaced(t, place, op);
            PQX_TRY(spend(t, 2 + (size_t)op));
            PQX_TRY(emit(t, p, (size_t)op + 1, out));
            p += op + 1;
        } else if (op > PQX_OP_UUID) {
            PQX_TRY(rebuild_fact(t, op, &p, end, facts, place, out));
        } else {
            const uint8_t *stop = pqx_literal_end(op, literals + *at, literals + size);
            if (!stop) return misplaced(t, place, op);
            size_t length = (size_t)(stop - literals) - *at;
            PQX_TRY(spend(t, 1 + length));
            PQX_TRY(emit(t, literals + *at, length, out));
            *at += (uint32_t)length;
        }
    }
    return PQX_OK;
}

/* Keep the pool page that the reader loaded last. */
static int keep_page(pqx_rebuilding *t, uint32_t page)
{
    pqx_cell loaded = t->flat->pool;
    if (t->keeps_pages) {
        uint8_t *copy = (uint8_t *)malloc(loaded.size);
        if (!copy) return pqx_fail(t->error, PQX_NO_MEMORY, 0, loaded.size, 0);
        memcpy(copy, loaded.data, loaded.size);
        loaded.data = loaded.buffer = copy;
    }
    t->pages[page] = loaded;
    return PQX_OK;
}

/* Find the skeleton at a pool position that the record at `named` gives. */
static int find_skeleton(pqx_rebuilding *t, uint32_t place, uint64_t named, pqx_bytes *skeleton)
{
    pqx_flat *flat = t->flat;
    uint32_t page = pqx_pool_page(place), at = pqx_pool_offset(place);
    if (page >= flat->pool_pages || !t->pages[page].size) {
        pqx_flat_begin(flat);
        PQX_TRY(pqx_flat_pool_page(flat, named, page, t->error));
        PQX_TRY(keep_page(t, page));
    }
    return pqx_flat_item_of(flat, &t->pages[page], named, at, skeleton, t->error);
}

/* Rebuild the next struct. */
static int next_record(pqx_rebuilding *t, pqx_records *records, const pqx_facts *facts,
                       pqx_buffer *out)
{
    const pqx_cell *cell = records->cell;
    uint64_t place = (uint64_t)cell->place + records->at;
    uint32_t number;
    size_t next;
    if (pqx_varint_get32(cell->data, cell->size, records->at, &number, &next, NULL) != PQX_OK)
        return pqx_flat_fail(t->flat, t->error, PQX_BAD_VALUE, place, 0, NOT_A_NUMBER);
    if (number >= PQX_RECORD_NEW) PQX_TRY(find_skeleton(t, number, place, &records->skeleton));
    else if (!records->skeleton.data)
        return pqx_flat_fail(t->flat, t->error, PQX_BAD_VALUE, place, PQX_RECORD_NEW, number);
    if (number != PQX_RECORD_SAME) records->literals = (uint32_t)next;
    uint32_t at = records->literals;
    PQX_TRY(rebuild(t, records->skeleton, cell->data, cell->size, &at, facts, place, out));
    records->at = number == PQX_RECORD_SAME ? (uint32_t)next : at;
    return PQX_OK;
}

static int take_element(pqx_rebuilding *t, uint32_t id)
{
    const pqx_head *head;
    pqx_bytes thrift, path;
    pqx_flat_begin(t->flat);
    PQX_TRY(pqx_flat_load_id(t->flat, id, &head, t->error));
    uint32_t elements = t->flat->facts.leaf_count + t->flat->facts.node_count;
    pqx_range *range = &t->element_ranges[head->index];
    if (range->length)
        return pqx_flat_fail(t->flat, t->error, PQX_BAD_VALUE,
                             (uint64_t)head->cell->place + head->at, elements, head->index);
    PQX_TRY(pqx_flat_join(t->flat, head, &thrift, &path, t->error));
    PQX_TRY(spend(t, 1 + thrift.size));
    *range = (pqx_range){(uint32_t)t->elements.size,
                         (uint32_t)thrift.size + 1}; /* so that an empty one counts */
    if (!(id & PQX_FLAT_GROUP)) t->orders[id] = head->column_order;
    PQX_TRY(emit(t, thrift.data, thrift.size, &t->elements));
    return t->elements.size <= UINT32_MAX
               ? PQX_OK
               : pqx_fail(t->error, PQX_TOO_LARGE, 0, UINT32_MAX, t->elements.size);
}

/* Take the schema's list, and the column orders. */
static int take_schema(pqx_rebuilding *t)
{
    const pqx_flat_facts *facts = &t->flat->facts;
    for (uint32_t node = 0; node < facts->node_count; node++)
        PQX_TRY(take_element(t, PQX_FLAT_GROUP | node));
    for (uint32_t leaf = 0; leaf < facts->leaf_count; leaf++) PQX_TRY(take_element(t, leaf));
    for (uint32_t i = 0; i < facts->node_count + facts->leaf_count; i++)
        PQX_TRY(emit(t, t->elements.data + t->element_ranges[i].offset,
                     t->element_ranges[i].length - 1, &t->schema));
    return pqx_append_column_orders(t->orders, facts->leaf_count, &t->column_orders, t->error);
}

/* Take a leaf's ColumnChunks of one part, and record their ranges in `chunks`. */
static int take_part(pqx_rebuilding *t, uint32_t leaf, uint32_t part, pqx_range *ranges)
{
    pqx_flat *flat = t->flat;
    pqx_chunk chunks[PQX_FLAT_PART_ROW_GROUPS];
    pqx_places places[PQX_FLAT_PART_ROW_GROUPS];
    uint32_t groups = flat->facts.row_group_count, first = part * PQX_FLAT_PART_ROW_GROUPS;
    uint32_t count =
        groups - first < PQX_FLAT_PART_ROW_GROUPS ? groups - first : PQX_FLAT_PART_ROW_GROUPS;
    t->arena.size = 0;
    pqx_flat_begin(flat);
    PQX_TRY(pqx_flat_read_chunks(flat, leaf, first, count, chunks, places, &t->arena, t->error));
    if (part) t->records = (pqx_records){.cell = &flat->part, .at = flat->part_end};
    for (uint32_t i = 0; i < count; i++) {
        pqx_chunk *chunk = &chunks[i];
        pqx_facts facts = {
            .chunk = chunk, .places = &places[i], .path = {t->path.data, t->path.size}};
        if (chunk->present & PQX_PRESENT_MIN_VALUE)
            facts.min =
                (pqx_bytes){t->arena.data + chunk->min_value.offset, chunk->min_value.length};
        if (chunk->present & PQX_PRESENT_MAX_VALUE)
            facts.max =
                (pqx_bytes){t->arena.data + chunk->max_value.offset, chunk->max_value.length};
        size_t begin = t->chunks.size;
        PQX_TRY(next_record(t, &t->records, &facts, &t->chunks));
        if (t->chunks.size > UINT32_MAX)
            return pqx_fail(t->error, PQX_TOO_LARGE, 0, UINT32_MAX, t->chunks.size);
        ranges[i] = (pqx_range){(uint32_t)begin, (uint32_t)(t->chunks.size - begin)};
    }
    return PQX_OK;
}

/* Open the records of a COLUMN cell, after its heads. */
static int open_records(pqx_rebuilding *t, const pqx_head *head)
{
    pqx_flat *flat = t->flat;
    uint32_t left = flat->facts.leaf_count - head->id,
             count = left < flat->cell_leaves ? left : flat->cell_leaves, at;
    PQX_TRY(pqx_flat_heads_end(flat, head->cell, head->id, count, &at, t->error));
    t->records = (pqx_records){.cell = head->cell, .at = at};
    return PQX_OK;
}

/* Prepare for the parts of a leaf. The leaves of a cell are read in order. */
static int open_leaf(pqx_rebuilding *t, uint32_t leaf)
{
    const pqx_head *head;
    pqx_bytes thrift, path;
    PQX_TRY(pqx_buffer_reserve(&t->arena, 1, t->error));
    pqx_flat_begin(t->flat);
    PQX_TRY(pqx_flat_load_id(t->flat, leaf, &head, t->error));
    if (leaf % t->flat->cell_leaves == 0) PQX_TRY(open_records(t, head));
    PQX_TRY(pqx_flat_join(t->flat, head, &thrift, &path, t->error));
    t->path.size = 0;
    return pqx_append_path_list(path.data, path.size, &t->path, t->error);
}

static int take_chunks(pqx_rebuilding *t, uint32_t leaf)
{
    pqx_range *ranges = t->ranges + (size_t)leaf * t->flat->facts.row_group_count;
    PQX_TRY(open_leaf(t, leaf));
    for (uint32_t part = 0; part < t->flat->row_group_cells; part++)
        PQX_TRY(take_part(t, leaf, part, ranges + (size_t)part * PQX_FLAT_PART_ROW_GROUPS));
    return PQX_OK;
}

/* Take all RowGroups in order. */
static int take_row_groups(pqx_rebuilding *t)
{
    pqx_flat *flat = t->flat;
    pqx_records records = {0};
    pqx_row_group group;
    for (uint32_t i = 0; i < flat->facts.row_group_count; i++) {
        pqx_flat_begin(flat);
        PQX_TRY(pqx_flat_read_group_table(flat, i, &group, t->error));
        if (i % PQX_FLAT_PART_ROW_GROUPS == 0) {
            const pqx_cell *cell = &flat->row_groups;
            PQX_TRY(pqx_flat_inside(flat, cell, 24, pqx_load32(cell->data + 24), 0, t->error));
            records = (pqx_records){.cell = cell, .at = pqx_load32(cell->data + 24)};
        }
        t->group.size = 0;
        for (uint32_t leaf = 0; leaf < flat->facts.leaf_count; leaf++) {
            pqx_range range = t->ranges[(size_t)leaf * flat->facts.row_group_count + i];
            PQX_TRY(emit(t, t->chunks.data + range.offset, range.length, &t->group));
        }
        pqx_bytes chunks = {t->group.data, t->group.size};
        pqx_facts facts = {.group = &group, .chunks = &chunks};
        PQX_TRY(next_record(t, &records, &facts, &t->groups));
    }
    return PQX_OK;
}

static int get_pair(void *context, uint32_t number, int part, pqx_bytes *bytes, pqx_error *error)
{
    pqx_flat *flat = (pqx_flat *)context;
    pqx_bytes key, value;
    pqx_flat_begin(flat);
    PQX_TRY(pqx_flat_read_key_value(flat, number, &key, &value, error));
    if (!key.data) key.data = (const uint8_t *)"";
    *bytes = part ? value : key;
    return PQX_OK;
}

static int take_root(pqx_rebuilding *t, pqx_buffer *out)
{
    pqx_flat *flat = t->flat;
    pqx_footer_facts footer = {.version = flat->facts.version,
                               .num_rows = flat->facts.num_rows,
                               .elements = {t->schema.data, t->schema.size},
                               .row_groups = {t->groups.data, t->groups.size},
                               .column_orders = {t->column_orders.data, t->column_orders.size},
                               .pair = get_pair,
                               .context = flat,
                               .pair_count = flat->facts.key_value_count};
    pqx_bytes ignored;
    int present;
    PQX_TRY(pqx_flat_get_created_by(flat, &footer.created_by, &present, t->error));
    for (uint32_t i = 0; i < flat->facts.key_value_count; i++)
        PQX_TRY(get_pair(flat, i, 0, &ignored, t->error));
    PQX_TRY(pqx_flat_load_root(flat, t->error));
    pqx_cell root = flat->text;
    if (root.size < PQX_FLAT_CREATED_BY)
        return pqx_flat_fail(flat, t->error, PQX_BAD_VALUE, (uint64_t)root.place + 4,
                             PQX_FLAT_CREATED_BY, root.size);
    uint32_t at = pqx_load32(root.data + 16), size = pqx_load32(root.data + 20),
             literals = pqx_load32(root.data + 24), from = 0;
    PQX_TRY(pqx_flat_inside(flat, &root, 16, at, size, t->error));
    PQX_TRY(pqx_flat_inside(flat, &root, 24, at + size, literals, t->error));
    pqx_facts facts = {.footer = &footer};
    return rebuild(t, (pqx_bytes){root.data + at, size}, root.data + at + size, literals, &from,
                   &facts, (uint64_t)root.place + 16, out);
}

static int rebuild_all(pqx_rebuilding *t, pqx_buffer *out)
{
    const pqx_flat_facts *facts = &t->flat->facts;
    size_t elements = (size_t)facts->leaf_count + facts->node_count,
           chunks = (size_t)facts->leaf_count * facts->row_group_count;
    t->pages = (pqx_cell *)calloc((size_t)t->flat->pool_pages + 1, sizeof *t->pages);
    t->element_ranges = (pqx_range *)calloc(elements + 1, sizeof *t->element_ranges);
    t->orders = (uint8_t *)calloc((size_t)facts->leaf_count + 1, 1);
    t->ranges = (pqx_range *)calloc(chunks + 1, sizeof *t->ranges);
    if (!t->pages || !t->element_ranges || !t->orders || !t->ranges)
        return pqx_fail(t->error, PQX_NO_MEMORY, 0, chunks * sizeof *t->ranges, 0);
    pqx_buffer *never_null[] = {&t->elements, &t->schema, &t->group, &t->groups, &t->chunks};
    for (size_t i = 0; i < sizeof never_null / sizeof *never_null; i++)
        PQX_TRY(pqx_buffer_reserve(never_null[i], 1, t->error));
    PQX_TRY(take_schema(t));
    for (uint32_t leaf = 0; leaf < facts->leaf_count; leaf++) PQX_TRY(take_chunks(t, leaf));
    PQX_TRY(take_row_groups(t));
    return take_root(t, out);
}

static void free_buffers(pqx_rebuilding *t)
{
    pqx_buffer *buffers[] = {&t->path,  &t->arena,  &t->elements, &t->chunks,
                             &t->group, &t->schema, &t->groups,   &t->column_orders};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
    for (uint32_t page = 0; t->keeps_pages && t->pages && page < t->flat->pool_pages; page++)
        free(t->pages[page].buffer);
    void *arrays[] = {t->pages, t->element_ranges, t->orders, t->ranges};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

int pqx_flat_to_thrift(const uint8_t *payload, size_t size, pqx_buffer *out, pqx_error *error)
{
    uint64_t limit = (uint64_t)PQX_FLAT_REBUILT_LIMIT * size;
    pqx_rebuilding rebuilding = {.limit = limit, .left = limit, .error = error}, *t = &rebuilding;
    size_t before = out->size;
    PQX_TRY(pqx_flat_open_memory(payload, size, &t->flat, error));
    int status = rebuild_all(t, out);
    if (status != PQX_OK) out->size = before;
    free_buffers(t);
    pqx_flat_close(t->flat);
    return status;
}

/* Rebuild the chunks of row groups [first, first + count) of a part. In part 0 the preceding leaves
 * of the cell are rebuilt first, because records have no offsets. */
static int rebuild_part(pqx_rebuilding *t, uint32_t leaf, uint32_t part, uint32_t first,
                        uint32_t count, pqx_buffer *out, pqx_range *ranges)
{
    pqx_range all[PQX_FLAT_PART_ROW_GROUPS];
    uint32_t begin = part ? leaf : leaf - leaf % t->flat->cell_leaves;
    for (uint32_t at = begin; at <= leaf; at++) {
        t->chunks.size = 0;
        PQX_TRY(open_leaf(t, at));
        PQX_TRY(take_part(t, at, part, all));
    }
    for (uint32_t i = 0; i < count; i++) {
        pqx_range found = all[first % PQX_FLAT_PART_ROW_GROUPS + i];
        if (found.length > UINT32_MAX - (uint64_t)out->size)
            return pqx_fail(t->error, PQX_TOO_LARGE, 0, UINT32_MAX, out->size + found.length);
        ranges[i] = (pqx_range){(uint32_t)out->size, found.length};
        PQX_TRY(emit(t, t->chunks.data + found.offset, found.length, out));
    }
    return PQX_OK;
}

static int rebuild_leaf(pqx_rebuilding *t, uint32_t leaf, uint32_t first, uint32_t count,
                        pqx_buffer *out, pqx_range *ranges)
{
    t->pages = (pqx_cell *)calloc((size_t)t->flat->pool_pages + 1, sizeof *t->pages);
    if (!t->pages)
        return pqx_fail(t->error, PQX_NO_MEMORY, 0, t->flat->pool_pages * sizeof *t->pages, 0);
    PQX_TRY(pqx_buffer_reserve(&t->chunks, 1, t->error));
    for (uint32_t done = 0, here; done < count; done += here) {
        uint32_t at = first + done;
        here = PQX_FLAT_PART_ROW_GROUPS - at % PQX_FLAT_PART_ROW_GROUPS;
        if (here > count - done) here = count - done;
        PQX_TRY(rebuild_part(t, leaf, at / PQX_FLAT_PART_ROW_GROUPS, at, here, out, ranges + done));
    }
    return PQX_OK;
}

int pqx_flat_get_chunk_structs(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count,
                               pqx_buffer *out, pqx_range *ranges, pqx_error *error)
{
    uint32_t groups = flat->facts.row_group_count;
    uint64_t limit = (uint64_t)PQX_FLAT_REBUILT_LIMIT * flat->length;
    pqx_rebuilding rebuilding = {
        .flat = flat, .limit = limit, .left = limit, .keeps_pages = 1, .error = error};
    if (leaf >= flat->facts.leaf_count)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, flat->facts.leaf_count, leaf);
    if (first > groups || count > groups - first)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, groups,
                        first > groups ? first : (uint64_t)first + count);
    int status = rebuild_leaf(&rebuilding, leaf, first, count, out, ranges);
    free_buffers(&rebuilding);
    return status;
}
