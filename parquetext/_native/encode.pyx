"""Encode values, levels and dictionary indices for pages."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t

from .. import wire
from ..errors import wire_error

from .capi cimport (
    PQX_PHYSICAL_BYTE_ARRAY, pqx_dictionary_of, pqx_dictionary_room, pqx_encode, pqx_encode_alp, pqx_encode_alp_bound,
    pqx_encode_bound, pqx_encode_indices,
    pqx_encode_indices_bound, pqx_encode_levels, pqx_encode_levels_bound, pqx_error, pqx_value_array,
    exception_of,
)

__all__ = ["dictionary_of", "encode", "indices", "levels"]

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from "base/pages.h" nogil:
    void *pqx_reserve(size_t size)
    void pqx_release(void *memory)

cdef enum:
    MOST_VALUES = 2147483647
    MOST_ALP_VALUES = 1 << 28
    LEAST_ALP_SIZE = 8  # of a vector
    MOST_ALP_SIZE = 1 << 15


cdef class Room:
    """Memory to write to: the result itself if its size is known, else a buffer from which the result is copied."""
    def __cinit__(self, size_t size, bint exact):
        if size > <size_t> PY_SSIZE_T_MAX:
            raise wire_error(wire.NO_MEMORY, 0, size)
        if exact:
            self.result = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> size)
            self.at = <uint8_t *> PyBytes_AsString(self.result)
            return
        self.reserved = pqx_reserve(size)
        self.at = <uint8_t *> self.reserved
        if self.reserved == NULL:
            raise wire_error(wire.NO_MEMORY, 0, size)

    def __dealloc__(self):
        pqx_release(self.reserved)

    cdef bytes written(self, size_t size):
        if self.result is not None:
            return self.result
        return PyBytes_FromStringAndSize(<char *> self.at, <Py_ssize_t> size)


cdef fail(const pqx_error *error):
    raise exception_of(error)


cdef uint64_t checked_count(count) except? 0:
    if not 0 <= count <= MOST_VALUES:
        raise wire_error(wire.TOO_MANY, 0, MOST_VALUES, count)
    return count


cdef class View:
    """A buffer's bytes, at least as many as needed, aligned so that numbers of `width` bytes can be loaded."""
    def __cinit__(self, data, uint64_t needed, uint32_t width):
        self.held = data if type(data) is bytes else memoryview(data).cast("B")
        self.size = self.held.shape[0]
        if self.size < needed:
            raise wire_error(wire.VALUES_SIZE, 0, needed, self.size)
        self.at = &self.held[0] if self.size else NULL
        if <uintptr_t> self.at % width:
            self.held = bytes(self.held)
            self.at = &self.held[0]


cdef class Values:
    """Values in the form that decoders return; this object keeps them alive."""
    def __cinit__(self, int type, values, uint64_t count):
        if type == PQX_PHYSICAL_BYTE_ARRAY:
            offsets, data = values
            self.offsets = View(offsets, 4 * (count + 1), 4)
            self.array.offsets = <const int32_t *> self.offsets.at
        else:
            data = values
        self.data = View(data, 0, 1)
        self.array.data, self.array.size, self.array.count = self.data.at, self.data.size, count

    cdef size_t bytes(self):
        """Return the size of all byte arrays; 0 if the offsets are wrong."""
        if self.array.offsets == NULL:
            return self.array.size
        cdef int32_t first = self.array.offsets[0], last = self.array.offsets[self.array.count]
        return last - first if 0 <= first <= last and <size_t> last <= self.array.size else 0


def encode(int encoding, int type, int32_t type_length, values, count, *, vector_size=1024):
    """Encode values; see the twin."""
    cdef uint64_t many = checked_count(count)
    if not pqx_encode_bound(encoding, type, type_length, 8, 8):  # 0 only if it does not support the type
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, type, encoding)
    if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and type_length < 1:
        raise wire_error(wire.BAD_ARGUMENT, 0, MOST_VALUES, type_length)
    if encoding == wire.ENCODING_ALP:
        return encode_alp(type, values, many, vector_size)
    cdef Values given = Values(type, values, many)
    cdef size_t bound = pqx_encode_bound(encoding, type, type_length, many, given.bytes()), size = 0
    cdef Room room
    cdef pqx_error error
    cdef int status
    if type != PQX_PHYSICAL_BYTE_ARRAY:
        check_size(type, type_length, &given.array)
    room = Room(bound, type != PQX_PHYSICAL_BYTE_ARRAY and encoding in (wire.ENCODING_PLAIN, wire.ENCODING_BYTE_STREAM_SPLIT))
    with nogil:
        status = pqx_encode(encoding, type, type_length, &given.array, room.at, bound, &size, &error)
    if status:
        fail(&error)
    return room.written(size)


cdef bytes encode_alp(int type, values, uint64_t count, vector_size):
    if not LEAST_ALP_SIZE <= vector_size <= MOST_ALP_SIZE or vector_size & (vector_size - 1):
        raise wire_error(wire.BAD_ARGUMENT, 0, MOST_ALP_SIZE, vector_size)
    cdef uint32_t bits = vector_size.bit_length() - 1
    if count > MOST_ALP_VALUES:
        raise wire_error(wire.TOO_MANY, 0, MOST_ALP_VALUES, count)
    cdef Values given = Values(type, values, count)
    check_size(type, 0, &given.array)
    cdef size_t bound = pqx_encode_alp_bound(type, count, bits), size = 0
    cdef Room room = Room(bound, False)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_encode_alp(type, &given.array, bits, room.at, bound, &size, &error)
    if status:
        fail(&error)
    return room.written(size)


cdef check_size(int type, int32_t type_length, const pqx_value_array *values):
    """Check the size of the values before memory is reserved."""
    cdef uint64_t width = 0 if type == wire.PHYSICAL_BOOLEAN else wire.WIDTH_IN_PAGES.get(type, type_length)
    cdef uint64_t needed = values.count * width if width else (values.count + 7) // 8
    if needed > values.size:
        raise wire_error(wire.VALUES_SIZE, 0, needed, values.size)


def levels(values, count, uint32_t max_level, int encoding=wire.ENCODING_RLE):
    """Encode levels; see the twin."""
    cdef uint64_t many = checked_count(count)
    cdef View given = View(values, 2 * many, 2)
    cdef size_t bound = pqx_encode_levels_bound(max_level, many), size = 0
    cdef Room room = Room(bound, False)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_encode_levels(encoding, <const uint16_t *> given.at, many, max_level, room.at, bound, &size, &error)
    if status:
        fail(&error)
    return room.written(size)


def indices(values, count, uint32_t dictionary_count):
    """Encode dictionary indices; see the twin."""
    cdef uint64_t many = checked_count(count)
    cdef View given = View(values, 4 * many, 4)
    cdef size_t bound = pqx_encode_indices_bound(dictionary_count, many), size = 0
    cdef Room room = Room(bound, False)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_encode_indices(<const uint32_t *> given.at, many, dictionary_count, room.at, bound, &size, &error)
    if status:
        fail(&error)
    return room.written(size)


def dictionary_of(int type, int32_t type_length, values, count, most_values, most_bytes):
    """Find the distinct values; see the twin."""
    cdef uint64_t many = checked_count(count)
    cdef uint32_t entries = max(0, min(most_values, 0xFFFFFFFF))
    cdef size_t limit = max(0, min(most_bytes, PY_SSIZE_T_MAX))
    cdef int is_binary = type == PQX_PHYSICAL_BYTE_ARRAY, fits = 0, status
    cdef pqx_dictionary_room room
    cdef pqx_error error
    cdef Room found, ends, numbers
    if type <= wire.PHYSICAL_BOOLEAN or type > wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, type, wire.ENCODING_RLE_DICTIONARY)
    if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and type_length < 1:
        raise wire_error(wire.BAD_ARGUMENT, 0, MOST_VALUES, type_length)
    cdef Values given = Values(type, values, many)
    if not is_binary:
        check_size(type, type_length, &given.array)
    found, numbers = Room(min(limit, given.bytes()), False), Room(4 * many, True)
    room.values, room.indices, room.offsets = found.at, <uint32_t *> numbers.at, NULL
    if is_binary:
        ends = Room(4 * (min(<uint64_t> entries, many) + 1), False)
        room.offsets = <int32_t *> ends.at
    with nogil:
        status = pqx_dictionary_of(type, type_length, &given.array, entries, limit, &room, &fits, &error)
    if status:
        fail(&error)
    if not fits:
        return None
    distinct = found.written(room.size)
    return (ends.written(4 * (<size_t> room.count + 1)), distinct) if is_binary else distinct, room.count, numbers.written(4 * many)
