/* Declarations shared by the C files, in addition to the public header. */
#ifndef PQX_INTERNAL_H
#define PQX_INTERNAL_H

#include <string.h>

#include "parquetext_internal.h"
#include "base/wire.h"

#if defined(__GNUC__)
#define PQX_LIKELY(x) __builtin_expect(!!(x), 1)
#define PQX_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PQX_INLINE __attribute__((always_inline)) static inline
#else
#define PQX_LIKELY(x) (x)
#define PQX_UNLIKELY(x) (x)
#define PQX_INLINE static inline
#endif

/* Return from the function if `call` fails. */
#define PQX_TRY(call)                                              \
    do {                                                           \
        int try_status = (call);                                   \
        if (PQX_UNLIKELY(try_status != PQX_OK)) return try_status; \
    } while (0)

/* Fill `error` if it is not NULL. Return the code. */
static inline int pqx_fail(pqx_error *error, int code, uint64_t offset, uint64_t expected,
                           uint64_t found)
{
    if (error) *error = (pqx_error){code, offset, expected, found};
    return code;
}

/* Fail unless [first, first + count) lies in [0, all). */
static inline int pqx_check_part(uint32_t first, uint32_t count, uint32_t all, pqx_error *error)
{
    if (first <= all && count <= all - first) return PQX_OK;
    return pqx_fail(error, PQX_BAD_ARGUMENT, 0, all, first > all ? first : (uint64_t)first + count);
}

/* Return the problem of a loose scan as a failure: such a footer can only be inspected. */
static inline int pqx_check_scan(const pqx_scan *scan, pqx_error *error)
{
    const pqx_error *problem = &scan->problem;
    return problem->code == PQX_OK
               ? PQX_OK
               : pqx_fail(error, problem->code, problem->offset, problem->expected, problem->found);
}

static inline uint16_t pqx_load16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}
static inline uint32_t pqx_load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
static inline uint64_t pqx_load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}
static inline void pqx_store16(uint8_t *p, uint16_t v) { memcpy(p, &v, 2); }
static inline void pqx_store32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
static inline void pqx_store64(uint8_t *p, uint64_t v) { memcpy(p, &v, 8); }

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the loads above assume a little-endian machine"
#endif

/* The numbers of Thrift's zigzag encoding. */
static inline int64_t pqx_unzigzag(uint64_t raw) { return (int64_t)(raw >> 1 ^ (0 - (raw & 1))); }
static inline uint64_t pqx_zigzag(int64_t value)
{ return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0); }

/* Return 1 if the bytes are well-formed UTF-8: no surrogates, no overlong forms, no code point
 * above U+10FFFF. */
int pqx_is_text(const uint8_t *at, uint32_t length);

/* Make room for `more` bytes after buffer->size. The capacity doubles, so appending is O(1)
 * amortized. */
int pqx_buffer_reserve(pqx_buffer *buffer, size_t more, pqx_error *error);
static inline int pqx_buffer_append(pqx_buffer *buffer, const void *bytes, size_t size,
                                    pqx_error *error)
{
    if (PQX_UNLIKELY(size > buffer->capacity - buffer->size))
        PQX_TRY(pqx_buffer_reserve(buffer, size, error));
    if (size) memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    return PQX_OK;
}

static inline int pqx_buffer_append_byte(pqx_buffer *buffer, unsigned byte, pqx_error *error)
{
    uint8_t bytes = (uint8_t)byte;
    return pqx_buffer_append(buffer, &bytes, 1, error);
}

static inline int pqx_buffer_append_varint(pqx_buffer *buffer, uint64_t value, pqx_error *error)
{
    uint8_t bytes[10];
    return pqx_buffer_append(buffer, bytes, pqx_varint_put(bytes, value), error);
}

#endif
