"""Values and levels as data pages encode them."""

from cpython.bytearray cimport PyByteArray_AsString, PyByteArray_FromStringAndSize, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from .. import wire
from ..errors import wire_error

from .capi cimport PQX_BAD_ARGUMENT, PQX_ENCODING, PQX_TRUNCATED, pqx_error
from .values_api cimport (
    pqx_dictionary, pqx_fixed_width, pqx_indices_begin, pqx_indices_take, pqx_levels_begin, pqx_levels_take, pqx_runs,
    pqx_runs_end, pqx_values, pqx_values_begin, pqx_values_end, pqx_values_take_bits, pqx_values_take_fixed,
)

__all__ = ["decode", "decode_indices", "decode_levels"]

cdef enum:
    VALUES, BITS, LEVELS, INDICES                # what a cursor gives
    BATCH = 1 << 16                              # values
    PROPORTION = 64                              # bytes that one byte may promise before it is decoded
    MANY_BYTES = 1 << 13                         # below, letting other threads run costs more than decoding

cdef int ENCODING_PLAIN_DICTIONARY = wire.ENCODING_PLAIN_DICTIONARY
cdef int ENCODING_RLE_DICTIONARY = wire.ENCODING_RLE_DICTIONARY
cdef int PHYSICAL_BOOLEAN = wire.PHYSICAL_BOOLEAN
cdef int PHYSICAL_BYTE_ARRAY = wire.PHYSICAL_BYTE_ARRAY

cdef struct Cursor:
    int gives
    uint32_t width                               # bytes of a value, 0: bits
    uint32_t limit                               # the highest level; entries of the dictionary
    pqx_values values
    pqx_runs runs


cdef int take(Cursor *cursor, size_t first, size_t count, uint8_t *out, pqx_error *error) noexcept nogil:
    """The next `count` values to where those from number `first` on stand in `out`."""
    if cursor.gives == LEVELS:
        return pqx_levels_take(&cursor.runs, cursor.limit, count, <uint16_t *> out + first, error)
    if cursor.gives == INDICES:
        return pqx_indices_take(&cursor.runs, cursor.limit, count, <uint32_t *> out + first, error)
    if cursor.gives == BITS:
        return pqx_values_take_bits(&cursor.values, count, out, first, error)
    return pqx_values_take_fixed(&cursor.values, count, out + first * cursor.width, error)


cdef size_t bytes_of(Cursor *cursor, size_t count) noexcept nogil:
    return count * cursor.width if cursor.width else (count + 7) // 8


cdef int take_all(Cursor *cursor, size_t first, size_t count, uint8_t *out) except -1:
    cdef pqx_error error
    cdef int status
    if bytes_of(cursor, count) < MANY_BYTES:
        status = take(cursor, first, count, out, &error)
    else:
        with nogil:
            status = take(cursor, first, count, out, &error)
    if status:
        raise wire_error(error.code, error.offset, error.expected, error.found)
    return 0


cdef object decoded(Cursor *cursor, size_t count, size_t left):
    """`count` values of what has `left` bytes: memory grows with what was decoded where few bytes promise much."""
    cdef size_t room, done = 0
    cdef bytes whole
    cdef object grown
    room = max(left * PROPORTION // max(cursor.width, 1), <size_t> BATCH)
    if count <= room:
        whole = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> bytes_of(cursor, count))
        if cursor.gives == BITS and count:
            PyBytes_AsString(whole)[bytes_of(cursor, count) - 1] = 0
        take_all(cursor, 0, count, <uint8_t *> PyBytes_AsString(whole))
        return whole
    room &= ~<size_t> 7
    grown = PyByteArray_FromStringAndSize(NULL, 0)
    while done < count:
        room = min(room, count)
        PyByteArray_Resize(grown, <Py_ssize_t> bytes_of(cursor, room))
        if cursor.gives == BITS:
            PyByteArray_AsString(grown)[bytes_of(cursor, room) - 1] = 0
        take_all(cursor, done, room - done, <uint8_t *> PyByteArray_AsString(grown))
        done = room
        room *= 2
    return grown


def decode(int encoding, int type, int32_t type_length, data, size_t count, size_t at=0, dictionary=None):
    """Decode `count` values of a page: (values, where they end); see the twin."""
    cdef const uint8_t[::1] view = data if isinstance(data, bytes) else memoryview(data).cast("B")
    cdef const uint8_t[::1] entries
    cdef size_t size = view.shape[0]
    cdef pqx_dictionary known
    cdef const pqx_dictionary *through = NULL
    cdef Cursor cursor
    cdef pqx_error error
    cursor.gives = BITS if type == PHYSICAL_BOOLEAN else VALUES
    cursor.width = pqx_fixed_width(type, type_length)
    if type == PHYSICAL_BYTE_ARRAY and at <= size:
        raise wire_error(PQX_ENCODING, at, type, encoding)
    if (dictionary is not None and count and cursor.width and at <= size
            and encoding in (ENCODING_PLAIN_DICTIONARY, ENCODING_RLE_DICTIONARY)):
        values, known.count = dictionary
        entries = values if isinstance(values, bytes) else memoryview(values).cast("B")
        if <uint64_t> entries.shape[0] < <uint64_t> known.count * cursor.width:
            raise wire_error(PQX_BAD_ARGUMENT, at, <uint64_t> known.count * cursor.width, entries.shape[0])
        known.fixed = &entries[0] if entries.shape[0] else NULL
        known.bytes, known.offsets, known.width = NULL, NULL, cursor.width
        through = &known
    if pqx_values_begin(&cursor.values, encoding, type, type_length, &view[0] if size else NULL, size, at, count,
                        through, &error):
        raise wire_error(error.code, error.offset, error.expected, error.found)
    return decoded(&cursor, count, size - at), pqx_values_end(&cursor.values)


def decode_levels(int encoding, uint32_t max_level, data, size_t count, size_t at=0, end=None):
    """Decode `count` levels in ``data[at:end]``: (integers of 16 bits, where they end); see the twin."""
    cdef const uint8_t[::1] view = data if isinstance(data, bytes) else memoryview(data).cast("B")
    cdef size_t size = view.shape[0], limit = size if end is None else end
    cdef Cursor cursor
    cdef pqx_error error
    if limit > size:
        raise wire_error(PQX_BAD_ARGUMENT, at, size, limit)
    cursor.gives, cursor.width, cursor.limit = LEVELS, 2, max_level
    if pqx_levels_begin(&cursor.runs, encoding, max_level, &view[0] if size else NULL, limit, at, &error):
        raise wire_error(error.code, error.offset, error.expected, error.found)
    return decoded(&cursor, count, limit - at), pqx_runs_end(&cursor.runs)


def decode_indices(data, size_t count, uint32_t dictionary_count, size_t at=0):
    """Decode `count` indices, their width first: (integers of 32 bits, where they end); see the twin."""
    cdef const uint8_t[::1] view = data if isinstance(data, bytes) else memoryview(data).cast("B")
    cdef size_t size = view.shape[0]
    cdef Cursor cursor
    cdef pqx_error error
    if at > size:
        raise wire_error(PQX_TRUNCATED, at, 1, 0)
    if count == 0:
        return b"", at
    cursor.gives, cursor.width, cursor.limit = INDICES, 4, dictionary_count
    if pqx_indices_begin(&cursor.runs, &view[0] if size else NULL, size, at, &error):
        raise wire_error(error.code, error.offset, error.expected, error.found)
    return decoded(&cursor, count, size - at), pqx_runs_end(&cursor.runs)
