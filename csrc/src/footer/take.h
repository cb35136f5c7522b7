/* Read parts of Thrift structs in the writers' usual order, with direct compares and without
 * checking the remaining bytes for each part. */
#ifndef PQX_TAKE_H
#define PQX_TAKE_H

#include "footer/scan_fast.h"

#define HEADER(delta, type) ((uint8_t)((delta) << 4 | PQX_TYPE_##type))
#define BYTES(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
/* Continue after the bytes that `call` takes; leave the function if it takes nothing. */
#define TAKE(call)                       \
    do {                                 \
        at = (call);                     \
        if (PQX_UNLIKELY(!at)) return 0; \
    } while (0)
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))
/* Make a value opaque to the compiler. */
#define OPAQUE(value) __asm__("" : "+r"(value))
#else
#define INLINE static inline
#define OUTLINE static
#define OPAQUE(value) (void)(value)
#endif

typedef struct input {
    const uint8_t *base;
    size_t limit; /* upper limit for the start of a part: PQX_SLACK bytes before the end */
} input;

/* Each function below takes the bytes at `at`, which is never 0, and returns the offset after them,
 * or 0 if they are not in the expected form. */

/* Take a number of up to nine bytes that is not negative. */
OUTLINE size_t take_long_number(const uint8_t *base, size_t at, uint64_t *number)
{
    uint64_t sum = 0;
    if (base[at] & 1) return 0;
    for (int i = 0; i < 9; i++) {
        uint64_t byte = base[at++];
        sum |= (byte & 0x7f) << (7 * i);
        if (byte < 0x80) return *number = sum >> 1, at;
    }
    return 0;
}

/* Take a number with one branch per length; a predicted branch does not wait for the bytes. An
 * unexpected form sets `bad` instead of returning 0, and the position advances by at most ten
 * bytes. */
INLINE size_t take_number(const uint8_t *base, size_t at, int64_t *number, int *bad)
{
    uint32_t word = pqx_load32(base + at);
    if (!(word & 0x81)) return *number = word >> 1 & 0x3f, at + 1;
    if (!(word & 0x8001)) return *number = (word >> 1 & 0x3f) | (word >> 2 & 0x1fc0), at + 2;
    uint32_t pairs = (word & 0x7f007f) | (word & 0x7f007f00) >> 1;
    if (!(word & 0x800001))
        return *number = (pairs & 0x3fff) >> 1 | (pairs >> 16 & 0x7f) << 13, at + 3;
    if (!(word & 0x80000001)) return *number = (pairs & 0xffff) >> 1 | pairs >> 16 << 13, at + 4;
    uint64_t wide = 0;
    size_t next = take_long_number(base, at, &wide);
    *bad |= next == 0;
    *number = (int64_t)wide;
    return next ? next : at + 1;
}

/* Take an offset in a file, which is mostly a large number. */
INLINE size_t take_place(const uint8_t *base, size_t at, int64_t *number, int *bad)
{
    uint32_t word = pqx_load32(base + at);
    if (PQX_UNLIKELY((word & 0x80808081) != 0x808080)) return take_number(base, at, number, bad);
    uint32_t pairs = (word & 0x7f007f) | (word & 0x7f007f00) >> 1;
    *number = (pairs & 0xffff) >> 1 | pairs >> 16 << 13;
    return at + 4;
}

INLINE size_t take_i32(const uint8_t *base, size_t at, int32_t *number, int *bad)
{
    int64_t wide;
    size_t next = take_number(base, at, &wide, bad);
    *number = (int32_t)wide;
    *bad |= next - at > 4;
    return next;
}

/* Take a binary value of less than 16 KiB. */
INLINE size_t take_binary(input in, size_t at, pqx_range *bytes)
{
    uint32_t length = in.base[at++];
    if (PQX_UNLIKELY(length & 0x80)) {
        if (in.base[at] & 0x80) return 0;
        length = (length & 0x7f) | (uint32_t)in.base[at++] << 7;
    }
    *bytes = (pqx_range){(uint32_t)at, length};
    at += length;
    return at > in.limit ? 0 : at;
}

/* Take a list header, of less than 128 items. */
INLINE size_t take_list(const uint8_t *base, size_t at, int type, uint32_t *count)
{
    uint8_t header = base[at++];
    *count = header >> 4;
    if ((header & 15) != type) return 0;
    if (*count < 15) return at;
    *count = base[at++];
    return *count & 0x80 ? 0 : at;
}

/* Return 1 if field `next` is at `at`, after field `id`, and set `id` to `next`. */
INLINE int comes(const uint8_t *base, size_t at, int32_t *id, int32_t next, int type)
{
    if (base[at] != (uint8_t)((next - *id) << 4 | type)) return 0;
    *id = next;
    return 1;
}

/* Footers and arrays of wide tables exceed the nearer caches: prefetch the bytes that are read and
 * written soon. */
INLINE void fetch_ahead(const uint8_t *bytes, const void *record, size_t size)
{
    enum { LINE = 64, BYTES_AHEAD = 2048, RECORDS_AHEAD = 16 };
#if defined(__GNUC__)
    uintptr_t read = (uintptr_t)bytes + BYTES_AHEAD,
              written = (uintptr_t)record + RECORDS_AHEAD * size;
    for (size_t i = 0; i < size; i += LINE) {
        __builtin_prefetch((const void *)(read + i));
        __builtin_prefetch((const void *)(written + i), 1);
    }
#else
    (void)bytes, (void)record;
#endif
}

#endif
