/* Write the index of a footer, change some of its bytes, correct all checksums, those over
 * Thrift bytes included, and read everything: all other checks follow the checksums. */
#include "index/index.h"
#include "asking.h"

static void edit(uint8_t *payload, size_t size)
{
    static const uint32_t widths[] = {1, 1, 2, 3, 4};
    for (uint32_t edits = draw(4); edits--;) {
        uint32_t width = widths[draw(5)], at = draw((uint32_t)(size - 4)),
                 value = draw(2) ? draw(300) : draw(UINT32_MAX);
        if (draw(4) == 0)
            at =
                (uint32_t)size - 4 - draw(size < 64 ? (uint32_t)size - 4 : 60); /* the tail block */
        memcpy(payload + at, &value, width);
    }
}

/* ---- checksums made right ---- */

typedef struct signer {
    const uint8_t *footer;
    size_t footer_size;
    pqx_index_shape shape;
} signer;

static uint32_t crc_of(const signer *s, uint32_t crc, uint64_t offset, uint64_t length)
{
    if (offset > s->footer_size || length > s->footer_size - offset) return crc;
    return pqx_crc32(crc, s->footer + offset, length);
}

static void sign_cell(uint8_t *cell, size_t size)
{ pqx_store32(cell, pqx_crc32(0, cell + 4, size - 4)); }

static void sign_element(const signer *s, uint8_t *cell)
{
    uint32_t o = s->shape.offset_bytes;
    pqx_store32(cell + 4, crc_of(s, 0, pqx_index_number(cell + 8, o),
                                 pqx_index_number(cell + 8 + o, s->shape.length_bytes)));
}

static void sign_part(const signer *s, uint8_t *payload, uint32_t leaf, uint32_t part)
{
    const pqx_index_shape *shape = &s->shape;
    uint8_t *cell = payload + pqx_index_part_place(shape, leaf, part),
            *sum = cell + (part ? 4 : pqx_index_schema_bytes(shape));
    uint32_t count = shape->row_groups ? pqx_index_groups(shape->row_groups, part) : 0,
             o = shape->offset_bytes, l = shape->length_bytes, crc = 0;
    for (uint32_t i = 0; i < count; i++)
        crc = crc_of(s, crc, pqx_index_number(sum + 4 + i * o, o),
                     pqx_index_number(sum + 4 + count * o + i * l, l));
    pqx_store32(sum, crc);
    if (!part) sign_element(s, cell);
    sign_cell(cell, pqx_index_part_bytes(shape, part));
}

static void sign_row_groups(const signer *s, uint8_t *cell, uint32_t count)
{
    uint32_t o = s->shape.offset_bytes, size = pqx_index_row_group_bytes(&s->shape);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *entry = cell + 4 + i * size;
        uint64_t at[4];
        for (uint32_t j = 0; j < 4; j++) at[j] = pqx_index_number(entry + 4 + j * o, o);
        pqx_store32(entry, crc_of(s, crc_of(s, 0, at[0], at[1] - at[0]), at[2], at[3] - at[2]));
    }
    sign_cell(cell, 4 + (size_t)count * size);
}

static void sign_cells(const signer *s, uint8_t *payload, const pqx_index_areas *areas)
{
    const pqx_index_shape *shape = &s->shape;
    uint32_t parts = pqx_index_parts(shape), o = shape->offset_bytes;
    for (uint32_t leaf = 0; leaf < shape->leaves; leaf++)
        for (uint32_t part = 0; part < (parts ? parts : 1); part++)
            sign_part(s, payload, leaf, part);
    for (uint32_t i = 0; i < shape->nodes; i++) {
        uint8_t *cell = payload + areas->nodes + (size_t)i * pqx_index_node_bytes(shape);
        sign_element(s, cell);
        sign_cell(cell, pqx_index_node_bytes(shape));
    }
    uint8_t *cell = payload + areas->row_groups;
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t count = pqx_index_groups(shape->row_groups, part);
        sign_row_groups(s, cell, count);
        cell += 4 + (size_t)count * pqx_index_row_group_bytes(shape);
    }
    for (uint32_t i = 0; i < shape->key_values; i++, cell += pqx_index_key_value_bytes(shape)) {
        pqx_store32(cell + 4,
                    crc_of(s, 0, pqx_index_number(cell + 8, o), pqx_index_number(cell + 8 + o, o)));
        sign_cell(cell, pqx_index_key_value_bytes(shape));
    }
    for (uint32_t i = 0; i < pqx_index_buckets(shape); i++)
        sign_cell(payload + areas->buckets + PQX_FLAT_PAGE_BYTES * (size_t)i, PQX_FLAT_PAGE_BYTES);
}

static void sign(const uint8_t *footer, size_t footer_size, uint8_t *payload, size_t size)
{
    uint32_t tail_size = pqx_load32(payload + size - 8);
    if (tail_size < PQX_INDEX_TAIL_BYTES + PQX_INDEX_RECORD_BYTES || tail_size > size) return;
    uint8_t *tail = payload + size - tail_size;
    signer s = {footer,
                footer_size,
                {
                    .leaves = pqx_load32(tail),
                    .nodes = pqx_load32(tail + 4),
                    .row_groups = pqx_load32(tail + 8),
                    .key_values = pqx_load32(tail + 12),
                    .names = pqx_load32(tail + 16),
                    .offset_bytes = tail[48],
                    .length_bytes = tail[49],
                    .number_bytes = tail[50],
                }};
    int sane = 1;
    for (int i = 48; i < 51; i++) sane = sane && tail[i] >= 1 && tail[i] <= 4;
    if (sane) {
        pqx_index_areas areas = pqx_index_lay_out(&s.shape, size - tail_size);
        if (areas.tail == size - tail_size) sign_cells(&s, payload, &areas);
    }
    pqx_store32(tail + 44, crc_of(&s, 0, pqx_load32(tail + 36), pqx_load32(tail + 40)));
    pqx_store32(payload + size - 4, pqx_crc32(0, tail, tail_size - 4));
}

/* The payload is after the footer, as if within it, or before it, aside. */
static void read_index(const uint8_t *footer, size_t footer_size, const pqx_buffer *payload)
{
    size_t size = footer_size + payload->size, tail_size = draw((uint32_t)size + 1);
    size_t footer_at = draw(2) ? payload->size : 0, payload_at = footer_at ? 0 : footer_size;
    uint8_t *file = malloc(size + 1);
    if (!file) abort();
    memcpy(file + footer_at, footer, footer_size);
    memcpy(file + payload_at, payload->data, payload->size);
    file = realloc(file, size ? size : 1);
    if (!file) abort();
    uint8_t *tail = exact(file + size - tail_size, tail_size);
    pqx_bytes bytes = {file, size};
    pqx_source source = {read_memory, &bytes, size};
    pqx_index *index;
    if (pqx_index_open(&source, footer_at, footer_size, payload_at, payload->size, tail, tail_size,
                       size, &index, NULL)
        == PQX_OK) {
        if (draw(2)) (void)pqx_index_hold(index, NULL);
        ask_for_everything(index);
        pqx_index_close(index);
    }
    (void)pqx_index_verify(file, size, footer_at, footer_size, payload_at, payload->size, NULL);
    free(tail);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    state = take_steering(input, &size) * 2 + 1;
    uint8_t *footer = exact(input, size);
    pqx_scan scan;
    pqx_buffer payload = {0};
    if (pqx_scan_footer(footer, size, &scan, NULL) == PQX_OK) {
        if (pqx_index_write(footer, size, &scan, &payload, NULL) == PQX_OK) {
            edit(payload.data, payload.size);
            sign(footer, size, payload.data, payload.size);
            read_index(footer, size, &payload);
        }
        pqx_scan_free(&scan);
    }
    pqx_buffer_free(&payload);
    free(footer);
    return 0;
}
