"""Write a small, valid Thrift footer for a projection, with only its row groups, leaves and the groups above them."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t

from .. import wire
from ..errors import wire_error

from .capi cimport (
    pqx_arrow_field_name, pqx_arrow_field_piece, pqx_arrow_schema, pqx_arrow_schema_build, pqx_arrow_schema_free,
    pqx_arrow_schema_parse, pqx_buffer, pqx_buffer_free, pqx_bytes, pqx_error, pqx_slice_footer,
    exception_of,
)
from .scan cimport Scan

__all__ = ["arrow_build", "arrow_names", "arrow_pieces", "slice_footer"]


cdef bytes indexes(values, uint32_t limit):
    """Pack the values as uint32s, followed by a zero, so that a pointer to them is always valid."""
    cdef bytes packed = PyBytes_FromStringAndSize(NULL, 4 * (len(values) + 1))
    cdef uint32_t *to = <uint32_t *> PyBytes_AsString(packed)
    cdef Py_ssize_t i
    to[len(values)] = 0
    for i, value in enumerate(values):
        if not 0 <= value < limit:
            raise wire_error(wire.BAD_ARGUMENT, 0, limit, value)
        to[i] = value
    return packed


cdef class Selection:
    """The numbers of the leaves and row groups of a slice."""


cdef Selection selected(leaves, uint32_t all_leaves, row_groups, uint32_t all_row_groups):
    """Check the numbers of leaves and row groups."""
    cdef Selection made = Selection.__new__(Selection)
    made.leaf_indexes, made.row_group_indexes = indexes(leaves, all_leaves), indexes(row_groups, all_row_groups)
    made.leaves = <const uint32_t *> PyBytes_AsString(made.leaf_indexes)
    made.row_groups = <const uint32_t *> PyBytes_AsString(made.row_group_indexes)
    made.leaf_count, made.row_group_count = len(leaves), len(row_groups)
    return made


def slice_footer(Scan scan not None, leaves, row_groups, *, bint arrow_schema=True, bint key_values=False):
    """Return the slice of a scanned footer.

    See `parquetext._pure.slice.slice_footer` for details.
    """
    cdef Selection some = selected(leaves, scan.result.leaf_count, row_groups, scan.result.row_group_count)
    cdef pqx_buffer out = pqx_buffer(NULL, 0, 0)
    cdef pqx_error error
    cdef size_t size = scan.view.shape[0]
    cdef int status
    with nogil:
        status = pqx_slice_footer(scan.start, size, &scan.result, some.leaves, some.leaf_count, some.row_groups,
                                  some.row_group_count, arrow_schema, key_values, &out, &error)
    try:
        if status:
            raise exception_of(&error)
        return PyBytes_FromStringAndSize(<char *> out.data, out.size)
    finally:
        pqx_buffer_free(&out)


cdef class Schema:
    """The Arrow schema of a key-value entry."""
    cdef pqx_arrow_schema schema
    cdef bytes text

    def __cinit__(self, text):
        cdef pqx_error error
        self.text = bytes(text)
        if pqx_arrow_schema_parse(<const uint8_t *> PyBytes_AsString(self.text), len(self.text), &self.schema, &error):
            raise exception_of(&error)

    def __dealloc__(self):
        pqx_arrow_schema_free(&self.schema)

    cdef bytes name(self, uint32_t index):
        cdef pqx_bytes name
        cdef pqx_error error
        if pqx_arrow_field_name(&self.schema, index, &name, &error):
            raise exception_of(&error)
        return PyBytes_FromStringAndSize(<const char *> name.data, name.size)

    cdef bytes piece(self, uint32_t index):
        cdef pqx_buffer out = pqx_buffer(NULL, 0, 0)
        cdef pqx_error error
        try:
            if pqx_arrow_field_piece(&self.schema, index, &out, &error):
                raise exception_of(&error)
            return PyBytes_FromStringAndSize(<char *> out.data, out.size)
        finally:
            pqx_buffer_free(&out)


def arrow_names(text):
    """Return the names of the top-level fields of an ``ARROW:schema`` value."""
    cdef Schema schema = Schema(text)
    return [schema.name(index) for index in range(schema.schema.field_count)]


def arrow_pieces(text):
    """Return the top-level fields of an ``ARROW:schema`` value as self-contained pieces without their names.

    See `parquetext._pure.slice.arrow_pieces` for details.
    """
    cdef Schema schema = Schema(text)
    return [schema.piece(index) for index in range(schema.schema.field_count)]


cdef bytes ranges(list values):
    """Pack the values as pqx_bytes; None becomes NULL."""
    cdef bytes packed = PyBytes_FromStringAndSize(NULL, (len(values) + 1) * sizeof(pqx_bytes))
    cdef pqx_bytes *to = <pqx_bytes *> PyBytes_AsString(packed)
    cdef Py_ssize_t i
    for i, value in enumerate(values):
        to[i] = pqx_bytes(NULL, 0) if value is None else pqx_bytes(<const uint8_t *> PyBytes_AsString(value), len(value))
    return packed


def arrow_build(pieces, names, keep=None):
    """Combine pieces and names into an ``ARROW:schema`` value.

    See `parquetext._pure.slice.arrow_build` for details.
    """
    pieces, names = [bytes(piece) for piece in pieces], [bytes(name) for name in names]
    keep = [None] * len(pieces) if keep is None else [None if one is None else bytes(one) for one in keep]
    if len(names) != len(pieces) or len(keep) != len(pieces):
        raise ValueError("pieces, names and keep differ in number")
    cdef bytes piece_ranges = ranges(pieces), name_ranges = ranges(names), keep_ranges = ranges(keep)
    cdef pqx_buffer out = pqx_buffer(NULL, 0, 0)
    cdef pqx_error error
    try:
        if pqx_arrow_schema_build(<const pqx_bytes *> PyBytes_AsString(piece_ranges),
                                  <const pqx_bytes *> PyBytes_AsString(name_ranges),
                                  <const pqx_bytes *> PyBytes_AsString(keep_ranges), len(pieces), &out, &error):
            raise exception_of(&error)
        return PyBytes_FromStringAndSize(<char *> out.data, out.size)
    finally:
        pqx_buffer_free(&out)
