/* Open a footer index: check its tail block and nothing else. */
#include <stdlib.h>

#include "index/index_read.h"

#define FIRST_READ 4096
#define SMALLEST_TAIL (PQX_INDEX_TAIL_BYTES + PQX_INDEX_RECORD_BYTES)

/* Make the file's bytes [begin, end) available; read them, and possibly more, if they are not in
 * memory. */
static int hold(pqx_index *index, uint64_t begin, uint64_t end, pqx_error *error)
{
    if (begin >= index->held_begin && end <= index->held_end) return PQX_OK;
    size_t size = (size_t)(end - begin);
    uint8_t *bytes = (uint8_t *)malloc(size);
    if (!bytes) return pqx_fail(error, PQX_NO_MEMORY, 0, size, 0);
    int failure = index->source.read(index->source.context, begin, size, bytes);
    if (failure) {
        free(bytes);
        return pqx_fail(error, PQX_IO, begin, size, (uint64_t)failure);
    }
    index->reads++;
    index->fetched += size;
    free(index->held);
    index->held = bytes;
    index->held_begin = begin;
    index->held_end = end;
    return PQX_OK;
}

/* Check the record at the payload's end, and the checksum of the tail block; *tail is the block's
 * offset. */
static int check_record(pqx_index *index, uint32_t *tail, pqx_error *error)
{
    uint64_t end = index->payload + index->length;
    uint32_t at = index->length - PQX_INDEX_RECORD_BYTES,
             first = index->length > FIRST_READ ? index->length - FIRST_READ : 0;
    if (index->held_begin > end - PQX_INDEX_RECORD_BYTES || index->held_end < end)
        PQX_TRY(hold(index, index->payload + first, end, error));
    uint32_t size = pqx_load32(index->held + (end - index->held_begin) - 8);
    if (size < index->form->smallest_tail || size > index->length)
        return pqx_index_fail(index, error, PQX_BAD_CELL, at + 4, index->length, size);
    PQX_TRY(hold(index, end - size, end, error));
    const uint8_t *block = index->held + (end - size - index->held_begin),
                  *record = block + size - PQX_INDEX_RECORD_BYTES;
    uint32_t stored = pqx_load32(record + 8), crc = pqx_crc32(0, block, size - 4),
             version = pqx_load32(record);
    if (stored != crc) return pqx_index_fail(index, error, PQX_CHECKSUM, at + 8, stored, crc);
    if (version != index->form->layout_version)
        return pqx_index_fail(index, error, PQX_UNKNOWN_LAYOUT, at, index->form->layout_version,
                              version);
    *tail = index->length - size;
    return PQX_OK;
}

/* Check counts and widths, and that the resulting cells fill the payload. */
static int read_tail(pqx_index *index, uint32_t tail, pqx_error *error)
{
    const uint8_t *block = index->held + (index->payload + tail - index->held_begin);
    pqx_index_shape *s = &index->shape;
    *s = (pqx_index_shape){
        .leaves = pqx_load32(block),
        .nodes = pqx_load32(block + 4),
        .row_groups = pqx_load32(block + 8),
        .key_values = pqx_load32(block + 12),
        .names = pqx_load32(block + 16),
        .offset_bytes = block[48],
        .length_bytes = block[49],
        .number_bytes = block[50],
    };
    index->facts = (pqx_flat_facts){
        .version = (int32_t)pqx_load32(block + 24),
        .num_rows = (int64_t)pqx_load64(block + 28),
        .leaf_count = s->leaves,
        .node_count = s->nodes,
        .row_group_count = s->row_groups,
        .key_value_count = s->key_values,
        .is_lossless = 1,
    };
    index->arrow_schema = pqx_load32(block + 20);
    index->created_by = (pqx_range){pqx_load32(block + 36), pqx_load32(block + 40)};
    index->created_by_crc = pqx_load32(block + 44);
    index->flags = block[51];
    index->listed = block + PQX_INDEX_TAIL_BYTES;
    index->listed_place = tail + PQX_INDEX_TAIL_BYTES;
    for (uint32_t i = 48; i < 51; i++)
        if (block[i] < 1 || block[i] > 4)
            return pqx_index_fail(index, error, PQX_BAD_CELL, tail + i, 4, block[i]);
    if (index->flags > 7)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 51, 7, index->flags);
    if (!s->nodes) return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 4, 1, 0);
    if (index->arrow_schema > s->key_values)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 20, s->key_values,
                              index->arrow_schema);
    index->areas = pqx_index_lay_out(s, tail);
    if (index->areas.tail != tail)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail, tail, index->areas.tail);
    uint32_t size = pqx_index_tail_bytes(s);
    return size == index->length - tail
               ? PQX_OK
               : pqx_index_fail(index, error, PQX_BAD_CELL, tail + 16, index->length - tail, size);
}

static void start(pqx_index *index)
{
    index->column.id = index->node.id = index->part_of = index->part_number = index->pair =
        index->row_group_part = PQX_INDEX_NOTHING;
    index->scanning.scan = &index->scan;
    pqx_forget_habits(&index->scanning);
}

/* Check that the ranges of the arguments lie in the source. */
static int check_ranges(const pqx_source *source, uint64_t footer, uint64_t thrift_length,
                        uint64_t payload, uint64_t length, size_t known_size, uint64_t known_end,
                        uint32_t smallest, pqx_error *error)
{
    if (known_end > source->size || known_size > known_end)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0,
                        known_end > source->size ? source->size : known_end, known_size);
    if (payload > source->size || length > source->size - payload || length < smallest
        || length > INT32_MAX)
        return pqx_fail(error, PQX_BAD_OFFSET, payload, source->size, length);
    if (footer > source->size || thrift_length > source->size - footer
        || thrift_length > UINT32_MAX)
        return pqx_fail(error, PQX_BAD_OFFSET, payload, payload, footer);
    return PQX_OK;
}

int pqx_index_open_as(const pqx_index_form *form, void *state, const pqx_source *source,
                      uint64_t footer, uint64_t thrift_length, uint64_t payload, uint64_t length,
                      const uint8_t *known, size_t known_size, uint64_t known_end,
                      pqx_index **opened, pqx_error *error)
{
    uint32_t tail_block;
    *opened = NULL;
    int status = check_ranges(source, footer, thrift_length, payload, length, known_size, known_end,
                              form->smallest_tail, error);
    pqx_index *index = status ? NULL : (pqx_index *)calloc(1, sizeof *index);
    if (index) index->held = (uint8_t *)malloc(known_size + 1);
    if (!index || !index->held) {
        free(index);
        form->close(state);
        return status ? status : pqx_fail(error, PQX_NO_MEMORY, 0, sizeof *index + known_size, 0);
    }
    index->form = form;
    index->state = state;
    if (known_size) memcpy(index->held, known, known_size);
    index->source = *source;
    index->footer = footer;
    index->payload = payload;
    index->limit = thrift_length;
    index->length = (uint32_t)length;
    index->held_begin = known_end - known_size;
    index->held_end = known_end;
    start(index);
    status = check_record(index, &tail_block, error);
    if (status == PQX_OK) status = form->read_tail(index, tail_block, error);
    if (status == PQX_OK) *opened = index;
    else pqx_index_close(index);
    return status;
}

static void close_nothing(void *state) { (void)state; }

int pqx_index_open(const pqx_source *source, uint64_t footer, uint64_t thrift_length,
                   uint64_t payload, uint64_t length, const uint8_t *known, size_t known_size,
                   uint64_t known_end, pqx_index **opened, pqx_error *error)
{
    static const pqx_index_form form = {
        .smallest_tail = SMALLEST_TAIL,
        .layout_version = PQX_INDEX_LAYOUT_VERSION,
        .read_tail = read_tail,
        .load_entry = pqx_index_load_entry,
        .load_bucket = pqx_index_load_bucket,
        .read_chunks = pqx_index_load_chunks,
        .read_structs = pqx_index_load_chunks,
        .read_row_groups = pqx_index_load_row_groups,
        .load_pair = pqx_index_load_pair,
        .read_created_by = pqx_index_load_created_by,
        .close = close_nothing,
    };
    return pqx_index_open_as(&form, NULL, source, footer, thrift_length, payload, length, known,
                             known_size, known_end, opened, error);
}

void pqx_index_close(pqx_index *index)
{
    if (!index) return;
    index->form->close(index->state);
    pqx_buffer *buffers[] = {
        &index->column.cell, &index->column.thrift, &index->column.path, &index->node.cell,
        &index->node.thrift, &index->node.path,     &index->above.cell,  &index->above.thrift,
        &index->group_path,  &index->part,          &index->part_thrift, &index->pair_thrift,
        &index->row_groups,  &index->own,           &index->text,        &index->created_by_text,
        &index->bucket,      &index->scratch,       &index->names,       &index->lengths,
        &index->span,
    };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
    pqx_name_table_free(&index->all_names);
    free(index->held);
    free(index);
}

/* Like hold, with an open reader. */
static int hold_more(pqx_index *index, uint64_t begin, uint64_t end, pqx_error *error)
{
    size_t listed = (size_t)(index->listed - index->held) + (size_t)index->held_begin;
    PQX_TRY(hold(index, begin, end, error));
    index->listed = index->held + (listed - index->held_begin);
    return PQX_OK;
}

int pqx_index_hold_from(pqx_index *index, uint64_t begin, pqx_error *error)
{ return hold_more(index, begin, index->payload + index->length, error); }

int pqx_index_hold(pqx_index *index, pqx_error *error)
{
    uint64_t cells = index->payload + index->length, thrift = index->footer + index->limit;
    return hold_more(index, index->footer < index->payload ? index->footer : index->payload,
                     cells > thrift ? cells : thrift, error);
}

void pqx_index_get_facts(const pqx_index *index, pqx_flat_facts *facts) { *facts = index->facts; }

void pqx_index_io(const pqx_index *index, uint64_t *reads, uint64_t *bytes)
{
    *reads = index->reads;
    *bytes = index->fetched;
}
