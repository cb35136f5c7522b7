/* Rebuild the Thrift footer from a packed payload (docs/formats.md, 15.6). */
#include <stdlib.h>

#include "packed/packed_read.h"

typedef struct placed_element {
    uint32_t index, begin, length;
} placed_element;

static int by_index(const void *one, const void *other)
{
    uint32_t a = ((const placed_element *)one)->index, b = ((const placed_element *)other)->index;
    if (a != b) return a < b ? -1 : 1;
    a = ((const placed_element *)one)->begin, b = ((const placed_element *)other)->begin;
    return (a > b) - (a < b);
}

/* Collect the elements of all leaves and nodes in `bytes`, and sort them into preorder. */
static int collect(pqx_index *index, placed_element *found, pqx_buffer *bytes, pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    for (uint32_t i = 0; i < s->leaves + s->nodes; i++) {
        const pqx_index_entry *entry;
        uint32_t id = i < s->leaves ? i : PQX_FLAT_GROUP | (i - s->leaves);
        pqx_index_begin(index);
        PQX_TRY(pqx_index_load_id(index, id, &entry, error));
        found[i] =
            (placed_element){entry->index, (uint32_t)bytes->size, (uint32_t)entry->thrift.size};
        PQX_TRY(pqx_buffer_append(bytes, entry->thrift.data, entry->thrift.size, error));
        if (bytes->size > pqx_packed_of(index)->limit)
            return pqx_fail(error, PQX_BAD_CELL, entry->place, pqx_packed_of(index)->limit,
                            bytes->size);
    }
    qsort(found, s->leaves + (size_t)s->nodes, sizeof *found, by_index);
    return PQX_OK;
}

static int put_schema(pqx_index *index, pqx_buffer *out, pqx_error *error)
{
    size_t count = (size_t)index->shape.leaves + index->shape.nodes;
    pqx_buffer bytes = {0};
    placed_element *found = (placed_element *)malloc(count * sizeof *found);
    int status = found ? collect(index, found, &bytes, error)
                       : pqx_fail(error, PQX_NO_MEMORY, 0, count * sizeof *found, 0);
    for (size_t i = 0; status == PQX_OK && i < count; i++)
        status = pqx_buffer_append(out, bytes.data + found[i].begin, found[i].length, error);
    free(found);
    pqx_buffer_free(&bytes);
    return status;
}

/* The chunks of some row groups: the bytes leaf by leaf, and where each one begins. */
typedef struct chunk_bytes {
    pqx_buffer bytes;
    uint64_t *begins; /* [leaf * rows + row], and their end */
} chunk_bytes;

static int read_chunks(pqx_index *index, uint32_t first, uint32_t rows, chunk_bytes *made,
                       pqx_error *error)
{
    uint64_t at = 0;
    uint64_t limit = pqx_packed_of(index)->limit;
    made->bytes.size = 0;
    for (uint32_t leaf = 0; leaf < index->shape.leaves; leaf++) {
        pqx_index_begin(index);
        PQX_TRY(pqx_packed_chunks(index, leaf, first, rows, &made->bytes, error));
        if (made->bytes.size > limit)
            return pqx_fail(error, PQX_BAD_CELL, index->payload, limit, made->bytes.size);
        const uint32_t *lengths =
            (const uint32_t *)(const void *)pqx_packed_of(index)->lengths.data;
        for (uint32_t row = 0; row < rows; row++) {
            made->begins[(size_t)leaf * rows + row] = at;
            at += lengths[row];
        }
    }
    made->begins[(size_t)index->shape.leaves * rows] = at;
    return PQX_OK;
}

/* Append a row group. Its own bytes are made without the list of columns first. */
static int put_row_group(pqx_index *index, uint32_t number, uint32_t row, uint32_t rows,
                         const chunk_bytes *chunks, pqx_buffer *out, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    size_t columns_at;
    pqx_index_begin(index);
    PQX_TRY(pqx_packed_load_row_group(index, number, error));
    index->own.size = 0;
    PQX_TRY(pqx_packed_run_struct(&p->row_groups, number % PQX_PACKED_ROW_GROUPS_PER_CELL,
                                  &index->own, &columns_at, error));
    size_t before = columns_at < index->own.size ? columns_at : index->own.size;
    PQX_TRY(pqx_buffer_append(out, index->own.data, before, error));
    if (columns_at != SIZE_MAX) {
        pqx_bytes head =
            pqx_packed_columns_head(&p->row_groups.tile, number % PQX_PACKED_ROW_GROUPS_PER_CELL);
        PQX_TRY(pqx_buffer_append(out, head.data, head.size, error));
        for (uint32_t leaf = 0; leaf < index->shape.leaves; leaf++) {
            const uint64_t *begin = &chunks->begins[(size_t)leaf * rows + row];
            PQX_TRY(pqx_buffer_append(out, chunks->bytes.data + begin[0],
                                      (size_t)(begin[1] - begin[0]), error));
        }
    }
    return pqx_buffer_append(out, index->own.data + before, index->own.size - before, error);
}

static int put_row_groups(pqx_index *index, pqx_buffer *out, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    const pqx_index_shape *s = &index->shape;
    uint32_t most = p->tile_rows < s->row_groups ? p->tile_rows : s->row_groups;
    size_t room = ((size_t)s->leaves * most + 1) * sizeof(uint64_t);
    chunk_bytes chunks = {{0}, (uint64_t *)malloc(room)};
    if (!chunks.begins) return pqx_fail(error, PQX_NO_MEMORY, 0, room, 0);
    int status = PQX_OK;
    for (uint32_t first = 0; status == PQX_OK && first < s->row_groups; first += most) {
        uint32_t left = s->row_groups - first, rows = left < most ? left : most;
        status = read_chunks(index, first, rows, &chunks, error);
        for (uint32_t row = 0; status == PQX_OK && row < rows; row++)
            status = put_row_group(index, first + row, row, rows, &chunks, out, error);
    }
    free(chunks.begins);
    pqx_buffer_free(&chunks.bytes);
    return status;
}

static int put_pairs(pqx_index *index, pqx_buffer *out, pqx_error *error)
{
    for (uint32_t i = 0; i < index->shape.key_values; i++) {
        pqx_index_begin(index);
        PQX_TRY(pqx_packed_load_pair(index, i, error));
        index->pair = PQX_INDEX_NOTHING;
        PQX_TRY(pqx_buffer_append(out, index->pair_thrift.data, index->pair_thrift.size, error));
    }
    return PQX_OK;
}

/* Carry out a step; `done` are those with a list. */
static int put_step(pqx_index *index, pqx_content *c, unsigned *done, pqx_buffer *out,
                    pqx_error *error)
{
    size_t at = c->at;
    uint8_t step = 0;
    uint64_t length = 0;
    const uint8_t *literal;
    PQX_TRY(pqx_content_byte(c, &step));
    if (step > PQX_FRAME_PAIRS)
        return pqx_content_fail(c, PQX_BAD_VALUE, at, PQX_FRAME_PAIRS, step);
    if (step && *done >> step & 1) return pqx_content_fail(c, PQX_BAD_VALUE, at, 0, step);
    *done |= 1u << step;
    if (step == PQX_FRAME_SCHEMA) return put_schema(index, out, error);
    if (step == PQX_FRAME_ROW_GROUPS) return put_row_groups(index, out, error);
    if (step == PQX_FRAME_PAIRS) return put_pairs(index, out, error);
    PQX_TRY(pqx_content_varint(c, &length));
    PQX_TRY(pqx_content_take(c, length, &literal));
    return pqx_buffer_append(out, literal, (size_t)length, error);
}

int pqx_packed_to_thrift(pqx_index *index, pqx_buffer *out, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    pqx_content c;
    const uint8_t *created_by;
    size_t start = out->size;
    unsigned done = 0;
    pqx_index_begin(index);
    PQX_TRY(pqx_packed_load(index, PQX_CELLS_FRAME, 0, &p->frame, &c, error));
    PQX_TRY(pqx_content_take(&c, 8, &created_by));
    PQX_TRY(pqx_buffer_reserve(out, 1, error)); /* a frame may make no bytes */
    while (pqx_content_left(&c) && out->size - start <= p->thrift_bytes)
        PQX_TRY(put_step(index, &c, &done, out, error));
    size_t size = out->size - start;
    uint32_t crc = pqx_crc32(0, out->data + start, size);
    if (size == p->thrift_bytes && crc == p->thrift_crc) return PQX_OK;
    return pqx_index_fail(index, error, PQX_CHECKSUM, p->tail + 40, p->thrift_crc, crc);
}
