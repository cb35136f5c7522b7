"""Decode values and levels of data pages."""

from cpython.bytearray cimport PyByteArray_AsString, PyByteArray_FromStringAndSize, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from .. import wire
from ..errors import wire_error

from .capi cimport (
    PQX_BAD_ARGUMENT, PQX_TOO_LARGE, PQX_TRUNCATED, pqx_buffer, pqx_buffer_free, pqx_error, exception_of, view_of,
)
from .values_api cimport (
    pqx_dictionary, pqx_fixed_width, pqx_indices_begin, pqx_indices_take, pqx_levels_begin, pqx_levels_take, pqx_runs,
    pqx_runs_end, pqx_values, pqx_values_begin, pqx_values_end, pqx_values_take_binary, pqx_values_take_bits,
    pqx_values_take_fixed,
)

__all__ = ["decode", "decode_indices", "decode_levels"]

cdef enum:
    VALUES, BITS, LEVELS, INDICES  # the kinds of a cursor's values
    BATCH = 1 << 16                              # values
    PROPORTION = 64  # decoded bytes per encoded byte that are reserved in advance
    MANY_BYTES = 1 << 13  # below, releasing the GIL costs more than decoding
    SPARE = 32  # spare bytes after the last byte array, because short ones are copied with a fixed size
    MOST_BYTES = 0x7FFFFFFF  # the largest offset

cdef int ENCODING_PLAIN_DICTIONARY = wire.ENCODING_PLAIN_DICTIONARY
cdef int ENCODING_RLE_DICTIONARY = wire.ENCODING_RLE_DICTIONARY
cdef int PHYSICAL_BOOLEAN = wire.PHYSICAL_BOOLEAN
cdef int PHYSICAL_BYTE_ARRAY = wire.PHYSICAL_BYTE_ARRAY

cdef struct Cursor:
    int gives
    uint32_t width  # bytes of a value; 0: bits
    uint32_t limit  # the highest level, or the entries of the dictionary
    pqx_values values
    pqx_runs runs


cdef int take(Cursor *cursor, size_t first, size_t count, uint8_t *out, pqx_error *error) noexcept nogil:
    """Decode the next `count` values into `out`, from value number `first` on."""
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
        raise exception_of(&error)
    return 0


cdef object decoded(Cursor *cursor, size_t count, size_t left):
    """Decode `count` values from `left` bytes.

    If few bytes promise many values, memory grows with the decoded values.
    """
    cdef size_t room, done = 0
    cdef bytes whole
    cdef object grown
    room = max(left * PROPORTION // max(cursor.width, <uint32_t> 1), <size_t> BATCH)
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


cdef object binary(pqx_values *values, size_t count, size_t left):
    """Decode `count` byte arrays from `left` bytes into (offsets, bytes). Both grow with the decoded values."""
    cdef size_t room = min(count, max(left * PROPORTION // 4, <size_t> BATCH)), capacity = min(left + SPARE, <size_t> MOST_BYTES)
    cdef size_t done = 0, asked, taken, needed
    cdef object offsets = PyByteArray_FromStringAndSize(NULL, <Py_ssize_t> (4 * (room + 1)))
    cdef object joined = PyByteArray_FromStringAndSize(NULL, <Py_ssize_t> capacity)
    cdef int32_t *ends = <int32_t *> PyByteArray_AsString(offsets)
    cdef uint8_t *bytes = <uint8_t *> PyByteArray_AsString(joined)
    cdef pqx_error error
    cdef int status
    ends[0] = 0
    while done < count:
        if done == room:
            room = min(2 * room, count)
            PyByteArray_Resize(offsets, <Py_ssize_t> (4 * (room + 1)))
            ends = <int32_t *> PyByteArray_AsString(offsets)
        asked = room - done
        with nogil:
            status = pqx_values_take_binary(values, asked, ends + done, bytes, capacity, &taken, &needed, &error)
        if status:
            raise exception_of(&error)
        done += taken
        if taken < asked:
            if needed > MOST_BYTES:
                raise wire_error(PQX_TOO_LARGE, values.at, MOST_BYTES, needed)
            capacity = min(max(needed + SPARE, 2 * capacity), <size_t> MOST_BYTES)
            PyByteArray_Resize(joined, <Py_ssize_t> capacity)
            bytes = <uint8_t *> PyByteArray_AsString(joined)
    PyByteArray_Resize(joined, ends[count])
    return offsets, joined


cdef class Dictionary:
    """A dictionary, the first result of `decode`, kept alive and checked."""
    cdef pqx_dictionary known
    cdef const uint8_t[::1] values
    cdef const uint8_t[::1] offsets

    def __init__(self, dictionary, uint32_t width, size_t at):
        values, self.known.count = dictionary
        self.known.fixed, self.known.bytes, self.known.offsets = NULL, NULL, NULL
        self.known.width = width
        if width:
            self.values = memoryview(values).cast("B")
            self.check_size(at, self.values.shape[0], <uint64_t> self.known.count * width)
            self.known.fixed = &self.values[0] if self.values.shape[0] else NULL
        else:
            offsets, values = values
            self.values, self.offsets = memoryview(values).cast("B"), bytes(offsets)  # aligned
            self.check_size(at, self.offsets.shape[0], 4 * (<uint64_t> self.known.count + 1))
            self.known.bytes = &self.values[0] if self.values.shape[0] else NULL
            self.known.offsets = <const uint32_t *> &self.offsets[0]
            self.known.readable = self.values.shape[0]
            self.check_offsets(at)

    cdef int check_size(self, size_t at, uint64_t size, uint64_t needed) except -1:
        if size < needed:
            raise wire_error(PQX_BAD_ARGUMENT, at, needed, size)
        return 0

    cdef int check_offsets(self, size_t at) except -1:
        cdef const uint32_t *offsets = self.known.offsets
        cdef size_t limit = min(<size_t> self.values.shape[0], <size_t> MOST_BYTES)
        cdef uint32_t i
        for i in range(self.known.count):
            if not offsets[i] <= offsets[i + 1] <= limit:
                raise wire_error(PQX_BAD_ARGUMENT, at, self.values.shape[0], offsets[i + 1])
        return 0


def decode(int encoding, int type, int32_t type_length, data, size_t count, size_t at=0, dictionary=None):
    """Decode `count` values of a page: return (values, end); see the twin."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t size = view.shape[0]
    cdef Dictionary through = None
    cdef Cursor cursor
    cdef pqx_buffer previous
    cdef pqx_error error
    cursor.gives = BITS if type == PHYSICAL_BOOLEAN else VALUES
    cursor.width = pqx_fixed_width(type, type_length)
    if (dictionary is not None and count and (cursor.width or type == PHYSICAL_BYTE_ARRAY) and at <= size
            and encoding in (ENCODING_PLAIN_DICTIONARY, ENCODING_RLE_DICTIONARY)):
        through = Dictionary(dictionary, cursor.width, at)
    if pqx_values_begin(&cursor.values, encoding, type, type_length, &view[0] if size else NULL, size, at, count,
                        &through.known if through is not None else NULL, &error):
        raise exception_of(&error)
    previous.data, previous.size, previous.capacity = NULL, 0, 0
    cursor.values.previous = &previous
    try:
        if type == PHYSICAL_BYTE_ARRAY:
            return binary(&cursor.values, count, size - at), pqx_values_end(&cursor.values)
        return decoded(&cursor, count, size - at), pqx_values_end(&cursor.values)
    finally:
        pqx_buffer_free(&previous)


def decode_levels(int encoding, uint32_t max_level, data, size_t count, size_t at=0, end=None):
    """Decode `count` levels in ``data[at:end]``: return (integers of 16 bits, end); see the twin."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t size = view.shape[0], limit = size if end is None else end
    cdef Cursor cursor
    cdef pqx_error error
    if limit > size:
        raise wire_error(PQX_BAD_ARGUMENT, at, size, limit)
    cursor.gives, cursor.width, cursor.limit = LEVELS, 2, max_level
    if pqx_levels_begin(&cursor.runs, encoding, max_level, &view[0] if size else NULL, limit, at, &error):
        raise exception_of(&error)
    return decoded(&cursor, count, limit - at), pqx_runs_end(&cursor.runs)


def decode_indices(data, size_t count, uint32_t dictionary_count, size_t at=0):
    """Decode `count` indices, preceded by their width: return (integers of 32 bits, end); see the twin."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t size = view.shape[0]
    cdef Cursor cursor
    cdef pqx_error error
    if at > size:
        raise wire_error(PQX_TRUNCATED, at, 1, 0)
    if count == 0:
        return b"", at
    cursor.gives, cursor.width, cursor.limit = INDICES, 4, dictionary_count
    if pqx_indices_begin(&cursor.runs, &view[0] if size else NULL, size, at, &error):
        raise exception_of(&error)
    return decoded(&cursor, count, size - at), pqx_runs_end(&cursor.runs)
