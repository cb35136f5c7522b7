"""FSST: byte arrays as codes of symbols."""

from cpython.bytearray cimport PyByteArray_AsString, PyByteArray_FromStringAndSize, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_error, pqx_value_array, view_of
from .encode cimport Room, Values, check_size, checked_count, fail

__all__ = ["decode", "encode", "value"]

cdef extern from "encoding/fsst.h" nogil:
    ctypedef struct pqx_fsst:
        pass
    int pqx_fsst_count(const uint8_t *data, size_t size, uint64_t *count, pqx_error *error)
    int pqx_fsst_begin(pqx_fsst *fsst, uint32_t width, const uint8_t *data, size_t size, uint64_t count, pqx_error *error)
    size_t pqx_fsst_room(const pqx_fsst *fsst)
    int pqx_fsst_take(pqx_fsst *fsst, size_t count, int32_t *offsets, uint8_t *bytes, size_t *filled, size_t room,
                      pqx_error *error)
    int pqx_fsst_skip(pqx_fsst *fsst, size_t count, pqx_error *error)
    int pqx_fsst_next_room(const pqx_fsst *fsst, size_t *room, pqx_error *error)
    size_t pqx_fsst_bound(uint64_t count, size_t bytes)
    int pqx_fsst_encode(int type, int32_t type_length, const pqx_value_array *values, uint8_t *out, size_t capacity,
                        size_t *size, pqx_error *error)

cdef enum:
    BATCH = 1 << 16                              # values
    PROPORTION = 64  # decoded bytes per encoded byte that are reserved in advance

TYPES = wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY


def encode(values, count, int type, int32_t type_length):
    """Encode byte arrays; see the twin."""
    cdef uint64_t many = checked_count(count)
    if type not in TYPES:
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, type, wire.ENCODING_FSST)
    if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and type_length < 1:
        raise wire_error(wire.BAD_ARGUMENT, 0, 0x7FFFFFFF, type_length)
    cdef Values given = Values(type, values, many)
    if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        check_size(type, type_length, &given.array)
    cdef size_t bound = pqx_fsst_bound(many, given.bytes()), size = 0
    cdef Room room = Room(bound, False)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_fsst_encode(type, type_length, &given.array, room.at, bound, &size, &error)
    if status:
        fail(&error)
    return room.written(size)


def decode(data, size_t count, int type, int32_t type_length):
    """Decode byte arrays; see the twin."""
    if type not in TYPES:
        raise wire_error(wire.ENCODING, 0, type & 0xFFFFFFFF, wire.ENCODING_FSST)
    cdef uint32_t width = 0 if type == wire.PHYSICAL_BYTE_ARRAY else max(type_length, 0)
    if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and not width:
        raise wire_error(wire.BAD_ARGUMENT, 0, 1, type_length & 0xFFFFFFFF)
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t size = view.shape[0], done = 0, filled = 0, room, some
    cdef pqx_fsst fsst
    cdef pqx_error error
    cdef int status
    if pqx_fsst_begin(&fsst, width, &view[0] if size else NULL, size, count, &error):
        fail(&error)
    room = pqx_fsst_room(&fsst)
    cdef Room joined = Room(room, False)
    cdef object offsets = None
    cdef int32_t *ends = NULL
    some = min(count, max(size * PROPORTION // 4, <size_t> BATCH))
    if not width:
        offsets = PyByteArray_FromStringAndSize(NULL, <Py_ssize_t> (4 * (some + 1)))
        (<int32_t *> PyByteArray_AsString(offsets))[0] = 0
    while True:
        if not width:
            ends = <int32_t *> PyByteArray_AsString(offsets) + done + 1
        with nogil:
            status = pqx_fsst_take(&fsst, some, ends, joined.at, &filled, room, &error)
        if status:
            fail(&error)
        done += some
        if done == count:
            break
        some = min(done, count - done)
        if not width:
            PyByteArray_Resize(offsets, <Py_ssize_t> (4 * (done + some + 1)))
    return joined.written(filled) if width else (offsets, joined.written(filled))


def value(data, size_t i):
    """Decode one value alone; see the twin."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t size = view.shape[0], filled = 0, room
    cdef const uint8_t *start = &view[0] if size else NULL
    cdef uint64_t count
    cdef pqx_fsst fsst
    cdef pqx_error error
    if pqx_fsst_count(start, size, &count, &error) or pqx_fsst_begin(&fsst, 0, start, size, count, &error):
        fail(&error)
    if i >= count:
        raise wire_error(wire.BAD_ARGUMENT, 0, count, i)
    if pqx_fsst_skip(&fsst, i, &error) or pqx_fsst_next_room(&fsst, &room, &error):
        fail(&error)
    cdef bytes found = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> room)
    if pqx_fsst_take(&fsst, 1, NULL, <uint8_t *> PyBytes_AsString(found), &filled, room, &error):
        fail(&error)
    return found[:filled]
