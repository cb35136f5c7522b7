# Cursors over the encoded values of a page (csrc/src/encoding), as used by the kernels.
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from .capi cimport pqx_buffer, pqx_error

cdef extern from "encoding/values.h" nogil:
    ctypedef struct pqx_runs:
        pass
    ctypedef struct pqx_dictionary:
        const uint8_t *fixed
        const uint8_t *bytes
        const uint32_t *offsets
        uint32_t count
        uint32_t width
        size_t readable
    ctypedef struct pqx_values:
        uint32_t width
        uint64_t left
        size_t at
        pqx_buffer *previous
    int pqx_levels_begin(pqx_runs *runs, int encoding, uint32_t max_level, const uint8_t *data, size_t size, size_t at,
                         pqx_error *error)
    int pqx_levels_take(pqx_runs *runs, uint32_t max_level, size_t count, uint16_t *out, pqx_error *error)
    uint32_t pqx_fixed_width(int type, int32_t type_length)
    int pqx_values_begin(pqx_values *values, int encoding, int type, int32_t type_length, const uint8_t *data,
                         size_t size, size_t at, uint64_t count, const pqx_dictionary *dictionary, pqx_error *error)
    int pqx_values_take_fixed(pqx_values *values, size_t count, uint8_t *out, pqx_error *error)
    int pqx_values_take_bits(pqx_values *values, size_t count, uint8_t *out, uint64_t bit, pqx_error *error)
    int pqx_values_take_binary(pqx_values *values, size_t count, int32_t *offsets, uint8_t *bytes, size_t capacity,
                               size_t *taken, size_t *needed, pqx_error *error)
    size_t pqx_values_end(const pqx_values *values)

cdef extern from "encoding/runs.h" nogil:
    int pqx_indices_begin(pqx_runs *runs, const uint8_t *data, size_t size, size_t at, pqx_error *error)
    int pqx_indices_take(pqx_runs *runs, uint32_t entries, size_t count, uint32_t *out, pqx_error *error)
    size_t pqx_runs_end(const pqx_runs *runs)
