/* Read the chunks of many leaves, planned by a scan, with few requests. */
#include <stdlib.h>

#include "arrow/arrow_arrays.h"
#include "page/codec.h"

enum {
    BELIEVED = 1 << 24,    /* accepted total, regardless of the stored size */
    MOST_STORED = 1 << 25, /* of a leaf */
    NEAR = 1 << 12         /* the largest gap between two chunks that are read together */
};

/* The encodings that every reader decodes in the same way. */
static const uint32_t known_encodings =
    1u << PQX_ENCODING_PLAIN | 1u << PQX_ENCODING_PLAIN_DICTIONARY | 1u << PQX_ENCODING_RLE
    | 1u << PQX_ENCODING_RLE_DICTIONARY | 1u << PQX_ENCODING_DELTA_BINARY_PACKED
    | 1u << PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY | 1u << PQX_ENCODING_DELTA_BYTE_ARRAY
    | 1u << PQX_ENCODING_BYTE_STREAM_SPLIT;

static const pqx_chunk *chunk_of(const pqx_scan *scan, uint32_t row_group, uint32_t leaf)
{ return scan->chunks + (size_t)row_group * scan->leaf_count + leaf; }

static int64_t begin_of(const pqx_chunk *chunk)
{ return pqx_chunk_begin(chunk->data_page_offset, chunk->dictionary_page_offset); }

static int fits(const pqx_arrow_leaf *leaf, const pqx_chunk *chunk, int64_t rows,
                uint64_t file_size)
{
    /* BIT_PACKED levels have another bit order in some readers; writers also list the encoding if
     * there are no levels. */
    uint32_t known = known_encodings | (leaf->max_definition ? 0 : 1u << PQX_ENCODING_BIT_PACKED);
    if (chunk->present & (PQX_PRESENT_CRYPTO | PQX_PRESENT_FILE_PATH)) return 0;
    if (chunk->type != leaf->type || chunk->encodings & ~known || chunk->num_values != rows)
        return 0;
    if (!pqx_codec_is_known(chunk->codec)) return 0;
    return !rows || pqx_stored_has_place(chunk, file_size);
}

/* Return the size of a leaf's chunks; 0 if one of them is not valid. */
static uint64_t size_of(const pqx_scan *scan, const pqx_arrow_leaf *leaf, uint32_t number,
                        uint64_t file_size)
{
    uint64_t size = 0;
    for (uint32_t group = 0; group < scan->row_group_count; group++) {
        const pqx_chunk *chunk = chunk_of(scan, group, number);
        int64_t rows = scan->row_groups[group].num_rows;
        if (!fits(leaf, chunk, rows, file_size)) return 0;
        if (rows) size += (uint64_t)chunk->total_compressed_size;
        if (size > MOST_STORED) return 0;
    }
    return size;
}

/* Return the number of rows; 0 if an array cannot represent it. */
static uint64_t count_rows(const pqx_scan *scan)
{
    uint64_t rows = 0;
    for (uint32_t group = 0; group < scan->row_group_count; group++) {
        int64_t some = scan->row_groups[group].num_rows;
        if (some < 0 || some >= INT32_MAX - (int64_t)rows) return 0;
        rows += (uint64_t)some;
    }
    return rows;
}

static pqx_arrow_leaf leaf_of(const pqx_element *element)
{
    int is_flat = !element->parent && !element->max_repetition;
    int is_wide = element->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY
                  && element->type_length > PQX_ARROW_DECIMAL_BYTES;
    return (pqx_arrow_leaf){.type = element->type,
                            .type_length = element->type_length,
                            .max_definition = element->max_definition,
                            .form = is_flat && !is_wide ? (uint8_t)PQX_ARROW_AS_IS
                                                        : (uint8_t)PQX_ARROW_NONE};
}

uint32_t pqx_arrow_plan(const pqx_scan *scan, uint64_t file_size, pqx_arrow_leaf *leaves,
                        uint64_t *sizes)
{
    uint64_t rows = count_rows(scan), stored = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scan->leaf_count; i++) {
        leaves[i] = leaf_of(scan->elements + scan->leaves[i]);
        if (!rows || !scan->regular) leaves[i].form = PQX_ARROW_NONE;
        sizes[i] = leaves[i].form ? size_of(scan, leaves + i, i, file_size) : 0;
        if (!sizes[i]) leaves[i].form = PQX_ARROW_NONE;
        count += leaves[i].form != PQX_ARROW_NONE;
        stored += sizes[i];
    }
    if (!count) return 0;
    uint64_t most_rows =
        (PQX_ARROW_MOST_OF_BYTE * stored + BELIEVED) / PQX_ARROW_DECIMAL_BYTES / count;
    if (stored <= file_size && rows <= most_rows) return count;
    for (uint32_t i = 0; i < scan->leaf_count; i++) leaves[i].form = PQX_ARROW_NONE;
    return 0;
}

void pqx_arrow_choose(const pqx_scan *scan, const struct ArrowSchema *schema,
                      pqx_arrow_leaf *leaves)
{
    int64_t fields = 0; /* before the element */
    uint32_t element = 1;
    for (uint32_t i = 0; i < scan->leaf_count; i++) {
        for (; element < scan->leaves[i]; element++) fields += !scan->elements[element].parent;
        int is_there = leaves[i].form && fields < schema->n_children;
        leaves[i].form =
            is_there ? pqx_arrow_form_of(leaves + i, schema->children[fields]) : PQX_ARROW_NONE;
    }
}

/* A chunk's position in the file, and in the buffer. */
typedef struct place {
    uint64_t begin, size, at;
} place;

/* Assign buffer positions to chunks, including the gaps between near ones. Return the buffer's
 * size. */
static uint64_t lay_out(place *places, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        place *chunk = places + i;
        uint64_t end = i ? chunk[-1].begin + chunk[-1].size : 0;
        int is_near = i && chunk->begin >= end && chunk->begin - end <= NEAR;
        chunk->at = total + (is_near ? chunk->begin - end : 0);
        total = chunk->at + chunk->size;
    }
    return total;
}

/* Read the planned ranges, one read per range. */
static int load(const pqx_source *source, const place *places, size_t count, uint8_t *buffer)
{
    for (size_t i = 0, next; i < count; i = next) {
        const place *from = places + i, *last = from;
        for (next = i + 1; next < count; next++, last++)
            if (places[next].begin - from->begin != places[next].at - from->at) break;
        size_t size = (size_t)(last->at - from->at + last->size);
        if (size && source->read(source->context, from->begin, size, buffer + from->at)) return 0;
    }
    return 1;
}

void pqx_arrow_loaded_free(pqx_arrow_loaded *loaded)
{
    free(loaded->leaves);
    free(loaded->chunks);
    pqx_release(loaded->stored.data);
    *loaded = (pqx_arrow_loaded){0};
}

/* Find the places of the leaves' chunks, one row group after another. */
static void find_places(const pqx_scan *scan, const pqx_arrow_loaded *loaded, place *places)
{
    for (uint32_t group = 0; group < scan->row_group_count; group++) {
        int is_empty = !scan->row_groups[group].num_rows;
        for (size_t i = 0; i < loaded->count; i++) {
            const pqx_chunk *chunk = chunk_of(scan, group, loaded->leaves[i]);
            *places++ = is_empty ? (place){0}
                                 : (place){.begin = (uint64_t)begin_of(chunk),
                                           .size = (uint64_t)chunk->total_compressed_size};
        }
    }
}

static void set_chunks(const pqx_scan *scan, const place *places, pqx_arrow_loaded *loaded)
{
    pqx_arrow_chunk *to = loaded->chunks;
    for (size_t i = 0; i < loaded->count; i++)
        for (uint32_t group = 0; group < scan->row_group_count; group++) {
            const place *from = places + group * loaded->count + i;
            *to++ = (pqx_arrow_chunk){
                .data = loaded->stored.data + from->at,
                .size = (size_t)from->size,
                .rows = (uint64_t)scan->row_groups[group].num_rows,
                .codec = chunk_of(scan, group, loaded->leaves[i])->codec,
            };
        }
}

int pqx_arrow_load(const pqx_source *source, const pqx_scan *scan, const pqx_arrow_leaf *leaves,
                   uint32_t first, uint32_t end, pqx_arrow_loaded *loaded)
{
    size_t most = end - first, groups = scan->row_group_count;
    *loaded = (pqx_arrow_loaded){0};
    loaded->leaves = (uint32_t *)malloc((most + 1) * sizeof *loaded->leaves);
    if (!loaded->leaves) return 0;
    for (uint32_t leaf = first; leaf < end; leaf++)
        if (leaves[leaf].form) loaded->leaves[loaded->count++] = leaf;
    size_t count = loaded->count * groups;
    loaded->chunks = (pqx_arrow_chunk *)malloc((count + 1) * sizeof *loaded->chunks);
    place *places = (place *)malloc((count + 1) * sizeof *places);
    int is_done = loaded->chunks && places;
    if (is_done) {
        find_places(scan, loaded, places);
        uint64_t size = lay_out(places, count);
        is_done = pqx_grow(&loaded->stored, 0, (size_t)size + 1)
                  && load(source, places, count, loaded->stored.data);
    }
    if (is_done) set_chunks(scan, places, loaded);
    free(places);
    return is_done;
}

uint64_t pqx_arrow_read(const pqx_source *source, const pqx_scan *scan,
                        const pqx_arrow_leaf *leaves, uint32_t first, uint32_t end,
                        uint64_t most_bytes, struct ArrowArray *arrays)
{
    pqx_arrow_loaded loaded;
    pqx_unpacked room = {0};
    uint64_t all = 0, bytes;
    if (!pqx_arrow_load(source, scan, leaves, first, end, &loaded)) loaded.count = 0;
    for (size_t i = 0; i < loaded.count; i++) {
        uint32_t leaf = loaded.leaves[i];
        if (pqx_arrow_array(leaves + leaf, loaded.chunks + i * scan->row_group_count,
                            scan->row_group_count, most_bytes - all, &room, arrays + leaf, &bytes))
            all += bytes;
    }
    pqx_arrow_loaded_free(&loaded);
    pqx_unpacked_free(&room);
    return all;
}
