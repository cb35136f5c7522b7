"""Write the footer index from a scan, and read the Thrift footer by it in pieces that are checked."""

cimport cython
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport UINT32_MAX, UINT64_MAX, int32_t, uint8_t, uint32_t, uint64_t

from operator import itemgetter


from .capi cimport (
    PQX_FLAT_GROUP, pqx_buffer, pqx_buffer_free, pqx_bytes, pqx_chunk, pqx_element, pqx_error, pqx_flat_facts,
    pqx_flat_node, pqx_index, pqx_index_close, pqx_index_find_field_id, pqx_index_find_name, pqx_index_get_chunks,
    pqx_index_get_created_by, pqx_index_get_facts, pqx_index_get_key_value, pqx_index_get_node,
    pqx_index_get_row_groups, pqx_index_get_sorting_columns, pqx_index_get_structs, pqx_index_guess_name, pqx_index_hold, pqx_index_io,
    pqx_index_open, pqx_index_slice, pqx_index_verify, pqx_index_write, pqx_places, pqx_row_group, pqx_sorting_column, pqx_source,
    exception_of, view_of,
)

from .reader cimport FormReader, checked
from .scan cimport Scan

from .reader import Node

__all__ = ["GROUP", "Node", "Reader", "verify", "write"]

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    FEW_NAMES = 16
    MOST_SORTED = 4  # one in so many columns; more are faster in the given order

GROUP = PQX_FLAT_GROUP
FIRST = itemgetter(0)


cdef uint64_t thrift_bytes(uint64_t footer, uint64_t payload, given) except? 0:
    """Return the number of Thrift bytes below the index; C functions refuse a footer after the payload."""
    if given is not None:
        return given
    return payload - footer if footer <= payload else UINT64_MAX


cdef class PartsReader(FormReader):
    """A footer that the C library puts together from checked parts; the forms below differ in how it is opened."""

    def __dealloc__(self):
        pqx_index_close(self.index)

    cdef void opened_index(self) noexcept:
        """Store the members of the open C reader."""
        cdef pqx_flat_facts facts
        pqx_index_get_facts(self.index, &facts)
        self.judged = True
        self.opened(&facts)

    cdef void release(self) noexcept:
        pqx_index_close(self.index)
        self.index = NULL

    cdef int find_by_name(self, const uint8_t *name, size_t size, uint32_t *ids, size_t capacity, size_t *count,
                          pqx_error *error) noexcept nogil:
        return pqx_index_find_name(self.index, name, size, ids, capacity, count, error)

    cdef int find_by_field_id(self, int32_t field_id, uint32_t *ids, size_t capacity, size_t *count,
                              pqx_error *error) noexcept nogil:
        return pqx_index_find_field_id(self.index, field_id, ids, capacity, count, error)

    cdef int read_node(self, uint32_t id, pqx_flat_node *node, pqx_error *error) noexcept nogil:
        return pqx_index_get_node(self.index, id, node, error)

    cdef int read_chunks(self, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks, pqx_places *places,
                         pqx_buffer *arena, pqx_element *judge, pqx_error *error) noexcept nogil:
        return pqx_index_get_chunks(self.index, leaf, first, count, chunks, places, arena, judge, error)

    cdef int read_row_groups(self, uint32_t first, uint32_t count, pqx_row_group *row_groups,
                             pqx_error *error) noexcept nogil:
        return pqx_index_get_row_groups(self.index, first, count, row_groups, error)

    cdef int read_sorting_columns(self, uint32_t row_group, pqx_sorting_column *columns, size_t capacity, size_t *count,
                                  pqx_error *error) noexcept nogil:
        return pqx_index_get_sorting_columns(self.index, row_group, columns, capacity, count, error)

    cdef int read_key_value(self, uint32_t index, pqx_bytes *key, pqx_bytes *value, pqx_error *error) noexcept nogil:
        return pqx_index_get_key_value(self.index, index, key, value, error)

    cdef int read_created_by(self, pqx_bytes *text, int *present, pqx_error *error) noexcept nogil:
        return pqx_index_get_created_by(self.index, text, present, error)

    cdef int write_slice(self, const uint32_t *leaves, uint32_t leaf_count, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values, pqx_buffer *out,
                         pqx_error *error) noexcept nogil:
        return pqx_index_slice(self.index, leaves, leaf_count, row_groups, row_group_count, arrow_schema, key_values, out,
                               error)

    cdef int read_whole(self, pqx_error *error) noexcept nogil:
        return pqx_index_hold(self.index, error)

    cdef void count_io(self, uint64_t *reads, uint64_t *count) noexcept nogil:
        pqx_index_io(self.index, reads, count)

    @cython.always_allow_keywords(False)
    def find_columns(self, list names not None):
        """Return the result of `find_column` for each name, read in the likely order of the leaves."""
        cdef list numbers, found
        if self.source is not None or len(names) < FEW_NAMES or len(names) >= self.leaf_count // MOST_SORTED:
            return FormReader.find_columns(self, names)
        self.enter()
        try:
            numbers = self.sorted_numbers(names)
        finally:
            self.leave()
        found = FormReader.find_columns(self, [names[number] for number in numbers])
        return [chunks for _, chunks in sorted(zip(numbers, found), key=FIRST)]

    cdef list sorted_numbers(self, list names):
        """Return the positions of names in the likely order of their leaves, because neighbours share parts."""
        cdef Py_ssize_t size
        cdef const char *text
        cdef list ids = []
        for name in names:
            try:
                text = PyUnicode_AsUTF8AndSize(name, &size)
                ids.append(pqx_index_guess_name(self.index, <const uint8_t *> text, size))
            except (TypeError, UnicodeEncodeError):
                ids.append(UINT32_MAX)
        return sorted(range(len(names)), key=ids.__getitem__)

    def chunk_structs(self, leaf, first, count):
        """Return the ColumnChunk structs of a leaf in the row groups ``[first, first + count)``."""
        cdef uint32_t number = checked(leaf, self.leaf_count)
        cdef uint32_t begin = checked(first, self.row_group_count), many = checked(count, self.row_group_count), i
        cdef bytes facts = PyBytes_FromStringAndSize(NULL, many * sizeof(pqx_chunk))
        cdef pqx_chunk *chunks = <pqx_chunk *> PyBytes_AsString(facts)
        cdef const char *data
        cdef pqx_error error
        cdef int status
        self.enter()
        try:
            self.arena.size = 0
            with nogil:
                status = pqx_index_get_structs(self.index, number, begin, many, chunks, &self.arena, &error)
            if status:
                self.fail(&error)
            data = <const char *> self.arena.data
            return [data[chunks[i].chunk.offset : chunks[i].chunk.offset + chunks[i].chunk.length] for i in range(many)]
        finally:
            self.leave()


cdef class Reader(PartsReader):
    """The Thrift footer that begins at `footer`, read by the index whose payload is [payload, payload + length).

    See `parquetext._pure.index_read.Reader` for details.
    """

    def __cinit__(self, source, uint64_t footer, uint64_t payload, uint64_t length, known, known_end=None,
                  thrift_length=None):
        cdef pqx_source from_where = self.source_of(source)
        cdef pqx_error error
        cdef int status
        cdef const uint8_t[::1] view = view_of(known)
        cdef size_t size = view.shape[0]
        cdef const uint8_t *bytes_ = &view[0] if size else NULL
        cdef uint64_t end = from_where.size if known_end is None else known_end
        cdef uint64_t limit = thrift_bytes(footer, payload, thrift_length)
        with nogil:
            status = pqx_index_open(&from_where, footer, limit, payload, length, bytes_, size, end, &self.index, &error)
        if status:
            self.fail(&error)
        self.opened_index()


def write(Scan scan not None):
    """Return the index's payload for a scanned footer, without the trailer.

    See `parquetext._pure.index_write.write` for details.
    """
    cdef pqx_buffer out
    cdef pqx_error error
    cdef int status
    cdef const uint8_t *footer = scan.start
    cdef size_t size = scan.view.shape[0]
    out.data, out.size, out.capacity = NULL, 0, 0
    with nogil:
        status = pqx_index_write(footer, size, &scan.result, &out, &error)
    try:
        if status:
            raise exception_of(&error)
        return PyBytes_FromStringAndSize(<char *> out.data, out.size)
    finally:
        pqx_buffer_free(&out)


def verify(data, size_t payload, size_t length, size_t footer=0, thrift_length=None):
    """Check the index at ``[payload, payload + length)`` of `data`, in which the Thrift footer is ``[footer:]``.

    See `parquetext._pure.index.verify` for details.
    """
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t size = view.shape[0]
    cdef const uint8_t *start = &view[0] if size else NULL
    cdef uint64_t limit = thrift_bytes(footer, payload, thrift_length)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_index_verify(start, size, footer, limit, payload, length, &error)
    if status:
        raise exception_of(&error)
