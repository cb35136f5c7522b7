"""Check that all structs of a footer have the fields that readers' parsers require."""

from collections import namedtuple

from .. import wire

from libc.stdint cimport uint8_t

from .capi cimport pqx_error, pqx_find_missing, pqx_missing, exception_of, view_of

__all__ = ["Missing", "find_missing"]

Missing = namedtuple("Missing", "structure field id offset")


def find_missing(data):
    """Return the first struct that lacks a required field, or None, and the number of chunks without a path."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t size = view.shape[0]
    cdef int status
    cdef pqx_missing missing
    cdef pqx_error error
    with nogil:
        status = pqx_find_missing(start, size, &missing, &error)
    if status:
        raise exception_of(&error)
    if not missing.field:
        return None, missing.without_path
    name, rules = wire.RULES[missing.structure]
    return Missing(name, rules[missing.field][0], missing.field, missing.offset), missing.without_path
