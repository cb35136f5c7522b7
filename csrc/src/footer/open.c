/* One reader for footers in any form: it opens the best block, or else the Thrift footer. */
#include <stdlib.h>

#include "footer/scan.h"

enum { TAIL_BYTES = 4096, END_BYTES = 8, LEAST_FILE = 12 };

enum {
    LEAST_PARX_FILE = 4 + 1 + PQX_PARX_TAIL_BYTES,
    KNOWN_PARX_FLAGS = PQX_PARX_ENCRYPTED | PQX_PARX_PATHS_OMITTED | PQX_PARX_PREVIEW
};

/* One of `flat` and `index`, which also reads a packed footer, is set, or `thrift` contains the
 * footer that was scanned. */
struct pqx_footer {
    pqx_footer_info info;
    pqx_flat *flat;
    pqx_index *index;
    uint8_t *thrift;
    size_t thrift_size;
    pqx_scan scan;
};

static int read_source(const pqx_source *source, uint64_t offset, size_t length, uint8_t *into,
                       pqx_error *error)
{
    int failure = source->read(source->context, offset, length, into);
    return failure ? pqx_fail(error, PQX_IO, offset, length, (uint64_t)failure) : PQX_OK;
}

/* Read `size` bytes at `offset`, which begin with a Thrift footer. */
static int load_thrift(pqx_footer *footer, const pqx_source *source, uint64_t offset, size_t size,
                       pqx_error *error)
{
    footer->thrift = (uint8_t *)malloc(size ? size : 1);
    if (!footer->thrift) return pqx_fail(error, PQX_NO_MEMORY, 0, size, 0);
    return read_source(source, offset, size, footer->thrift, error);
}

static int scan_thrift(pqx_footer *footer, size_t length, pqx_error *error)
{
    footer->thrift_size = length;
    PQX_TRY(pqx_scan_footer(footer->thrift, length, &footer->scan, error));
    const pqx_scan *scan = &footer->scan;
    for (uint32_t i = 0; !scan->regular && i < scan->row_group_count; i++)
        if (scan->row_groups[i].chunk_count != scan->leaf_count)
            return pqx_fail(error, PQX_IRREGULAR, scan->row_groups[i].bytes.offset,
                            scan->leaf_count, scan->row_groups[i].chunk_count);
    footer->info =
        (pqx_footer_info){PQX_FORM_NONE, scan->num_rows, scan->leaf_count, scan->row_group_count};
    return PQX_OK;
}

static int open_thrift(pqx_footer *footer, const pqx_source *source, const uint8_t *end,
                       pqx_error *error)
{
    size_t length = pqx_load32(end);
    if (memcmp(end + 4, "PAR3", 4) == 0)
        return pqx_fail(error, PQX_NO_THRIFT, source->size - 4, 0, 0);
    if (memcmp(end + 4, "PARE", 4) == 0)
        return pqx_fail(error, PQX_ENCRYPTED, source->size - 4, 0, 0);
    if (memcmp(end + 4, "PAR1", 4) != 0 || length > source->size - LEAST_FILE)
        return pqx_fail(error, PQX_NOT_PARQUET, source->size - END_BYTES, 0, 0);
    PQX_TRY(load_thrift(footer, source, source->size - END_BYTES - length, length, error));
    return scan_thrift(footer, length, error);
}

/* Open a PARX footer, whose fields after the Thrift footer are at `end`. As the format demands,
 * flags are checked before the checksum. */
static int open_parx(pqx_footer *footer, const pqx_source *source, const uint8_t *end,
                     pqx_error *error)
{
    uint64_t at = source->size - PQX_PARX_TAIL_BYTES, most = at - sizeof "PARX" + 1;
    uint32_t length = pqx_load32(end), flags = pqx_load32(end + 4);
    uint32_t stored = pqx_load32(end + PQX_PARX_CHECKED_BYTES);
    if (flags & ~(uint32_t)KNOWN_PARX_FLAGS)
        return pqx_fail(error, PQX_UNKNOWN_LAYOUT, at + 4, KNOWN_PARX_FLAGS, flags);
    if (flags & PQX_PARX_ENCRYPTED) return pqx_fail(error, PQX_ENCRYPTED, at + 4, 0, 0);
    if (!length || length > most) return pqx_fail(error, PQX_TRUNCATED, at, length, most);
    size_t checked = (size_t)length + PQX_PARX_CHECKED_BYTES;
    PQX_TRY(load_thrift(footer, source, at - length, checked, error));
    uint32_t sum = pqx_crc32(0, footer->thrift, checked);
    if (sum != stored)
        return pqx_fail(error, PQX_CHECKSUM, at + PQX_PARX_CHECKED_BYTES, stored, sum);
    return scan_thrift(footer, length, error);
}

static int open_block(pqx_footer *footer, const pqx_source *source, const pqx_location *at,
                      pqx_error *error)
{
    pqx_flat_facts facts;
    if (at->form == PQX_FORM_INDEX) {
        PQX_TRY(pqx_index_open(source, at->footer, at->thrift_length, at->payload, at->length,
                               at->known, at->known_size, at->known_end, &footer->index, error));
        pqx_index_get_facts(footer->index, &facts);
    } else if (at->form == PQX_FORM_PACKED) {
        PQX_TRY(pqx_packed_open(source, at->payload, at->length, at->known, at->known_size,
                                at->known_end, &footer->index, error));
        pqx_index_get_facts(footer->index, &facts);
    } else {
        PQX_TRY(pqx_flat_open(source, at->payload, at->length, at->known, at->known_size,
                              at->known_end, &footer->flat, error));
        pqx_flat_get_facts(footer->flat, &facts);
    }
    footer->info =
        (pqx_footer_info){at->form, facts.num_rows, facts.leaf_count, facts.row_group_count};
    return PQX_OK;
}

static int open_any(pqx_footer *footer, const pqx_source *source, int thrift_only, pqx_error *error)
{
    uint8_t tail[TAIL_BYTES];
    pqx_location found;
    size_t size = source->size < sizeof tail ? (size_t)source->size : sizeof tail;
    if (size < LEAST_FILE) return pqx_fail(error, PQX_NOT_PARQUET, 0, 0, 0);
    PQX_TRY(read_source(source, source->size - size, size, tail, error));
    if (size >= LEAST_PARX_FILE && memcmp(tail + size - 4, "PARX", 4) == 0)
        return open_parx(footer, source, tail + size - PQX_PARX_TAIL_BYTES, error);
    found.form = PQX_FORM_NONE;
    if (!thrift_only) pqx_locate(tail, size, source->size, &found);
    return found.form == PQX_FORM_NONE ? open_thrift(footer, source, tail + size - END_BYTES, error)
                                       : open_block(footer, source, &found, error);
}

int pqx_footer_open(const pqx_source *source, int thrift_only, pqx_footer **footer,
                    pqx_error *error)
{
    pqx_footer *made = (pqx_footer *)calloc(1, sizeof *made);
    *footer = NULL;
    if (!made) return pqx_fail(error, PQX_NO_MEMORY, 0, sizeof *made, 0);
    int status = open_any(made, source, thrift_only, error);
    if (status == PQX_OK) *footer = made;
    else pqx_footer_close(made);
    return status;
}

void pqx_footer_close(pqx_footer *footer)
{
    if (!footer) return;
    if (footer->flat) pqx_flat_close(footer->flat);
    if (footer->index) pqx_index_close(footer->index);
    pqx_scan_free(&footer->scan);
    free(footer->thrift);
    free(footer);
}

const pqx_scan *pqx_footer_get_scan(const pqx_footer *footer, const uint8_t **bytes)
{
    *bytes = footer->thrift;
    return &footer->scan;
}

void pqx_footer_get_info(const pqx_footer *footer, pqx_footer_info *info) { *info = footer->info; }

int pqx_footer_find_leaf(pqx_footer *footer, const char *path, uint32_t *leaf, size_t *count,
                         pqx_error *error)
{
    const uint8_t *name = (const uint8_t *)path;
    uint32_t ids[2] = {0};
    size_t found, size = strlen(path);
    if (footer->flat) PQX_TRY(pqx_flat_find_name(footer->flat, name, size, ids, 2, &found, error));
    else if (footer->index)
        PQX_TRY(pqx_index_find_name(footer->index, name, size, ids, 2, &found, error));
    else found = pqx_scan_find_name(footer->thrift, &footer->scan, name, size, ids, 2);
    *count = 0;
    while (*count < found && *count < 2 && !(ids[*count] & PQX_FLAT_GROUP)) ++*count;
    if (*count) *leaf = ids[0];
    return PQX_OK;
}

static int check_leaf(const pqx_footer *footer, uint32_t leaf, pqx_error *error)
{
    return leaf < footer->info.leaf_count
               ? PQX_OK
               : pqx_fail(error, PQX_BAD_ARGUMENT, 0, footer->info.leaf_count, leaf);
}

static int get_node(pqx_footer *footer, uint32_t id, pqx_flat_node *node, pqx_error *error)
{
    return footer->flat ? pqx_flat_get_node(footer->flat, id, node, error)
                        : pqx_index_get_node(footer->index, id, node, error);
}

/* Describe a leaf of a block. The innermost repeated field around it is the outermost one of its
 * parents with the same maximum repetition level. */
static int get_block_leaf(pqx_footer *footer, uint32_t leaf, pqx_decoder_leaf *described,
                          pqx_error *error)
{
    pqx_flat_node node;
    pqx_element element;
    PQX_TRY(get_node(footer, leaf, &node, error));
    PQX_TRY(pqx_read_leaf(node.thrift.data, node.thrift.size, node.column_order, &element, error));
    described->type = element.type;
    described->type_length = element.type_length;
    described->max_definition = node.max_definition;
    described->max_repetition = node.max_repetition;
    while (node.max_repetition && node.max_repetition == described->max_repetition) {
        described->repeated_definition = node.max_definition;
        if (node.parent == PQX_FLAT_NONE) break;
        PQX_TRY(get_node(footer, PQX_FLAT_GROUP | node.parent, &node, error));
    }
    return PQX_OK;
}

int pqx_footer_get_leaf(pqx_footer *footer, uint32_t leaf, pqx_decoder_leaf *described,
                        pqx_error *error)
{
    PQX_TRY(check_leaf(footer, leaf, error));
    *described = (pqx_decoder_leaf){0};
    if (!footer->thrift) return get_block_leaf(footer, leaf, described, error);
    const pqx_element *elements = footer->scan.elements,
                      *element = &elements[footer->scan.leaves[leaf]];
    described->type = element->type;
    described->type_length = element->type_length;
    described->max_definition = element->max_definition;
    described->max_repetition = element->max_repetition;
    while (element->max_repetition && element->max_repetition == described->max_repetition) {
        described->repeated_definition = element->max_definition;
        if (element->parent < 0) break;
        element = &elements[element->parent];
    }
    return PQX_OK;
}

int pqx_footer_get_rows(pqx_footer *footer, int64_t *num_rows, pqx_error *error)
{
    pqx_row_group group;
    for (uint32_t i = 0; i < footer->info.row_group_count; i++) {
        if (footer->flat) PQX_TRY(pqx_flat_get_row_groups(footer->flat, i, 1, &group, error));
        else if (footer->index)
            PQX_TRY(pqx_index_get_row_groups(footer->index, i, 1, &group, error));
        num_rows[i] = footer->thrift ? footer->scan.row_groups[i].num_rows : group.num_rows;
    }
    return PQX_OK;
}

/* Append a bound of a Thrift chunk to `bounds`; `range` is the position of the copy. */
static int copy_bound(const uint8_t *bytes, pqx_range bound, pqx_buffer *bounds, pqx_range *range,
                      pqx_error *error)
{
    if (bounds->size > UINT32_MAX - (uint64_t)bound.length)
        return pqx_fail(error, PQX_TOO_LARGE, bound.offset, UINT32_MAX, bounds->size);
    *range = (pqx_range){(uint32_t)bounds->size, bound.length};
    return pqx_buffer_append(bounds, bytes + bound.offset, bound.length, error);
}

/* Replace the bounds of a chunk, whose ranges refer to `bytes`, by copies of the trusted ones. */
static int keep_trusted(const uint8_t *bytes, const pqx_element *leaf, pqx_chunk *chunk,
                        pqx_buffer *bounds, pqx_error *error)
{
    static const uint32_t all =
        PQX_PRESENT_MIN_VALUE | PQX_PRESENT_MAX_VALUE | PQX_PRESENT_MIN | PQX_PRESENT_MAX;
    static const pqx_range none = {0, 0};
    pqx_range min, max;
    int has;
    pqx_usable_bounds(bytes, chunk, leaf, &min, &max, &has);
    chunk->min_value = chunk->max_value = chunk->min = chunk->max = none;
    chunk->chunk = chunk->metadata = chunk->statistics = none;
    chunk->present &= ~all;
    if (has & 1) {
        chunk->present |= PQX_PRESENT_MIN_VALUE;
        PQX_TRY(copy_bound(bytes, min, bounds, &chunk->min_value, error));
    }
    if (has & 2) {
        chunk->present |= PQX_PRESENT_MAX_VALUE;
        PQX_TRY(copy_bound(bytes, max, bounds, &chunk->max_value, error));
    }
    return PQX_OK;
}

static int get_index_chunks(pqx_footer *footer, uint32_t leaf, pqx_chunk *chunks,
                            pqx_buffer *bounds, pqx_error *error)
{
    pqx_buffer arena = {0};
    pqx_element element;
    uint32_t count = footer->info.row_group_count;
    int status =
        pqx_index_get_chunks(footer->index, leaf, 0, count, chunks, NULL, &arena, &element, error);
    for (uint32_t i = 0; i < count && status == PQX_OK; i++)
        status = keep_trusted(arena.data, &element, &chunks[i], bounds, error);
    pqx_buffer_free(&arena);
    return status;
}

int pqx_footer_get_chunks(pqx_footer *footer, uint32_t leaf, pqx_chunk *chunks, pqx_buffer *bounds,
                          pqx_error *error)
{
    uint32_t count = footer->info.row_group_count;
    PQX_TRY(check_leaf(footer, leaf, error));
    if (footer->flat) /* stores trusted bounds only */
        return pqx_flat_get_chunks(footer->flat, leaf, 0, count, chunks, NULL, bounds, error);
    if (footer->index) return get_index_chunks(footer, leaf, chunks, bounds, error);
    const pqx_scan *scan = &footer->scan;
    const pqx_element *element = &scan->elements[scan->leaves[leaf]];
    for (uint32_t i = 0; i < count; i++) {
        chunks[i] = scan->chunks[(uint64_t)i * scan->leaf_count + leaf];
        PQX_TRY(keep_trusted(footer->thrift, element, &chunks[i], bounds, error));
    }
    return PQX_OK;
}

int pqx_footer_slice(pqx_footer *footer, const pqx_slice_request *wanted, pqx_buffer *out,
                     pqx_error *error)
{
    if (footer->flat)
        return pqx_flat_slice(footer->flat, wanted->leaves, wanted->leaf_count, wanted->row_groups,
                              wanted->row_group_count, wanted->arrow_schema, wanted->key_values,
                              out, error);
    if (footer->index)
        return pqx_index_slice(footer->index, wanted->leaves, wanted->leaf_count,
                               wanted->row_groups, wanted->row_group_count, wanted->arrow_schema,
                               wanted->key_values, out, error);
    return pqx_slice_footer(footer->thrift, footer->thrift_size, &footer->scan, wanted->leaves,
                            wanted->leaf_count, wanted->row_groups, wanted->row_group_count,
                            wanted->arrow_schema, wanted->key_values, out, error);
}
