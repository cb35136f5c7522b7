/* Any bytes as levels, dictionary indices and values of a fixed width: every take stays within its
 * bytes, and however takes are cut, they give the same values and the same error. */
#include "encoding/runs.h"
#include "encoding/values.h"
#include "input.h"

enum { MOST = 3000, ENTRIES = 300, WIDEST = 40 };

/* How far a series of takes came, and how it ended. */
typedef struct ending {
    size_t taken;
    pqx_error error;
} ending;

/* Whatever is taken, `width` bytes each (0: bits), `count` of it in pieces of `piece`. */
typedef struct source {
    enum { LEVELS, LEVEL_BITS, INDICES, VALUES, BITS } kind;
    pqx_runs runs;
    pqx_values values;
    uint32_t limit, width;
} source;

static int take(source *from, size_t first, size_t count, uint8_t *out, pqx_error *error)
{
    size_t ones;
    switch (from->kind) {
    case LEVELS:
        return pqx_levels_take(&from->runs, from->limit, count, (uint16_t *)out + first, error);
    case LEVEL_BITS: return pqx_levels_take_bits(&from->runs, count, out, first, &ones, error);
    case INDICES:
        return pqx_indices_take(&from->runs, from->limit, count, (uint32_t *)out + first, error);
    case BITS: return pqx_values_take_bits(&from->values, count, out, first, error);
    default: return pqx_values_take_fixed(&from->values, count, out + first * from->width, error);
    }
}

static ending take_all(source from, size_t count, size_t piece, uint8_t *out)
{
    ending end = {0};
    while (end.taken < count) {
        size_t some = count - end.taken < piece ? count - end.taken : piece;
        if (take(&from, end.taken, some, out, &end.error)) break;
        end.taken += some;
    }
    return end;
}

static uint8_t *room(const source *from, size_t count)
{
    uint8_t *out = calloc(from->width ? count * from->width + 1 : count / 8 + 1, 1);
    if (!out) abort();
    return out;
}

/* At once, in pieces, and one by one. */
static void claim_alike(const source *from, size_t count, size_t piece)
{
    uint8_t *whole = room(from, count), *parts = room(from, count), *single = room(from, count);
    ending first = take_all(*from, count, count, whole),
           second = take_all(*from, count, piece, parts), third = take_all(*from, count, 1, single);
    CLAIM(first.error.code == second.error.code && second.error.code == third.error.code);
    if (first.error.code) {
        CLAIM(first.error.offset == third.error.offset
              && second.error.offset == third.error.offset);
        CLAIM(first.error.expected == third.error.expected
              && second.error.expected == third.error.expected);
        CLAIM(first.error.found == third.error.found && second.error.found == third.error.found);
    } else {
        size_t bytes = from->width ? count * from->width : (count + 7) / 8;
        CLAIM(!memcmp(whole, parts, bytes) && !memcmp(whole, single, bytes));
    }
    free(whole);
    free(parts);
    free(single);
}

/* The values after skipped ones are those after decoded ones. */
static void claim_skipped(const source *from, size_t count, size_t skipped)
{
    source over = *from;
    pqx_error error = {0};
    uint8_t *whole = room(from, count), *rest = room(from, count);
    if (!take_all(*from, count, count, whole).error.code) {
        CLAIM(pqx_values_skip(&over.values, skipped, &error) == PQX_OK);
        CLAIM(take(&over, skipped, count - skipped, rest, &error) == PQX_OK);
        CLAIM(pqx_values_end(&over.values) <= over.values.size);
        for (size_t i = skipped; i < count; i++) {
            if (from->width)
                CLAIM(!memcmp(whole + i * from->width, rest + i * from->width, from->width));
            else CLAIM((whole[i / 8] >> i % 8 & 1) == (rest[i / 8] >> i % 8 & 1));
        }
    } else {
        pqx_values_skip(&over.values, count, &error);
    }
    free(whole);
    free(rest);
}

/* Stretches of equal levels add up to the levels. */
static void claim_stretches(const source *from, size_t count)
{
    source stretches = *from;
    uint8_t *whole = room(from, count);
    ending end = take_all(*from, count, 1, whole);
    pqx_error error = {0};
    for (size_t at = 0; at < count;) {
        uint16_t level;
        uint64_t length = 0;
        if (pqx_levels_run(&stretches.runs, from->limit, count - at, &level, &length, &error))
            break;
        CLAIM(length >= 1 && length <= count - at && at + length <= end.taken);
        for (uint64_t i = 0; i < length; i++) CLAIM(((uint16_t *)whole)[at + i] == level);
        at += length;
    }
    CLAIM(error.code == end.error.code && error.offset == end.error.offset);
    free(whole);
}

static int begin(source *from, uint64_t steering, const uint8_t *data, size_t size, size_t count,
                 const pqx_dictionary *dictionary)
{
    static const uint8_t encodings[] = {PQX_ENCODING_PLAIN, PQX_ENCODING_RLE,
                                        PQX_ENCODING_RLE_DICTIONARY,
                                        PQX_ENCODING_BYTE_STREAM_SPLIT};
    uint8_t choice = (uint8_t)steering;
    from->limit = steering >> 16 & 0x1ff;
    if (choice % 4 == 0) {
        int encoding = choice & 4 ? PQX_ENCODING_BIT_PACKED : PQX_ENCODING_RLE;
        from->kind = choice & 8 ? LEVEL_BITS : LEVELS;
        from->width = choice & 8 ? 0 : 2;
        if (choice & 8) from->limit = 1;
        return pqx_levels_begin(&from->runs, encoding, from->limit, data, size, 0, NULL);
    }
    if (choice % 4 == 1) {
        from->kind = INDICES;
        from->width = 4;
        return pqx_indices_begin(&from->runs, data, size, 0, NULL);
    }
    int type = (int)(steering >> 8 & 7);
    from->kind = type == PQX_PHYSICAL_BOOLEAN ? BITS : VALUES;
    from->width = dictionary->width;
    if (type == PQX_PHYSICAL_BYTE_ARRAY) return PQX_ENCODING;
    return pqx_values_begin(&from->values, encodings[choice >> 2 & 3], type, WIDEST, data, size, 0,
                            count, dictionary, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint8_t *data = exact(input, size);
    size_t count = (steering >> 32 & 0xffff) % MOST + 1, piece = steering >> 48 & 0xff;
    pqx_dictionary dictionary = {.count = (uint32_t)(steering >> 16) % (ENTRIES + 1)};
    dictionary.width = pqx_fixed_width((int)(steering >> 8 & 7), WIDEST);
    size_t bytes = (size_t)dictionary.count * dictionary.width;
    uint8_t *entries = malloc(bytes ? bytes : 1);
    for (size_t i = 0; i < bytes; i++) entries[i] = (uint8_t)(i * 131 >> 4);
    dictionary.fixed = entries;
    source from = {0};
    if (begin(&from, steering, data, size, count, &dictionary) == PQX_OK) {
        claim_alike(&from, count, piece + 1);
        if (from.kind == VALUES || from.kind == BITS)
            claim_skipped(&from, count, (steering >> 56) % count);
        if (from.kind == LEVELS) claim_stretches(&from, count);
    }
    free(entries);
    free(data);
    return 0;
}
