/* Decode the texts of a tile's structs: bounds of texts, and others. */
#include <stdlib.h>

#include "packed/tile.h"
#include "page/zstd.h"

/* Read the lengths of the columns' blocks; ends[i] is where block i begins, and block i - 1 ends.
 */
static int read_ends(pqx_packed_tile *tile, pqx_content *c, uint32_t **ends)
{
    pqx_packed_table table;
    PQX_TRY(pqx_packed_table_read(c, tile->columns, 1, &table));
    uint32_t *made = (uint32_t *)realloc(*ends, (tile->columns + (size_t)1) * sizeof *made);
    if (!made) return pqx_fail(c->error, PQX_NO_MEMORY, 0, (uint64_t)tile->columns * 4, 0);
    *ends = made;
    for (uint32_t i = 0; i < tile->columns; i++) {
        int64_t length;
        pqx_packed_table_column(&table, i, 0, 1, &length);
        made[i] = (uint32_t)c->at;
        if (length < 0 || (uint64_t)length > pqx_content_left(c))
            return pqx_content_fail(c, PQX_BAD_CELL, c->at, pqx_content_left(c), (uint64_t)length);
        c->at += (size_t)length;
    }
    made[tile->columns] = (uint32_t)c->at;
    return PQX_OK;
}

int pqx_packed_tile_read_words(pqx_packed_tile *tile, pqx_content *c)
{
    const pqx_packed_book *book = tile->book;
    uint32_t count = 0;
    size_t at = c->at;
    for (unsigned i = 0; i < book->role_count; i++) count += book->roles[i].area == PQX_ROLE_WORDS;
    if (!count) return PQX_OK;
    PQX_TRY(pqx_content_take(c, count, &tile->aliases));
    for (unsigned i = 0, number = 0; i < book->role_count; i++) {
        if (book->roles[i].area != PQX_ROLE_WORDS) continue;
        if (tile->aliases[number] > (book->roles[i].predictor == PQX_PREDICTOR_SAME))
            return pqx_content_fail(c, PQX_BAD_VALUE, at + number, 0, tile->aliases[number]);
        number++;
    }
    PQX_TRY(read_ends(tile, c, &tile->word_ends));
    tile->words = *c;
    return PQX_OK;
}

int pqx_packed_tile_read_rests(pqx_packed_tile *tile, pqx_content *c)
{
    if (!pqx_has_roles(&tile->book->of_area[PQX_ROLE_WORDS])) return PQX_OK;
    PQX_TRY(read_ends(tile, c, &tile->rest_ends));
    tile->rests = *c;
    return PQX_OK;
}

/* Decode packed symbols, eight of which begin at a byte. */
static void decode_symbols(const uint8_t *packed, unsigned width, const uint8_t symbols[256],
                           uint64_t size, uint8_t *out)
{
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t at = 0;
    for (; at + 8 <= size; at += 8, packed += width) {
        uint64_t word = pqx_load64(packed);
        for (unsigned i = 0; i < 8; i++) out[at + i] = symbols[word >> i * width & mask];
    }
    for (uint64_t bit = 0; at < size; at++, bit += width)
        out[at] = symbols[pqx_packed_bits(packed, bit, width)];
}

/* Return a byte that is none of the `count` symbols, less than 256. */
static uint8_t other_byte(const uint8_t *symbols, unsigned count)
{
    uint64_t has[4] = {0};
    unsigned byte = 0;
    for (unsigned i = 0; i < count; i++) has[symbols[i] >> 6] |= UINT64_C(1) << (symbols[i] & 63);
    while (has[byte >> 6] >> (byte & 63) & 1) byte++;
    return (uint8_t)byte;
}

/* Return the greatest number of a symbol. */
static uint64_t greatest_symbol(const uint8_t *packed, unsigned width, uint64_t size)
{
    uint64_t most = 0;
    for (uint64_t at = 0; at < size; at++) {
        uint64_t symbol = pqx_packed_bits(packed, at * width, width);
        most = symbol > most ? symbol : most;
    }
    return most;
}

static int decode_alphabet(pqx_content *c, uint64_t size, uint8_t *out)
{
    const uint8_t *given, *packed;
    uint8_t symbols[256], count = 0;
    size_t at = c->at;
    unsigned width = 0;
    PQX_TRY(pqx_content_byte(c, &count));
    PQX_TRY(pqx_content_take(c, count, &given));
    while (count > 1 && (count - 1) >> width) width++;
    PQX_TRY(pqx_content_take(c, pqx_packed_bytes(size, width), &packed));
    uint8_t no_symbol = other_byte(given, count);
    memset(symbols, no_symbol, sizeof symbols);
    memcpy(symbols, given, count);
    decode_symbols(packed, width, symbols, size, out);
    if (PQX_UNLIKELY(size && memchr(out, no_symbol, (size_t)size)))
        return pqx_content_fail(c, PQX_BAD_VALUE, at, count, greatest_symbol(packed, width, size));
    return PQX_OK;
}

/* Append `size` bytes from the content's rest to `out`. */
static int decode_text(pqx_packed_tile *tile, pqx_content *c, uint64_t size, pqx_buffer *out)
{
    size_t at = c->at;
    uint8_t form = 0;
    PQX_TRY(pqx_content_byte(c, &form));
    if (form == PQX_WORDS_RAW && pqx_content_left(c) != size)
        return pqx_content_fail(c, PQX_BAD_CELL, c->at, size, pqx_content_left(c));
    if (form > PQX_WORDS_ZSTD) return pqx_content_fail(c, PQX_BAD_VALUE, at, PQX_WORDS_ZSTD, form);
    if (size > tile->limit) return pqx_content_fail(c, PQX_BAD_CELL, at, tile->limit, size);
    PQX_TRY(pqx_buffer_reserve(out, (size_t)size + 1, c->error));
    uint8_t *to = out->data + out->size;
    const uint8_t *from = c->data + c->at;
    if (form == PQX_WORDS_RAW) memcpy(to, from, (size_t)size);
    else if (form == PQX_WORDS_ALPHABET) PQX_TRY(decode_alphabet(c, size, to));
    else if (!pqx_zstd_frame(&tile->zstd, from, pqx_content_left(c), to, (size_t)size))
        return pqx_content_fail(c, PQX_COMPRESSED_TEXT, at, size, pqx_content_left(c));
    out->size += (size_t)size;
    return PQX_OK;
}

/* The texts of a column that are stored, in the order of their roles. */
typedef struct block {
    pqx_packed_tile *tile;
    uint32_t column;
    uint32_t first, rows; /* to be put together */
    uint64_t count;
    int64_t *lengths;   /* without the common prefix */
    uint64_t hot, cold; /* bytes in the block, and in that of the rests */
    const uint8_t *prefix;
    uint64_t prefix_size;
} block;

static int is_stored(const pqx_packed_tile *tile, unsigned role, unsigned number)
{ return tile->book->roles[role].area == PQX_ROLE_WORDS && !tile->aliases[number]; }

static int has_text(const pqx_packed_tile *tile, uint32_t column, uint32_t row, unsigned role)
{
    return pqx_has_role(&tile->book->templates[pqx_packed_template_of(tile, column, row)].roles,
                        role);
}

static uint64_t count_texts(const pqx_packed_tile *tile, uint32_t column)
{
    uint64_t count = 0;
    for (unsigned role = 0, number = 0; role < tile->book->role_count; role++) {
        int is_one = is_stored(tile, role, number);
        number += tile->book->roles[role].area == PQX_ROLE_WORDS;
        if (is_one && tile->templates_form != PQX_TEMPLATES_BY_STRUCT)
            count += has_text(tile, column, 0, role) ? tile->rows : 0;
        else
            for (uint32_t row = 0; is_one && row < tile->rows; row++)
                count += (uint64_t)has_text(tile, column, row, role);
    }
    return count;
}

/* Read the block's head: the prefix and the lengths. */
static int read_head(block *b, pqx_content *c)
{
    pqx_packed_table table;
    PQX_TRY(pqx_content_varint(c, &b->prefix_size));
    PQX_TRY(pqx_content_take(c, b->prefix_size, &b->prefix));
    size_t at = c->at;
    PQX_TRY(pqx_packed_table_read(c, 1, (uint32_t)b->count, &table));
    pqx_packed_table_column(&table, 0, 0, (uint32_t)b->count, b->lengths);
    int64_t least = 0;
    b->hot = b->cold = 0;
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t length = (uint64_t)b->lengths[i];
        if (b->lengths[i] < least) least = b->lengths[i];
        if (length > b->tile->limit) length = b->tile->limit + 1;
        b->hot += length > PQX_WORDS_LONG ? PQX_WORDS_HOT : length;
        b->cold += length > PQX_WORDS_LONG ? length - PQX_WORDS_HOT : 0;
    }
    return least < 0 ? pqx_content_fail(c, PQX_BAD_VALUE, at, 0, (uint64_t)least) : PQX_OK;
}

/* Return the last role whose texts are stored; the block has some. */
static unsigned last_stored(const pqx_packed_tile *tile)
{
    unsigned last = 0;
    for (unsigned role = 0, number = 0; role < tile->book->role_count; role++) {
        if (tile->book->roles[role].area != PQX_ROLE_WORDS) continue;
        if (!tile->aliases[number++]) last = role;
    }
    return last;
}

/* The position of the next text in a block: its two parts, and the output for the joined text. */
typedef struct joining {
    const int64_t *length;
    const uint8_t *hot, *cold;
    uint8_t *to;
} joining;

/* Move over a text; if `text` is not NULL, put its parts together. */
static void join_text(const block *b, joining *next, pqx_bytes *text)
{
    size_t size = (size_t)*next->length++, here = size > PQX_WORDS_LONG ? PQX_WORDS_HOT : size;
    if (text) {
        *text = (pqx_bytes){next->to, (size_t)b->prefix_size + size};
        memcpy(next->to, b->prefix, (size_t)b->prefix_size);
        memcpy(next->to + b->prefix_size, next->hot, here);
        memcpy(next->to + b->prefix_size + here, next->cold, size - here);
        next->to += text->size;
    }
    next->hot += here;
    next->cold += size - here;
}

/* Put the texts of the block's rows together, in tile->text, and fill the texts. */
static int join(block *b, const uint8_t *parts, pqx_error *error)
{
    pqx_packed_tile *tile = b->tile;
    size_t at = tile->word_ends[b->column];
    tile->words.error = error;
    uint64_t all = b->hot + b->cold + b->count * b->prefix_size;
    if (all > tile->limit)
        return pqx_content_fail(&tile->words, PQX_BAD_CELL, at, tile->limit, all);
    tile->text.size = 0;
    PQX_TRY(pqx_buffer_reserve(&tile->text, (size_t)all + 1, error));
    joining next = {b->lengths, parts, parts + b->hot, tile->text.data};
    pqx_bytes *texts = (pqx_bytes *)(void *)tile->texts.data;
    const unsigned last = last_stored(tile);
    for (unsigned role = 0, number = 0; role <= last; role++) {
        int is_one = is_stored(tile, role, number);
        number += tile->book->roles[role].area == PQX_ROLE_WORDS;
        uint32_t end = role < last ? tile->rows : b->first + b->rows; /* the others are not used */
        for (uint32_t row = 0; is_one && row < end; row++)
            if (has_text(tile, b->column, row, role))
                join_text(b, &next,
                          row - b->first < b->rows ? &texts[(size_t)role * tile->rows + row]
                                                   : NULL);
    }
    return PQX_OK;
}

static int read_block(block *b, pqx_buffer *parts, pqx_error *error)
{
    pqx_packed_tile *tile = b->tile;
    pqx_content c = tile->words;
    c.error = error;
    c.at = tile->word_ends[b->column];
    c.size = tile->word_ends[b->column + 1];
    PQX_TRY(read_head(b, &c));
    PQX_TRY(decode_text(tile, &c, b->hot, parts));
    if (b->cold) {
        PQX_TRY(pqx_packed_tile_need(tile, PQX_PART_RESTS, error));
        c = tile->rests;
        c.error = error;
        c.at = tile->rest_ends[b->column];
        c.size = tile->rest_ends[b->column + 1];
        PQX_TRY(decode_text(tile, &c, b->cold, parts));
    }
    return join(b, parts->data, error);
}

/* Set the texts of roles that repeat the texts of another role; empty if the struct lacks that
 * role. */
static void fill_aliases(const block *b)
{
    pqx_packed_tile *tile = b->tile;
    pqx_bytes *texts = (pqx_bytes *)(void *)tile->texts.data;
    for (unsigned role = 0, number = 0; role < tile->book->role_count; role++) {
        unsigned first = tile->book->roles[role].first;
        if (tile->book->roles[role].area != PQX_ROLE_WORDS) continue;
        if (!tile->aliases[number++]) continue;
        for (uint32_t row = b->first; row < b->first + b->rows; row++)
            texts[(size_t)role * tile->rows + row] = has_text(tile, b->column, row, first)
                                                         ? texts[(size_t)first * tile->rows + row]
                                                         : (pqx_bytes){0};
    }
}

/* Return 1 if the texts of some rows of a column have been decoded. Otherwise extend the rows to
 * all of the column if others of them have been, because further ones may be requested. */
static int are_decoded(const pqx_packed_tile *tile, uint32_t column, uint32_t *first,
                       uint32_t *rows)
{
    if (tile->texts_of != column) return 0;
    if (*first >= tile->texts_first && *rows <= tile->texts_rows
        && *first - tile->texts_first <= tile->texts_rows - *rows)
        return 1;
    *first = 0;
    *rows = tile->rows;
    return 0;
}

int pqx_packed_tile_texts(pqx_packed_tile *tile, uint32_t column, uint32_t first, uint32_t rows,
                          pqx_error *error)
{
    size_t size = (size_t)tile->book->role_count * tile->rows * sizeof(pqx_bytes);
    pqx_buffer parts = {0};
    if (are_decoded(tile, column, &first, &rows)) return PQX_OK;
    tile->texts_of = UINT32_MAX;
    block b = {.tile = tile,
               .column = column,
               .first = first,
               .rows = rows,
               .count = count_texts(tile, column)};
    tile->texts.size = 0;
    PQX_TRY(pqx_buffer_reserve(&tile->texts, size + 1, error));
    if (b.count) {
        b.lengths = (int64_t *)malloc((size_t)b.count * sizeof *b.lengths);
        if (!b.lengths) return pqx_fail(error, PQX_NO_MEMORY, 0, b.count * 8, 0);
        int status = pqx_buffer_reserve(&parts, 1, error);
        if (status == PQX_OK) status = read_block(&b, &parts, error);
        pqx_buffer_free(&parts);
        free(b.lengths);
        if (status != PQX_OK) return status;
    }
    fill_aliases(&b);
    tile->texts_of = column;
    tile->texts_first = first;
    tile->texts_rows = rows;
    return PQX_OK;
}
