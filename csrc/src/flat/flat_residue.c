/* Convert values of a struct to Thrift bytes; shared by the writer and the reader of the flat
 * footer. */
#include "flat/flat_residue.h"

static pqx_fact integer(int there, int64_t value)
{ return (pqx_fact){there ? PQX_FACT_INTEGER : PQX_FACT_NONE, pqx_zigzag(value), {0}}; }

static pqx_fact sized(pqx_bytes bytes)
{ return (pqx_fact){bytes.data ? PQX_FACT_SIZED : PQX_FACT_NONE, 0, bytes}; }

static pqx_fact raw(const pqx_bytes *bytes)
{
    return bytes && bytes->data ? (pqx_fact){PQX_FACT_RAW, 0, *bytes}
                                : (pqx_fact){PQX_FACT_NONE, 0, {0}};
}

static pqx_fact chunk_fact(const pqx_facts *facts, int op)
{
    uint64_t zigzag;
    if (pqx_chunk_number(facts, op, &zigzag)) return (pqx_fact){PQX_FACT_INTEGER, zigzag, {0}};
    switch (op) {
    case PQX_OP_PATH:
        return raw(facts->chunk->present & PQX_PRESENT_METADATA ? &facts->path : NULL);
    case PQX_OP_MIN: return sized(facts->min);
    case PQX_OP_MAX: return sized(facts->max);
    default: return integer(0, 0);
    }
}

static pqx_fact group_fact(const pqx_facts *facts, int op)
{
    const pqx_row_group *group = facts->group;
    switch (op) {
    case PQX_OP_NUM_ROWS: return integer(1, group->num_rows);
    case PQX_OP_TOTAL_BYTE_SIZE: return integer(1, group->total_byte_size);
    case PQX_OP_FILE_OFFSET: return integer(group->file_offset != -1, group->file_offset);
    case PQX_OP_GROUP_COMPRESSED_SIZE:
        return integer(group->total_compressed_size != -1, group->total_compressed_size);
    case PQX_OP_ORDINAL:
        return integer(group->ordinal != -1 && group->ordinal >= INT16_MIN
                           && group->ordinal <= INT16_MAX,
                       group->ordinal);
    case PQX_OP_CHUNKS: return raw(facts->chunks);
    default: return integer(0, 0);
    }
}

static int footer_fact(const pqx_footer_facts *facts, int op, uint32_t number, pqx_fact *fact,
                       pqx_error *error)
{
    pqx_bytes bytes = {0};
    switch (op) {
    case PQX_OP_VERSION: *fact = integer(1, facts->version); break;
    case PQX_OP_ALL_ROWS: *fact = integer(1, facts->num_rows); break;
    case PQX_OP_ELEMENTS: *fact = raw(&facts->elements); break;
    case PQX_OP_ROW_GROUPS: *fact = raw(&facts->row_groups); break;
    case PQX_OP_COLUMN_ORDERS: *fact = raw(&facts->column_orders); break;
    case PQX_OP_CREATED_BY: *fact = sized(facts->created_by); break;
    case PQX_OP_KEY:
    case PQX_OP_VALUE:
        if (number < facts->pair_count)
            PQX_TRY(facts->pair(facts->context, number, op == PQX_OP_VALUE, &bytes, error));
        *fact = sized(bytes);
        break;
    default: *fact = integer(0, 0);
    }
    return PQX_OK;
}

int pqx_get_fact(const pqx_facts *facts, int op, uint32_t number, pqx_fact *fact, pqx_error *error)
{
    if (facts->footer) return footer_fact(facts->footer, op, number, fact, error);
    *fact = facts->chunk   ? chunk_fact(facts, op)
            : facts->group ? group_fact(facts, op)
                           : integer(0, 0);
    return PQX_OK;
}

const uint8_t *pqx_literal_end(int op, const uint8_t *p, const uint8_t *end)
{
    enum { LONGEST_VARINT = 10 };
    size_t left = (size_t)(end - p), bytes = 0;
    if (op == PQX_OP_DOUBLE || op == PQX_OP_UUID)
        return left >= (op == PQX_OP_UUID ? 16u : 8u) ? p + (op == PQX_OP_UUID ? 16 : 8) : NULL;
    if (op != PQX_OP_VARINT && op != PQX_OP_BINARY) return NULL;
    while (bytes < left && p[bytes] >= 0x80) bytes++;
    if (++bytes > left || bytes > LONGEST_VARINT) return NULL;
    if (op == PQX_OP_VARINT) return p + bytes;
    size_t length = 0;
    for (size_t i = 0; i < bytes; i++) {
        size_t digit = p[i] & 0x7f;
        if (7 * i >= 63 ? digit : digit << 7 * i > left) return NULL;
        length |= digit << 7 * i;
    }
    return length <= left - bytes ? p + bytes + length : NULL;
}

/* Append a list's header in its shortest form. */
static int append_list_header(uint32_t count, int type, pqx_buffer *out, pqx_error *error)
{
    uint8_t bytes[11] = {(uint8_t)((count < 15 ? count << 4 : 0xf0) | (uint32_t)type)};
    return pqx_buffer_append(out, bytes, count < 15 ? 1 : 1 + pqx_varint_put(bytes + 1, count),
                             error);
}

int pqx_append_path_list(const uint8_t *path, size_t size, pqx_buffer *out, pqx_error *error)
{
    uint32_t count = 1;
    for (size_t i = 0; i < size; i++) count += path[i] == 0;
    PQX_TRY(append_list_header(count, PQX_TYPE_BINARY, out, error));
    for (size_t start = 0, end; count--; start = end + 1) {
        uint8_t length[10];
        for (end = start; end < size && path[end]; end++) {}
        PQX_TRY(pqx_buffer_append(out, length, pqx_varint_put(length, end - start), error));
        if (end > start) PQX_TRY(pqx_buffer_append(out, path + start, end - start, error));
    }
    return PQX_OK;
}

int pqx_append_column_orders(const uint8_t *orders, uint32_t count, pqx_buffer *out,
                             pqx_error *error)
{
    PQX_TRY(append_list_header(count, PQX_TYPE_STRUCT, out, error));
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[14] = {(uint8_t)(orders[i] << 4 | PQX_TYPE_STRUCT)};
        size_t size = 1;
        if (!orders[i] || orders[i] > 15) { /* the header's long form */
            bytes[0] = PQX_TYPE_STRUCT;
            size += pqx_varint_put(bytes + 1, pqx_zigzag(orders[i]));
        }
        PQX_TRY(pqx_buffer_append(out, bytes, size + 2,
                                  error)); /* the empty struct's stop and the union's, both zero */
    }
    return PQX_OK;
}
