"""Read the note in our sidecars that provides slices of the Parquet file's footer."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_buffer, pqx_buffer_free, pqx_bytes, pqx_chunk, pqx_element, pqx_error, pqx_places, exception_of
from .chunks cimport Chunks, wrap
from .scan cimport Scan
from .sidecar_api cimport pqx_pm_get_chunks, pqx_pm_open_slices, pqx_pm_slice, pqx_pm_slices, pqx_pm_write_runs
from .sidecar_reader cimport Reader, number_of
from .slice cimport Selection, selected

__all__ = ["Slices", "runs"]


def runs(Scan scan not None):
    """Return the data of a scanned footer's chunks that `_pm` lacks, leaf by leaf.

    See `parquetext._pure.sidecar_slice.runs` for details.
    """
    cdef pqx_buffer ends = pqx_buffer(NULL, 0, 0), out = pqx_buffer(NULL, 0, 0)
    cdef pqx_error error
    cdef int whole, status
    try:
        with nogil:
            status = pqx_pm_write_runs(&scan.result, &ends, &out, &whole, &error)
        if status:
            raise exception_of(&error)
        if not whole:
            return None
        return bytes_of(pqx_bytes(ends.data, ends.size)), bytes_of(pqx_bytes(out.data, out.size))
    finally:
        pqx_buffer_free(&ends)
        pqx_buffer_free(&out)


cdef bytes bytes_of(pqx_bytes part):
    return PyBytes_FromStringAndSize(<const char *> part.data, part.size)


cdef class Facts:
    """The records of one leaf's chunks."""

    cdef pqx_chunk *chunks
    cdef pqx_places *places

    def __dealloc__(self):
        free(self.chunks)
        free(self.places)


cdef class Slices:
    """The note of a sidecar for slices of its file's footer.

    See `parquetext._pure.sidecar_slice.Slices` for details.
    """

    cdef Reader reader
    cdef bytes note
    cdef pqx_pm_slices parts

    def __init__(self, Reader reader not None, bytes note not None):
        cdef pqx_error error
        self.reader, self.note = reader, note
        if pqx_pm_open_slices(<const uint8_t *> PyBytes_AsString(note), len(note), &self.parts, &error):
            raise exception_of(&error)

    @property
    def schema(self):
        return bytes_of(self.parts.schema)

    @property
    def key_values(self):
        return bytes_of(self.parts.key_values)

    @property
    def key_value_count(self):
        return self.parts.key_value_count

    def column(self, Scan schema not None, leaf):
        """Return the `Chunks` of a leaf as from a Thrift footer; raise Damaged if the scanned schema does not fit."""
        cdef uint32_t number = number_of(leaf, schema.result.leaf_count), count = self.reader.f.row_group_count
        cdef Facts facts = Facts.__new__(Facts)
        cdef const pqx_element *element
        cdef pqx_error error
        cdef int status
        if number >= schema.result.leaf_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, schema.result.leaf_count, number)
        element = &schema.result.elements[schema.result.leaves[number]]
        facts.chunks = <pqx_chunk *> malloc(count * sizeof(pqx_chunk) + 1)
        facts.places = <pqx_places *> malloc(count * sizeof(pqx_places) + 1)
        if facts.chunks == NULL or facts.places == NULL:
            raise MemoryError
        with nogil:
            status = pqx_pm_get_chunks(&self.reader.pm, &self.reader.f, &self.parts, element, number, 0, count,
                                       facts.chunks, facts.places, &error)
        if status:
            raise exception_of(&error)
        return wrap(facts.chunks, facts.places, count, 1, facts, self.reader.data, self.reader.pm.data, element)

    def slice(self, Scan schema not None, leaves, row_groups, *, bint arrow_schema=True, bint key_values=False):
        """Return the slice of the footer; see `slice.slice_footer`.

        Raise Damaged if schema and sidecar do not match.
        """
        cdef Selection some = selected(leaves, schema.result.leaf_count, row_groups, self.reader.f.row_group_count)
        cdef pqx_buffer out = pqx_buffer(NULL, 0, 0)
        cdef pqx_error error
        cdef size_t size = schema.view.shape[0]
        cdef int status
        with nogil:
            status = pqx_pm_slice(&self.reader.pm, &self.reader.f, &self.parts, schema.start, size, &schema.result,
                                  some.leaves, some.leaf_count, some.row_groups, some.row_group_count, arrow_schema,
                                  key_values, &out, &error)
        try:
            if status:
                raise exception_of(&error)
            return bytes_of(pqx_bytes(out.data, out.size))
        finally:
            pqx_buffer_free(&out)
