/* DELTA_BYTE_ARRAY: the length of the prefix that each value shares with the previous value, the
 * length of its suffix, and the suffixes. */
#include "encoding/binary.h"
#include "encoding/delta.h"

enum { LENGTHS = 256 }; /* pairs of lengths that are decoded together */

typedef struct lengths {
    uint32_t prefixes[LENGTHS], suffixes[LENGTHS];
} lengths;

int pqx_prefixed_begin(pqx_values *values, pqx_error *error)
{
    size_t suffixes;
    PQX_TRY(pqx_deltas_begin(&values->deltas, 0, values->data, values->size, values->at,
                             values->left, error));
    PQX_TRY(pqx_deltas_find_end(&values->deltas, &suffixes, error));
    PQX_TRY(pqx_deltas_begin(&values->suffixes, 0, values->data, values->size, suffixes,
                             values->left, error));
    return pqx_deltas_find_end(&values->suffixes, &values->at, error);
}

static int take_lengths(pqx_values *values, size_t count, lengths *out, pqx_error *error)
{
    PQX_TRY(pqx_deltas_take(&values->deltas, count, (uint8_t *)out->prefixes, error));
    return pqx_deltas_take(&values->suffixes, count, (uint8_t *)out->suffixes, error);
}

/* Check that the bytes of the next value exist; `width` is 0 for byte arrays. */
static inline int check(const pqx_values *values, size_t before, uint32_t prefix, uint32_t suffix,
                        pqx_error *error)
{
    size_t limit = pqx_length_limit(values);
    if (PQX_UNLIKELY(prefix > before))
        return pqx_fail(error, PQX_PREFIX_LENGTH, values->at, before, prefix);
    if (PQX_UNLIKELY(suffix > limit))
        return pqx_fail(error, PQX_BYTE_ARRAY_LENGTH, values->at, limit, suffix);
    if (values->width && PQX_UNLIKELY((uint64_t)prefix + suffix != values->width))
        return pqx_fail(error, PQX_VALUE_LENGTH, values->at, values->width,
                        (uint64_t)prefix + suffix);
    return PQX_OK;
}

/* The previous value's position and size. */
typedef struct previous {
    const uint8_t *bytes;
    size_t size;
} previous;

/* The first bytes of a value, in registers: loading bytes that have just been stored in two pieces
 * is slow. */
typedef struct head {
    uint64_t words[PQX_AT_ONCE / 8];
} head;

static const uint8_t kept_bytes[2 * PQX_AT_ONCE] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

/* Return the first `prefix` bytes of `value`, followed by the bytes of `with` from that position
 * on. */
static inline head replace_from(head value, size_t prefix, const uint8_t *with)
{
    head kept, other;
    memcpy(&kept, kept_bytes + PQX_AT_ONCE - prefix, sizeof kept);
    memcpy(&other, with, sizeof other);
    for (size_t i = 0; i < PQX_AT_ONCE / 8; i++)
        value.words[i] = (value.words[i] & kept.words[i]) | (other.words[i] & ~kept.words[i]);
    return value;
}

/* Join values of at most PQX_AT_ONCE bytes with room around them, until the first other value. */
static size_t join_short(pqx_values *values, const lengths *lengths, size_t first, size_t count,
                         previous *before, pqx_binary_out *out)
{
    const uint8_t *data = values->data;
    size_t at = values->at, end = out->end, size = before->size, i = first;
    if (values->size < PQX_AT_ONCE || out->capacity < PQX_AT_ONCE) return first;
    const size_t last = values->size - PQX_AT_ONCE, last_end = out->capacity - PQX_AT_ONCE;
    if (end > last_end) return first; /* then the previous value can be loaded, too */
    head value;
    memcpy(&value, before->bytes, sizeof value);
    for (; i < count && end <= last_end; i++) {
        size_t prefix = lengths->prefixes[i], whole = prefix + lengths->suffixes[i];
        if (whole > PQX_AT_ONCE || prefix > size || prefix > at || at - prefix > last) break;
        if (values->width && whole != values->width) break;
        value = replace_from(value, prefix, data + at - prefix);
        memcpy(out->bytes + end, &value, sizeof value);
        at += whole - prefix;
        end += size = whole;
        if (out->offsets) out->offsets[out->taken + i - first + 1] = (int32_t)end;
    }
    if (i == first) return first;
    values->at = at;
    out->end = end;
    out->taken += i - first;
    *before = (previous){out->bytes + end - size, size};
    return i;
}

/* Join the next value, of any size; *fits is 1 if it fits. */
static int join_one(pqx_values *values, size_t prefix, size_t suffix, previous *before,
                    pqx_binary_out *out, int *fits, pqx_error *error)
{
    PQX_TRY(check(values, before->size, (uint32_t)prefix, (uint32_t)suffix, error));
    *fits = prefix + suffix <= out->capacity - out->end;
    if (!*fits) {
        out->needed = out->end + prefix + suffix;
        return PQX_OK;
    }
    uint8_t *to = out->bytes + out->end;
    if (prefix) memcpy(to, before->bytes, prefix);
    if (suffix) memcpy(to + prefix, values->data + values->at, suffix);
    values->at += suffix;
    out->end += prefix + suffix;
    *before = (previous){to, prefix + suffix};
    if (out->offsets) out->offsets[out->taken + 1] = (int32_t)out->end;
    out->taken++;
    return PQX_OK;
}

/* Join values of these lengths until one does not fit; *some is their number. */
static int join(pqx_values *values, const lengths *lengths, size_t count, previous *before,
                pqx_binary_out *out, size_t *some, pqx_error *error)
{
    int fits = 1;
    for (*some = 0; *some < count; ++*some) {
        *some = join_short(values, lengths, *some, count, before, out);
        if (*some == count) break;
        PQX_TRY(join_one(values, lengths->prefixes[*some], lengths->suffixes[*some], before, out,
                         &fits, error));
        if (!fits) break;
    }
    return PQX_OK;
}

/* Make room for a value of `size` bytes, and for bytes after it that may be read. */
static int make_room(pqx_values *values, size_t size, pqx_error *error)
{
    values->previous->size = values->previous_size;
    if (size + PQX_AT_ONCE <= values->previous->capacity) return PQX_OK;
    return pqx_buffer_reserve(values->previous, size + PQX_AT_ONCE - values->previous_size, error);
}

static int keep(pqx_values *values, previous before, pqx_error *error)
{
    values->previous_size = 0; /* the contents are no longer needed */
    PQX_TRY(make_room(values, before.size, error));
    memcpy(values->previous->data, before.bytes, before.size);
    values->previous_size = before.size;
    return PQX_OK;
}

int pqx_prefixed_take(pqx_values *values, size_t count, pqx_binary_out *out, pqx_error *error)
{
    if (!values->previous) return pqx_fail(error, PQX_BAD_ARGUMENT, values->at, 1, 0);
    PQX_TRY(make_room(values, values->previous_size, error));
    previous before = {values->previous->data, values->previous_size};
    lengths lengths;
    while (out->taken < count) {
        size_t tried = count - out->taken < LENGTHS ? count - out->taken : LENGTHS, some;
        const pqx_deltas prefixes = values->deltas, suffixes = values->suffixes;
        PQX_TRY(take_lengths(values, tried, &lengths, error));
        PQX_TRY(join(values, &lengths, tried, &before, out, &some, error));
        if (some == tried) continue;
        values->deltas = prefixes;
        values->suffixes = suffixes;
        PQX_TRY(pqx_deltas_skip(&values->deltas, some, error));
        PQX_TRY(pqx_deltas_skip(&values->suffixes, some, error));
        break;
    }
    return out->taken ? keep(values, before, error) : PQX_OK;
}

int pqx_prefixed_skip(pqx_values *values, size_t count, pqx_error *error)
{
    if (!values->previous) return pqx_fail(error, PQX_BAD_ARGUMENT, values->at, 1, 0);
    lengths lengths;
    while (count) {
        size_t some = count < LENGTHS ? count : LENGTHS;
        PQX_TRY(take_lengths(values, some, &lengths, error));
        for (size_t i = 0; i < some; i++) {
            uint32_t prefix = lengths.prefixes[i], suffix = lengths.suffixes[i];
            PQX_TRY(check(values, values->previous_size, prefix, suffix, error));
            PQX_TRY(make_room(values, (size_t)prefix + suffix, error));
            memcpy(values->previous->data + prefix, values->data + values->at, suffix);
            values->previous_size = (size_t)prefix + suffix;
            values->at += suffix;
        }
        count -= some;
    }
    return PQX_OK;
}
