"""Convert the stored values of one leaf to the buffers of Arrow arrays."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_Size
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc


from .capi cimport (
    PQX_READING_BOOLEAN, pqx_arrow_type, pqx_arrow_values, pqx_arrow_values_fill, pqx_arrow_values_size, pqx_bytes, pqx_error,
    pqx_range,
    exception_of,
)
from .chunks cimport Chunks

__all__ = ["bound_buffers", "buffers"]

cdef enum:
    FEW = 64


cdef pqx_arrow_type type_of(tuple kind):
    cdef pqx_arrow_type made
    made.reading, made.stored, made.width, made.precision = kind
    return made


cdef tuple fill(const pqx_arrow_type *kind, const pqx_bytes *stored, uint64_t count):
    """Return (nulls, valid or None, offsets or None, values)."""
    cdef uint64_t size
    cdef pqx_error error
    cdef pqx_arrow_values out
    cdef bytes valid, values, offsets = None
    if pqx_arrow_values_size(kind, stored, count, &size, &error):
        raise exception_of(&error)
    valid, values = bytes((count + 7) // 8), bytes(size)  # zeros; large buffers are not touched yet
    out.valid, out.values, out.offsets = <uint8_t *> PyBytes_AsString(valid), <uint8_t *> PyBytes_AsString(values), NULL
    if kind.width == 0 and kind.reading != PQX_READING_BOOLEAN:
        offsets = bytes(4 * (count + 1))
        out.offsets = <int32_t *> PyBytes_AsString(offsets)
    if size < (1 << 16):
        pqx_arrow_values_fill(kind, stored, count, &out)
    else:
        with nogil:
            pqx_arrow_values_fill(kind, stored, count, &out)
    return out.nulls, valid if out.nulls else None, offsets, values if out.size == size else values[:out.size]


cdef pqx_bytes *room(size_t count, pqx_bytes *few) except NULL:
    cdef pqx_bytes *made = few if count <= FEW else <pqx_bytes *> malloc(count * sizeof(pqx_bytes))
    if made == NULL:
        raise MemoryError
    return made


def buffers(list stored not None, tuple kind not None):
    """Return (nulls, valid, offsets, values) for the kind (reading, stored, width, precision); see the twin."""
    cdef pqx_arrow_type wanted = type_of(kind)
    cdef pqx_bytes few[FEW]
    cdef size_t count = len(stored), i
    cdef pqx_bytes *entries = room(count, few)
    try:
        for i in range(count):
            value = stored[i]
            if value is None:
                entries[i].data, entries[i].size = NULL, 0
            else:
                entries[i].data = <const uint8_t *> PyBytes_AsString(value)
                entries[i].size = PyBytes_Size(value)
        return fill(&wanted, entries, count)
    finally:
        if entries != few:
            free(entries)


def bound_buffers(Chunks chunks not None, tuple kind not None):
    """Return the buffers of the usable minima of a leaf's chunks, and of the maxima."""
    cdef pqx_arrow_type wanted = type_of(kind)
    cdef pqx_bytes few[FEW]
    cdef size_t count = chunks.count, i
    cdef pqx_bytes *minima = room(2 * count, few)
    cdef pqx_bytes *maxima = minima + count
    cdef pqx_range low, high
    cdef int has
    try:
        for i in range(count):
            has = chunks.usable(i, &low, &high)
            minima[i].data, minima[i].size = chunks.start + low.offset if has & 1 else NULL, low.length
            maxima[i].data, maxima[i].size = chunks.start + high.offset if has & 2 else NULL, high.length
        return fill(&wanted, minima, count), fill(&wanted, maxima, count)
    finally:
        if minima != few:
            free(minima)
