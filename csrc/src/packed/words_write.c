/* Write the texts of a tile: one block for each column, and one for the rests of its long texts. */
#include "packed/tile_write.h"

enum { MOST_SYMBOLS = 128, LEAST_COMPRESSED = 64 };

static pqx_bytes text_of(const pqx_tile_writer *w, unsigned role, size_t at)
{
    uint64_t range = (uint64_t)pqx_tile_values(w, role)[at];
    uint32_t begin = (uint32_t)(range >> 32), end = (uint32_t)range;
    return (pqx_bytes){w->structs->data + begin, end - begin};
}

/* Return 1 if each value of a role is that of the role from which it is predicted. */
static int is_alias(const pqx_tile_writer *w, unsigned role)
{
    const pqx_packed_role *r = &w->structs->roles[role];
    if (r->predictor != PQX_PREDICTOR_SAME) return 0;
    for (uint32_t column = 0; column < w->place.columns; column++) {
        for (uint32_t row = 0; row < w->place.rows; row++) {
            size_t at = (size_t)column * w->place.rows + row;
            if (!pqx_tile_has(w, column, row, role)) continue;
            if (!pqx_tile_has(w, column, row, r->first)) return 0;
            pqx_bytes one = text_of(w, role, at), other = text_of(w, r->first, at);
            if (one.size != other.size || memcmp(one.data, other.data, one.size)) return 0;
        }
    }
    return 1;
}

/* Collect the texts of a column that are stored: pqx_bytes, role by role. */
static int collect(pqx_tile_writer *w, uint32_t column, const uint8_t *aliases)
{
    w->texts.size = 0;
    for (unsigned role = 0; role < w->structs->role_count; role++) {
        if (w->structs->roles[role].area != PQX_ROLE_WORDS || aliases[role]) continue;
        for (uint32_t row = 0; row < w->place.rows; row++) {
            if (!pqx_tile_has(w, column, row, role)) continue;
            pqx_bytes text = text_of(w, role, (size_t)column * w->place.rows + row);
            PQX_TRY(pqx_buffer_append(&w->texts, &text, sizeof text, w->error));
        }
    }
    return PQX_OK;
}

static size_t common_prefix(const pqx_bytes *texts, size_t count)
{
    size_t common = texts[0].size;
    for (size_t i = 1; i < count; i++) {
        size_t at = 0;
        while (at < common && at < texts[i].size && texts[i].data[at] == texts[0].data[at]) at++;
        common = at;
    }
    return common;
}

/* Append the bytes as symbols of the alphabet `places`, of `width` bits each. */
static int put_symbols(pqx_buffer *out, pqx_bytes data, const uint8_t *places, unsigned width,
                       pqx_error *error)
{
    size_t size = (size_t)pqx_packed_bytes(data.size, width);
    PQX_TRY(pqx_buffer_reserve(out, size + 8, error));
    uint8_t *to = out->data + out->size;
    uint64_t kept = 0;
    unsigned held = 0;
    for (size_t i = 0; width && i < data.size; i++) {
        kept |= (uint64_t)places[data.data[i]] << held;
        for (held += width; held >= 8; held -= 8, kept >>= 8) *to++ = (uint8_t)kept;
    }
    if (held) *to = (uint8_t)kept;
    out->size += size;
    return PQX_OK;
}

/* Append the alphabet's form if it is shorter than `most` bytes. */
static int put_alphabet(pqx_buffer *out, pqx_bytes data, size_t most, pqx_error *error)
{
    uint8_t places[256] = {0}, symbols[256];
    unsigned count = 0, width = 0;
    for (size_t i = 0; i < data.size; i++) places[data.data[i]] = 1;
    for (unsigned i = 0; i < 256; i++) {
        if (!places[i]) continue;
        symbols[count] = (uint8_t)i;
        places[i] = (uint8_t)count++;
    }
    while (count > 1 && (count - 1) >> width) width++;
    if (count > MOST_SYMBOLS || 2 + count + pqx_packed_bytes(data.size, width) >= most)
        return PQX_OK;
    PQX_TRY(pqx_buffer_append_byte(out, PQX_WORDS_ALPHABET, error));
    PQX_TRY(pqx_buffer_append_byte(out, count, error));
    PQX_TRY(pqx_buffer_append(out, symbols, count, error));
    return put_symbols(out, data, places, width, error);
}

/* Append the shortest form of some bytes; of equally short forms, the first one. */
static int put_text(pqx_buffer *out, pqx_bytes data, const pqx_packed_compress *compress,
                    pqx_error *error)
{
    size_t first = out->size, most = data.size + 1;
    PQX_TRY(put_alphabet(out, data, most, error));
    if (out->size > first) most = out->size - first;
    if (compress && data.size >= LEAST_COMPRESSED) {
        size_t last = out->size;
        PQX_TRY(pqx_buffer_append_byte(out, PQX_WORDS_ZSTD, error));
        PQX_TRY(compress->run(compress->context, data, out, error));
        size_t size = out->size - last;
        if (size < most) {
            memmove(out->data + first, out->data + last, size);
            out->size = first + size;
            return PQX_OK;
        }
        out->size = last;
    }
    if (out->size > first) return PQX_OK;
    PQX_TRY(pqx_buffer_append_byte(out, PQX_WORDS_RAW, error));
    return pqx_buffer_append(out, data.data, data.size, error);
}

/* Append the hot parts of the texts after their prefix, or the cold ones, to `chosen`. */
static int choose(pqx_tile_writer *w, size_t prefix, int is_hot)
{
    const pqx_bytes *text = (const pqx_bytes *)(const void *)w->texts.data;
    w->chosen.size = 0;
    PQX_TRY(pqx_buffer_reserve(&w->chosen, 1, w->error));
    for (size_t i = 0; i < w->texts.size / sizeof *text; i++) {
        const uint8_t *rest = text[i].data + prefix;
        size_t size = text[i].size - prefix, hot = size > PQX_WORDS_LONG ? PQX_WORDS_HOT : size;
        PQX_TRY(pqx_buffer_append(&w->chosen, is_hot ? rest : rest + hot, is_hot ? hot : size - hot,
                                  w->error));
    }
    return PQX_OK;
}

static int put_head(pqx_tile_writer *w, size_t count, size_t *prefix, pqx_buffer *out)
{
    const pqx_bytes *texts = (const pqx_bytes *)(const void *)w->texts.data;
    *prefix = common_prefix(texts, count);
    PQX_TRY(pqx_buffer_append_varint(out, *prefix, w->error));
    PQX_TRY(pqx_buffer_append(out, texts[0].data, *prefix, w->error));
    w->chosen.size = 0;
    PQX_TRY(pqx_buffer_reserve(&w->chosen, count * sizeof(int64_t), w->error));
    int64_t *lengths = (int64_t *)(void *)w->chosen.data;
    for (size_t i = 0; i < count; i++) lengths[i] = (int64_t)(texts[i].size - *prefix);
    return pqx_packed_table_write(lengths, 1, (uint32_t)count, out, w->error);
}

static int write_block(pqx_tile_writer *w, pqx_buffer *hot, pqx_buffer *cold)
{
    size_t count = w->texts.size / sizeof(pqx_bytes), prefix;
    if (!count) return PQX_OK;
    PQX_TRY(put_head(w, count, &prefix, hot));
    PQX_TRY(choose(w, prefix, 1));
    PQX_TRY(put_text(hot, (pqx_bytes){w->chosen.data, w->chosen.size}, NULL, w->error));
    PQX_TRY(choose(w, prefix, 0));
    if (!w->chosen.size) return PQX_OK;
    return put_text(cold, (pqx_bytes){w->chosen.data, w->chosen.size}, w->compress, w->error);
}

/* Append the lengths of blocks, and the blocks. */
static int join(pqx_tile_writer *w, const int64_t *lengths, const pqx_buffer *blocks,
                pqx_buffer *out)
{
    PQX_TRY(pqx_packed_table_write(lengths, w->place.columns, 1, out, w->error));
    return blocks->size ? pqx_buffer_append(out, blocks->data, blocks->size, w->error) : PQX_OK;
}

int pqx_tile_write_words(pqx_tile_writer *w, pqx_buffer *hot, pqx_buffer *cold)
{
    uint8_t aliases[PQX_MOST_ROLES] = {0};
    int64_t lengths[2][PQX_PACKED_TILE_CHUNKS];
    pqx_buffer blocks[2] = {{0}, {0}};
    int status = PQX_OK, has_words = 0;
    for (unsigned role = 0; status == PQX_OK && role < w->structs->role_count; role++) {
        if (w->structs->roles[role].area != PQX_ROLE_WORDS) continue;
        has_words = 1;
        aliases[role] = (uint8_t)is_alias(w, role);
        status = pqx_buffer_append_byte(hot, aliases[role], w->error);
    }
    if (!has_words) return status;
    for (uint32_t column = 0; status == PQX_OK && column < w->place.columns; column++) {
        size_t begins[] = {blocks[0].size, blocks[1].size};
        status = collect(w, column, aliases);
        if (status == PQX_OK) status = write_block(w, &blocks[0], &blocks[1]);
        for (int i = 0; i < 2; i++) lengths[i][column] = (int64_t)(blocks[i].size - begins[i]);
    }
    if (status == PQX_OK) status = join(w, lengths[0], &blocks[0], hot);
    if (status == PQX_OK) status = join(w, lengths[1], &blocks[1], cold);
    for (int i = 0; i < 2; i++) pqx_buffer_free(&blocks[i]);
    return status;
}
