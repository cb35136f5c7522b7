"""Process any Thrift compact value: skip it, iterate over a struct's fields, find a field, follow a path."""

from array import array

from cpython.bytes cimport PyBytes_AsString

from .. import wire
from ..errors import wire_error

from libc.stdint cimport UINT32_MAX, int16_t, int32_t, uint8_t, uint32_t

from .capi cimport (
    pqx_error, pqx_field, pqx_thrift_check_sizes, pqx_thrift_find, pqx_thrift_next, pqx_thrift_path,
    pqx_thrift_skip_within, exception_of, view_of,
)

__all__ = ["blanked", "check_sizes", "fields", "find", "path", "skip", "struct_end"]

cdef int STRUCT = wire.TYPE_STRUCT
cdef int MAX_DEPTH = wire.MAX_DEPTH


def skip(data, size_t at, int type, int max_depth=MAX_DEPTH):
    """Return the offset after the value of compact type `type` at ``data[at]``; a boolean takes no byte."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0], end = 0
    cdef int status
    cdef pqx_error error
    with nogil:
        status = pqx_thrift_skip_within(start, size, at, type, max_depth, &end, &error)
    if status:
        raise exception_of(&error)
    return end


def struct_end(data, size_t at=0, int max_depth=MAX_DEPTH):
    """Return the offset after the stop byte of the struct at ``data[at]``."""
    return skip(data, at, STRUCT, max_depth)


def fields(data, size_t at=0, int max_depth=MAX_DEPTH):
    """Return a list of the struct's fields: (id, type, offset of the header, of the value, of the value's end)."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0]
    cdef int16_t previous = 0
    cdef int status, more = 1
    cdef pqx_field field
    cdef pqx_error error
    if max_depth < 0 or max_depth > MAX_DEPTH:
        raise wire_error(wire.BAD_ARGUMENT, 0, MAX_DEPTH, max(max_depth, 0))
    if at > size:
        raise wire_error(wire.TRUNCATED, at, 1, 0)
    if max_depth == 0:
        raise wire_error(wire.TOO_DEEP, at, 0, 0)
    found = []
    while True:
        status = pqx_thrift_next(start, size, at, previous, max_depth - 1, &field, &more, &error)
        if status:
            raise wire_error(error.code, error.offset, max_depth if status == wire.TOO_DEEP else error.expected, error.found)
        if not more:
            return found
        found.append((field.id, field.type, field.header, field.value, field.end))
        at, previous = field.end, field.id


def blanked(bytes data not None, tuple ids not None):
    """Return the struct that fills `data` with one zero byte as the value of each field of these ids; see the twin."""
    cdef const uint8_t *start = <const uint8_t *> PyBytes_AsString(data)
    cdef size_t size = len(data), at = 0, kept = 0
    cdef int16_t previous = 0
    cdef int status, more = 1
    cdef pqx_field field
    cdef pqx_error error
    cdef bytes made = b""
    while True:
        status = pqx_thrift_next(start, size, at, previous, MAX_DEPTH - 1, &field, &more, &error)
        if status:
            raise wire_error(error.code, error.offset, MAX_DEPTH if status == wire.TOO_DEEP else error.expected, error.found)
        if not more:
            return made + data[kept:]
        if field.end > field.value and field.id in ids:
            made += data[kept:field.value] + b"\0"
            kept = field.end
        at, previous = field.end, field.id


def check_sizes(data, most_bytes=None, most_items=None):
    """Raise Unsupported if the struct in `data` has a longer binary value, or a list, set or map of more items."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef uint32_t bytes_limit = UINT32_MAX if most_bytes is None else most_bytes
    cdef uint32_t items_limit = UINT32_MAX if most_items is None else most_items
    cdef size_t size = view.shape[0]
    cdef int status
    cdef pqx_error error
    with nogil:
        status = pqx_thrift_check_sizes(start, size, bytes_limit, items_limit, &error)
    if status:
        raise exception_of(&error)


def find(data, int16_t id, size_t at=0, int max_depth=MAX_DEPTH):
    """Return field `id` of the struct at ``data[at]``, like `fields`, or None; the last one with this id counts."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0]
    cdef int status, found = 0
    cdef pqx_field field
    cdef pqx_error error
    with nogil:
        status = pqx_thrift_find(start, size, at, id, max_depth, &field, &found, &error)
    if status:
        raise exception_of(&error)
    return (field.id, field.type, field.header, field.value, field.end) if found else None


def path(data, steps, size_t at=0, int max_depth=MAX_DEPTH):
    """Follow `steps` from the struct at ``data[at]``: return (type, offset of the value, of its end), or None.

    A step is a field's id in a struct, an index in a list or set, 2 n for the n-th key of a map and 2 n + 1 for its value.
    """
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef int32_t[::1] numbers = array("i", steps)
    cdef const int32_t *first = &numbers[0] if numbers.shape[0] else NULL
    cdef size_t size = view.shape[0], count = numbers.shape[0]
    cdef int status, found = 0
    cdef pqx_field value
    cdef pqx_error error
    with nogil:
        status = pqx_thrift_path(start, size, at, first, count, max_depth, &value, &found, &error)
    if status:
        raise exception_of(&error)
    return (value.type, value.value, value.end) if found else None
