# The C library's types and functions, as the kernels use them. Declare what you need; the header is the source.
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "parquetext.h" nogil:
    ctypedef struct pqx_error:
        int32_t code
        uint64_t offset
        uint64_t expected
        uint64_t found
    ctypedef struct pqx_buffer:
        uint8_t *data
        size_t size
        size_t capacity
    void pqx_buffer_free(pqx_buffer *buffer)
    const char *pqx_version()

    int pqx_varint_get32(const uint8_t *data, size_t size, size_t at, uint32_t *value, size_t *next, pqx_error *error)
    int pqx_varint_get64(const uint8_t *data, size_t size, size_t at, uint64_t *value, size_t *next, pqx_error *error)
    size_t pqx_varint_put(uint8_t *out, uint64_t value)
    size_t pqx_varint_size(uint64_t value)
    int pqx_varint_get_many64(const uint8_t *data, size_t size, size_t at, int zigzag, uint64_t *values, size_t count,
                              size_t *next, pqx_error *error)
    int pqx_varint_get_many32(const uint8_t *data, size_t size, size_t at, int zigzag, uint32_t *values, size_t count,
                              size_t *next, pqx_error *error)
    size_t pqx_varint_put_many(const uint64_t *values, size_t count, int zigzag, uint8_t *out)

    uint32_t pqx_crc32(uint32_t crc, const uint8_t *data, size_t size)
    uint32_t pqx_crc32_combine(uint32_t crc_a, uint32_t crc_b, uint64_t length_b)
    const char *pqx_crc32_implementation(size_t index)
    uint32_t pqx_crc32_with(size_t index, uint32_t crc, const uint8_t *data, size_t size)
    uint64_t pqx_xxh64(const uint8_t *data, size_t size, uint64_t seed)
