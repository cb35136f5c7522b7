/* Read a leaf's chunks: convert the tables of its cells to records. */
#include "flat/flat_head.h"
#include "flat/flat_slice.h"

/* The values that the cells of a leaf contain for it, and the destination of its bounds. */
typedef struct pqx_leaf {
    uint8_t type;
    pqx_buffer *arena;
    uint64_t spare; /* bytes that long bounds of this cell may still use */
} pqx_leaf;

static int64_t get64(const pqx_view *view, uint32_t slot)
{
    const uint8_t *field = pqx_flat_find(view, slot);
    return field ? (int64_t)pqx_load64(field) : -1;
}

static uint64_t word(const pqx_view *view, uint32_t slot, size_t bytes)
{
    const uint8_t *field = pqx_flat_find(view, slot);
    uint64_t value = 0;
    if (field) memcpy(&value, field, bytes);
    return value;
}

/* Append `size` bytes by copying `room`, at least as many: copying a constant number is much
 * faster. */
static inline int add_bytes(const pqx_leaf *leaf, const void *bytes, size_t size, size_t room,
                            pqx_range *range, pqx_error *error)
{
    pqx_buffer *arena = leaf->arena;
    range->offset = (uint32_t)arena->size;
    range->length = (uint32_t)size;
    if (PQX_UNLIKELY(arena->size > UINT32_MAX - size))
        return pqx_fail(error, PQX_TOO_LARGE, 0, UINT32_MAX, arena->size + size);
    if (PQX_UNLIKELY(room > arena->capacity - arena->size))
        PQX_TRY(pqx_buffer_reserve(arena, room, error));
    if (room) memcpy(arena->data + arena->size, bytes, room);
    arena->size += size;
    return PQX_OK;
}

/* Append a bound that is stored whole in our extra slot. Vectors that many chunks share must not
 * multiply memory. */
static int add_whole(pqx_flat *flat, pqx_leaf *leaf, const pqx_view *view, uint32_t vector,
                     pqx_range *range, pqx_error *error)
{
    pqx_bytes bytes;
    PQX_TRY(pqx_flat_blob_at(flat, view->cell, vector, &bytes, error));
    if (bytes.size > leaf->spare)
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)view->cell->place + vector,
                             view->cell->size, view->cell->size - leaf->spare + bytes.size);
    leaf->spare -= bytes.size;
    return add_bytes(leaf, bytes.data, bytes.size, bytes.size, range, error);
}

/* Unpack the bytes of a bound in the base slots, which begin at `first`; its length is in slot
 * first + 3. */
static void unpack(const pqx_view *view, uint32_t first, uint8_t type, uint8_t out[16])
{
    uint64_t lo4 = word(view, first, 4), lo8 = word(view, first + 1, 8),
             hi8 = word(view, first + 2, 8);
    switch (type) {
    case PQX_PHYSICAL_BOOLEAN:
    case PQX_PHYSICAL_INT32:
    case PQX_PHYSICAL_FLOAT: memcpy(out, &lo4, 4); break;
    case PQX_PHYSICAL_INT64:
    case PQX_PHYSICAL_DOUBLE: memcpy(out, &lo8, 8); break;
    case PQX_PHYSICAL_INT96:
        memcpy(out, &lo4, 4);
        memcpy(out + 4, &lo8, 8);
        break;
    default:
        for (int i = 0; i < 8; i++) {
            out[i] = (uint8_t)(hi8 >> (56 - 8 * i));
            out[8 + i] = (uint8_t)(lo8 >> (56 - 8 * i));
        }
    }
}

/* Read the bound in slots `first` and on, or in slot `own`; `bits` are its bits for present,
 * exactness set, and exact. */
static int read_bound(pqx_flat *flat, pqx_leaf *leaf, const pqx_view *view, uint32_t first,
                      uint32_t own, int exactness, const uint32_t bits[3], pqx_range *range,
                      uint32_t *present, pqx_error *error)
{
    static const uint8_t lengths[] = PQX_WIDTHS_OF_TYPE;
    uint8_t type = leaf->type, bytes[16] = {0};
    uint32_t vector = 0;
    if (type > PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY) return PQX_OK;
    if (type > PQX_PHYSICAL_DOUBLE) PQX_TRY(pqx_flat_follow(flat, view, own, &vector, error));
    if (vector) {
        PQX_TRY(add_whole(flat, leaf, view, vector, range, error));
    } else {
        const uint8_t *field = pqx_flat_find(view, first + 3);
        if (!field) return PQX_OK;
        int length = (int8_t)*field < 0 ? -(int8_t)*field : (int8_t)*field,
            limit = type > PQX_PHYSICAL_DOUBLE ? 16 : lengths[type];
        if (type > PQX_PHYSICAL_DOUBLE ? length > limit : length != limit)
            return pqx_flat_fail(flat, error, PQX_BAD_VALUE,
                                 (uint64_t)view->cell->place + (uint64_t)(field - view->cell->data),
                                 (uint64_t)limit, (uint64_t)length);
        unpack(view, first, type, bytes);
        PQX_TRY(add_bytes(leaf, bytes, (size_t)length, sizeof bytes, range, error));
    }
    *present |= bits[0] | (exactness ? bits[1] : 0) | (exactness & 2 ? bits[2] : 0);
    return PQX_OK;
}

static int read_statistics(pqx_flat *flat, pqx_leaf *leaf, const pqx_view *metadata,
                           pqx_chunk *chunk, pqx_error *error)
{
    static const uint32_t min_bits[3] = {PQX_PRESENT_MIN_VALUE, PQX_PRESENT_MIN_EXACT_SET,
                                         PQX_PRESENT_MIN_EXACT};
    static const uint32_t max_bits[3] = {PQX_PRESENT_MAX_VALUE, PQX_PRESENT_MAX_EXACT_SET,
                                         PQX_PRESENT_MAX_EXACT};
    pqx_view view;
    int there;
    PQX_TRY(pqx_flat_child(flat, metadata, 8, PQX_FLAT_STATISTICS, &view, &there, error));
    if (!there) return PQX_OK;
    chunk->present |= PQX_PRESENT_STATISTICS;
    if (pqx_flat_find(&view, 0)) chunk->present |= PQX_PRESENT_NULL_COUNT;
    if (pqx_flat_find(&view, 1)) chunk->present |= PQX_PRESENT_DISTINCT_COUNT;
    chunk->null_count = get64(&view, 0);
    chunk->distinct_count = get64(&view, 1);
    int exactness = (int)word(&view, 26, 1);
    PQX_TRY(read_bound(flat, leaf, &view, 2, 27, exactness & 3, min_bits, &chunk->min_value,
                       &chunk->present, error));
    return read_bound(flat, leaf, &view, 6, 28, exactness >> 2 & 3, max_bits, &chunk->max_value,
                      &chunk->present, error);
}

static int read_bloom_filter(pqx_flat *flat, const pqx_view *metadata, pqx_chunk *chunk,
                             pqx_places *places, pqx_error *error)
{
    pqx_view view;
    int there;
    PQX_TRY(pqx_flat_child(flat, metadata, 10, PQX_FLAT_BLOOM_FILTER_INFO, &view, &there, error));
    if (!there) return PQX_OK;
    if (pqx_flat_find(&view, 0)) chunk->present |= PQX_PRESENT_BLOOM_FILTER_OFFSET;
    if (pqx_flat_find(&view, 1)) chunk->present |= PQX_PRESENT_BLOOM_FILTER_LENGTH;
    places->bloom_filter_offset = get64(&view, 0);
    places->bloom_filter_length = pqx_flat_find(&view, 1) ? (int32_t)word(&view, 1, 4) : -1;
    return PQX_OK;
}

static int read_metadata(pqx_flat *flat, pqx_leaf *leaf, uint32_t row_group, const pqx_view *view,
                         pqx_chunk *chunk, pqx_places *places, pqx_error *error)
{
    static const struct {
        uint8_t slot;
        uint32_t bit;
    } bits[] = {
        {0, PQX_PRESENT_CODEC},
        {2, PQX_PRESENT_TOTAL_UNCOMPRESSED_SIZE},
        {3, PQX_PRESENT_TOTAL_COMPRESSED_SIZE},
        {4, PQX_PRESENT_KEY_VALUES},
        {5, PQX_PRESENT_DATA_PAGE_OFFSET},
        {6, PQX_PRESENT_INDEX_PAGE_OFFSET},
        {7, PQX_PRESENT_DICTIONARY_PAGE_OFFSET},
    };
    const uint8_t *codec = pqx_flat_find(view, 0);
    chunk->present |=
        PQX_PRESENT_METADATA | PQX_PRESENT_NUM_VALUES | (leaf->type <= 7 ? PQX_PRESENT_TYPE : 0);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        chunk->present |= pqx_flat_find(view, bits[i].slot) ? bits[i].bit : 0;
    if (word(view, 9, 1)) chunk->present |= PQX_PRESENT_FULLY_DICTIONARY_ENCODED;
    chunk->type = leaf->type <= 7 ? leaf->type : -1;
    chunk->codec = codec ? (int8_t)*codec : -1;
    chunk->total_uncompressed_size = get64(view, 2);
    chunk->total_compressed_size = get64(view, 3);
    chunk->data_page_offset = get64(view, 5);
    places->index_page_offset = get64(view, 6);
    chunk->dictionary_page_offset = get64(view, 7);
    chunk->encodings = (uint32_t)(word(view, 27, 2) | word(view, 28, 2) << 16);
    chunk->num_values = get64(view, 1);
    if (!pqx_flat_find(view, 1))
        PQX_TRY(pqx_flat_num_rows(flat, row_group, &chunk->num_values, error));
    PQX_TRY(read_statistics(flat, leaf, view, chunk, error));
    return read_bloom_filter(flat, view, chunk, places, error);
}

static void read_own(const pqx_view *view, pqx_chunk *chunk, pqx_places *places)
{
    if (pqx_flat_find(view, 0)) chunk->present |= PQX_PRESENT_COLUMN_INDEX;
    if (pqx_flat_find(view, 1)) chunk->present |= PQX_PRESENT_OFFSET_INDEX;
    if (pqx_flat_find(view, 4)) chunk->present |= PQX_PRESENT_FILE_PATH;
    places->column_index_offset = get64(view, 0);
    places->offset_index_offset = get64(view, 1);
    places->column_index_length = pqx_flat_find(view, 2) ? (int32_t)word(view, 2, 4) : -1;
    places->offset_index_length = pqx_flat_find(view, 3) ? (int32_t)word(view, 3, 4) : -1;
}

static int read_chunk(pqx_flat *flat, pqx_leaf *leaf, uint32_t row_group, const pqx_cell *cell,
                      uint32_t at, pqx_chunk *chunk, pqx_places *places, pqx_error *error)
{
    pqx_view view, metadata, own;
    int there;
    *chunk =
        (pqx_chunk){-1, -1, -1, -1, -1, -1, -1, {0}, {0}, {0}, {0}, {0}, {0}, {0}, -1, -1, 0, 0};
    *places = (pqx_places){-1, -1, -1, -1, -1, -1, -1, 0};
    PQX_TRY(pqx_flat_view(flat, cell, at, PQX_FLAT_COLUMN_CHUNK, &view, error));
    PQX_TRY(pqx_flat_child(flat, &view, 0, PQX_FLAT_COLUMN_METADATA, &metadata, &there, error));
    if (there) PQX_TRY(read_metadata(flat, leaf, row_group, &metadata, chunk, places, error));
    if (PQX_UNLIKELY(pqx_flat_find(&view, 1) || pqx_flat_find(&view, 3)))
        chunk->present |= PQX_PRESENT_CRYPTO;
    PQX_TRY(pqx_flat_child(flat, &view, 19, PQX_FLAT_OWN_CHUNK, &own, &there, error));
    if (there) read_own(&own, chunk, places);
    return PQX_OK;
}

int pqx_flat_load_part(pqx_flat *flat, const pqx_head *head, uint32_t row_group,
                       const pqx_cell **cell, const uint32_t **chunks, pqx_error *error)
{
    uint32_t part = row_group / PQX_FLAT_PART_ROW_GROUPS,
             left = flat->facts.row_group_count - part * PQX_FLAT_PART_ROW_GROUPS;
    *cell = head->cell;
    *chunks = flat->chunks;
    if (part == 0) return PQX_OK;
    uint32_t place = pqx_load32(head->cell->data + PQX_FLAT_TABLES_AT + 4 * (part - 1));
    *cell = &flat->part;
    *chunks = flat->part_chunks;
    PQX_TRY(pqx_flat_load(flat, &flat->part, place, 4096, PQX_KIND_COLUMN, part, head->id, error));
    if (flat->part_list == place) return PQX_OK;
    PQX_TRY(pqx_flat_check_part(flat, &flat->part, part, error));
    PQX_TRY(pqx_flat_read_list(flat, &flat->part,
                               left < PQX_FLAT_PART_ROW_GROUPS ? left : PQX_FLAT_PART_ROW_GROUPS,
                               &flat->part_end, error));
    flat->part_list = place;
    return PQX_OK;
}

int pqx_flat_read_chunks(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count,
                         pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena, pqx_error *error)
{
    const pqx_head *head;
    const pqx_cell *cell = NULL;
    const uint32_t *at = NULL;
    pqx_places ignored;
    PQX_TRY(pqx_flat_load_id(flat, leaf, &head, error));
    pqx_leaf about = {head->type, arena, 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = first + i, entry = group % PQX_FLAT_PART_ROW_GROUPS;
        if (i == 0 || entry == 0) {
            PQX_TRY(pqx_flat_load_part(flat, head, group, &cell, &at, error));
            about.spare = cell->size;
        }
        PQX_TRY(read_chunk(flat, &about, group, cell, at[entry], &chunks[i],
                           places ? &places[i] : &ignored, error));
    }
    return PQX_OK;
}

int pqx_flat_get_chunks(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count,
                        pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena, pqx_error *error)
{
    if (leaf >= flat->facts.leaf_count)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, flat->facts.leaf_count, leaf);
    PQX_TRY(pqx_check_part(first, count, flat->facts.row_group_count, error));
    pqx_flat_begin(flat);
    return pqx_flat_read_chunks(flat, leaf, first, count, chunks, places, arena, error);
}
