/* Read a leaf's chunks: a part of them is read from the Thrift footer, checked as a whole, and
 * decoded. */
#include "index/index_read.h"
#include "footer/scan_fast.h"

/* Read the ascending ranges of a part's chunks; `lists` are the offsets and lengths in its cell, at
 * `place`. */
static int read_ranges(const pqx_index *index, const uint8_t *lists, uint64_t place, uint32_t count,
                       pqx_range *ranges, pqx_error *error)
{
    uint32_t o = index->shape.offset_bytes, l = index->shape.length_bytes;
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = pqx_index_number(lists + i * o, o),
                 length = pqx_index_number(lists + count * o + i * l, l);
        if (PQX_UNLIKELY(offset < end || offset + length > index->limit))
            return pqx_index_fail(index, error, PQX_BAD_OFFSET, place + (uint64_t)i * o,
                                  index->limit, offset);
        ranges[i] = (pqx_range){(uint32_t)offset, (uint32_t)length};
        end = offset + length;
    }
    return PQX_OK;
}

void pqx_index_want_chunks(pqx_index *index, uint32_t leaf, const uint8_t *cell)
{
    pqx_range ranges[PQX_FLAT_PART_ROW_GROUPS];
    uint32_t count = pqx_index_groups(index->shape.row_groups, 0),
             head = pqx_index_schema_bytes(&index->shape);
    uint64_t place = pqx_index_part_place(&index->shape, leaf, 0);
    index->part_of = PQX_INDEX_NOTHING;
    index->part_thrift.size = 0;
    if (read_ranges(index, cell + head + 4, place + head + 4, count, ranges, NULL) == PQX_OK)
        (void)pqx_index_gather(index, place, ranges, count, &index->part_thrift, NULL);
}

/* Read and check the Thrift bytes of a leaf's part into index->part_thrift; `ranges` are those of
 * its chunks. */
static int load_part(pqx_index *index, uint32_t leaf, uint32_t part, pqx_range *ranges,
                     pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    const pqx_index_entry *entry;
    uint32_t count = pqx_index_groups(s->row_groups, part),
             head = part ? 4 : pqx_index_schema_bytes(s);
    uint64_t place = pqx_index_part_place(s, leaf, part);
    PQX_TRY(pqx_index_load_id(index, leaf, &entry, error));
    int is_there = index->part_of == leaf && index->part_number == part;
    if (!is_there) {
        index->part_of = PQX_INDEX_NOTHING;
        if (part)
            PQX_TRY(
                pqx_index_load(index, place, pqx_index_part_bytes(s, part), &index->part, error));
    }
    const uint8_t *cell = part ? index->part.data : entry->cell.data;
    PQX_TRY(read_ranges(index, cell + head + 4, place + head + 4, count, ranges, error));
    if (is_there) return PQX_OK;
    index->part_thrift.size = 0;
    PQX_TRY(pqx_index_gather(index, place, ranges, count, &index->part_thrift, error));
    PQX_TRY(pqx_index_check_thrift(index, pqx_load32(cell + head), index->part_thrift.data,
                                   index->part_thrift.size, ranges[0].offset, error));
    index->part_of = leaf;
    index->part_number = part;
    return PQX_OK;
}

int pqx_index_decode_chunk(pqx_index *index, const pqx_buffer *arena, size_t at, pqx_range range,
                           pqx_chunk *chunk, pqx_places *places, pqx_error *error)
{
    pqx_places ignored;
    pqx_scanning *s = &index->scanning;
    int placed;
    if (!places) places = &ignored;
    s->scan->chunks = chunk;
    s->scan->places = places;
    s->scan->chunk_count = 0;
    s->cursor = (pqx_cursor){arena->data, arena->size + PQX_SLACK, at, NULL};
    if (PQX_LIKELY(pqx_fast_chunks(s, 1) && s->cursor.at == at + range.length)) return PQX_OK;
    s->cursor = (pqx_cursor){arena->data, arena->size, at, NULL};
    int status = pqx_scan_chunk(s, chunk, places, &placed);
    if (PQX_LIKELY(status == PQX_OK && s->cursor.at == at + range.length)) return PQX_OK;
    return pqx_index_not_whole(index, range.offset, range.length, error);
}

/* Append the bytes of chunks to the arena, followed by the zeros that fast decoding needs. */
static int add_chunks(pqx_buffer *arena, const uint8_t *bytes, size_t size, pqx_error *error)
{
    PQX_TRY(pqx_buffer_reserve(arena, size + PQX_SLACK, error));
    memcpy(arena->data + arena->size, bytes, size);
    arena->size += size;
    memset(arena->data + arena->size, 0, PQX_SLACK);
    return PQX_OK;
}

int pqx_index_read_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                          pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                          pqx_error *error)
{ return index->form->read_chunks(index, leaf, first, count, chunks, places, arena, error); }

int pqx_index_load_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                          pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                          pqx_error *error)
{
    pqx_range ranges[PQX_FLAT_PART_ROW_GROUPS];
    const pqx_index_entry *entry;
    if (!count) return pqx_index_load_id(index, leaf, &entry, error);
    for (uint32_t done = 0; done < count;) {
        uint32_t part = (first + done) / PQX_FLAT_PART_ROW_GROUPS,
                 from = (first + done) % PQX_FLAT_PART_ROW_GROUPS;
        uint32_t to = pqx_index_groups(index->shape.row_groups, part);
        if (to - from > count - done) to = from + count - done;
        PQX_TRY(load_part(index, leaf, part, ranges, error));
        size_t begin = 0, size = 0, at = arena->size;
        for (uint32_t i = 0; i < to; i++) *(i < from ? &begin : &size) += ranges[i].length;
        if (size > UINT32_MAX - (uint64_t)at)
            return pqx_fail(error, PQX_TOO_LARGE, index->footer, UINT32_MAX, (uint64_t)at + size);
        PQX_TRY(add_chunks(arena, index->part_thrift.data + begin, size, error));
        for (uint32_t i = from; i < to; i++, done++) {
            PQX_TRY(pqx_index_decode_chunk(index, arena, at, ranges[i], &chunks[done],
                                           places ? &places[done] : NULL, error));
            at += ranges[i].length;
        }
    }
    return PQX_OK;
}

/* Begin a call that reads chunks of a leaf. */
static int begin_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                        pqx_error *error)
{
    if (leaf >= index->shape.leaves)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, index->shape.leaves, leaf);
    PQX_TRY(pqx_check_part(first, count, index->shape.row_groups, error));
    pqx_index_begin(index);
    return PQX_OK;
}

int pqx_index_get_structs(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                          pqx_chunk *chunks, pqx_buffer *arena, pqx_error *error)
{
    PQX_TRY(begin_chunks(index, leaf, first, count, error));
    return index->form->read_structs(index, leaf, first, count, chunks, NULL, arena, error);
}

int pqx_index_get_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                         pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                         pqx_element *element, pqx_error *error)
{
    PQX_TRY(begin_chunks(index, leaf, first, count, error));
    PQX_TRY(pqx_index_read_chunks(index, leaf, first, count, chunks, places, arena, error));
    if (element) *element = index->column.element;
    return PQX_OK;
}
