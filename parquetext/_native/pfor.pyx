"""PFOR: integers in vectors with individual bit widths and exceptions."""

from cpython.bytearray cimport PyByteArray_AsString, PyByteArray_FromStringAndSize, PyByteArray_Resize
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_error, pqx_value_array, view_of
from .encode cimport Room, Values, check_size, checked_count, fail

__all__ = ["decode", "encode"]

cdef extern from "encoding/pfor.h" nogil:
    enum:
        PQX_PFOR_LEAST_LOG
        PQX_PFOR_MOST_LOG
        PQX_PFOR_MOST_VALUES
    ctypedef struct pqx_pfor:
        uint64_t left
    int pqx_pfor_begin(pqx_pfor *pfor, uint32_t width, const uint8_t *data, size_t size, uint64_t count, pqx_error *error)
    int pqx_pfor_take(pqx_pfor *pfor, size_t room, uint8_t *out, size_t *taken, pqx_error *error)
    size_t pqx_pfor_bound(uint32_t width, uint64_t count, uint32_t log_vector_size)
    int pqx_pfor_encode(int type, const pqx_value_array *values, uint32_t log_vector_size, uint8_t *out, size_t capacity,
                        size_t *size, pqx_error *error)

cdef enum:
    PROPORTION = 64  # decoded bytes per encoded byte that are reserved in advance

WIDTHS = {wire.PHYSICAL_INT32: 4, wire.PHYSICAL_INT64: 8}


def encode(values, count, int type, int32_t type_length=0, *, vector_size=1024):
    """Encode integers; see the twin."""
    cdef uint64_t many = checked_count(count)
    if type not in WIDTHS:
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, type, wire.ENCODING_PFOR)
    cdef int log = int(vector_size).bit_length() - 1
    if not PQX_PFOR_LEAST_LOG <= log <= PQX_PFOR_MOST_LOG or vector_size != 1 << log:
        raise wire_error(wire.BAD_ARGUMENT, 0, PQX_PFOR_MOST_VALUES, vector_size & 0xFFFFFFFFFFFFFFFF)
    cdef Values given = Values(type, values, many)
    check_size(type, 0, &given.array)
    cdef size_t bound = pqx_pfor_bound(WIDTHS[type], many, log), size = 0
    cdef Room room = Room(bound, False)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_pfor_encode(type, &given.array, log, room.at, bound, &size, &error)
    if status:
        fail(&error)
    return room.written(size)


def decode(data, size_t count, int type, int32_t type_length=0):
    """Decode integers; see the twin."""
    if type not in WIDTHS:
        raise wire_error(wire.ENCODING, 0, type & 0xFFFFFFFF, wire.ENCODING_PFOR)
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t size = view.shape[0], done = 0, taken, room
    cdef uint32_t width = WIDTHS[type]
    cdef pqx_pfor pfor
    cdef pqx_error error
    cdef int status
    if pqx_pfor_begin(&pfor, width, &view[0] if size else NULL, size, count, &error):
        fail(&error)
    # A few bytes may promise many values, so memory grows with the decoded values.
    room = min(count, max(size * PROPORTION // width, <size_t> (2 * PQX_PFOR_MOST_VALUES)))
    cdef object decoded = PyByteArray_FromStringAndSize(NULL, <Py_ssize_t> (room * width))
    cdef uint8_t *out
    while True:
        out = <uint8_t *> PyByteArray_AsString(decoded) + done * width
        with nogil:
            status = pqx_pfor_take(&pfor, room - done, out, &taken, &error)
        if status:
            fail(&error)
        done += taken
        if pfor.left == 0:
            return decoded
        room = min(count, 2 * room)
        PyByteArray_Resize(decoded, <Py_ssize_t> (room * width))
