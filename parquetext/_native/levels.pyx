"""Derive lists and structs from definition and repetition levels; see the twin."""

from libc.stdint cimport INT32_MAX, int32_t, uint8_t, uint16_t

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_error, exception_of
from .column cimport adopt, release, reserve, trim
from .column_api cimport (
    pqx_levels, pqx_list, pqx_list_offsets, pqx_list_valid, pqx_memory, pqx_struct, pqx_struct_valid,
)

__all__ = ["offsets", "validity"]


cdef object take(object levels, size_t entries, const uint16_t **start):
    """Return an object that keeps `entries` levels alive, and store their address."""
    cdef const uint8_t[::1] view
    start[0] = NULL
    if levels is None:
        return None
    held = memoryview(levels).cast("B")
    view = held
    if <size_t> view.shape[0] // 2 < entries:
        raise wire_error(wire.BAD_ARGUMENT, 0, view.shape[0] // 2, entries)
    start[0] = <const uint16_t *> (&view[0] if view.shape[0] else NULL)
    return held


def offsets(definition, repetition, size_t entries, *, uint16_t ancestor_definition, uint16_t definition_level,
            uint16_t repetition_level):
    """Return the offsets and the validity of lists: (offsets, valid or None, nulls, count)."""
    cdef pqx_levels levels
    cdef pqx_list of
    cdef pqx_memory made, valid
    cdef size_t count, nulls
    cdef pqx_error error
    cdef int status
    if entries > <size_t> INT32_MAX:
        raise wire_error(wire.BAD_ARGUMENT, 0, INT32_MAX, entries)
    held = take(definition, entries, &levels.definition), take(repetition, entries, &levels.repetition)
    if repetition is None:
        raise TypeError("lists have repetition levels")
    levels.entries = entries
    of.ancestor_definition, of.definition, of.repetition = ancestor_definition, definition_level, repetition_level
    made.data = valid.data = NULL
    made.capacity = valid.capacity = 0
    try:
        reserve(&made, 4 * (entries + 1))
        with nogil:
            status = pqx_list_offsets(&levels, &of, <int32_t *> made.data, &count, &nulls, &error)
        if status:
            raise exception_of(&error)
        if nulls:
            reserve(&valid, (count + 7) // 8)
            with nogil:
                pqx_list_valid(&levels, &of, valid.data)
        trim(&made, 4 * (count + 1))
        return (adopt(&made, 4 * (count + 1)), adopt(&valid, (count + 7) // 8) if nulls else None, nulls, count)
    finally:
        release(&made)
        release(&valid)


def validity(definition, repetition, size_t entries, *, uint16_t ancestor_definition, uint16_t ancestor_repetition,
             uint16_t level):
    """Return the validity of structs: (valid or None, nulls, count)."""
    cdef pqx_levels levels
    cdef pqx_struct of
    cdef pqx_memory valid
    cdef size_t count, nulls
    held = take(definition, entries, &levels.definition), take(repetition, entries, &levels.repetition)
    levels.entries = entries
    of.ancestor_definition, of.ancestor_repetition, of.definition = ancestor_definition, ancestor_repetition, level
    valid.data, valid.capacity = NULL, 0
    try:
        reserve(&valid, (entries + 7) // 8)
        with nogil:
            pqx_struct_valid(&levels, &of, valid.data, &count, &nulls)
        if not nulls:
            return None, 0, count
        trim(&valid, (count + 7) // 8)
        return adopt(&valid, (count + 7) // 8), nulls, count
    finally:
        release(&valid)
