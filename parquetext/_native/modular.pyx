"""The modular footer: its root, the chunks of a column, and the index of its schema."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_buffer, pqx_buffer_free, pqx_bytes, pqx_error, exception_of, view_of

__all__ = ["Placement", "SchemaIndex", "hash_of", "pack", "read_root", "statistics_directory", "verify_array",
           "verify_struct"]

cdef extern from "modular/modular.h" nogil:
    ctypedef struct pqx_modular_array:
        uint64_t count
    ctypedef struct pqx_modular_module:
        int is_there
        uint64_t offset, length
    ctypedef struct pqx_modular_root:
        int32_t version
        uint32_t row_groups, columns
        int64_t rows
        pqx_modular_module modules[7]
    ctypedef struct pqx_modular_placement:
        uint32_t leaves, row_groups, has
        pqx_modular_array arrays[11]
    ctypedef struct pqx_modular_names:
        pqx_modular_array offsets, leaf_elements, parents
        int has_leaf_elements, has_parents, has_non_ascii_names, is_flat
        uint32_t leaves
    ctypedef struct pqx_modular_writing:
        pqx_bytes statistics, path
        int deprecated, in_row_groups
    int PQX_MODULAR_KINDS
    int pqx_modular_read_root(const uint8_t *data, size_t size, pqx_modular_root *root, pqx_error *error)
    int pqx_modular_read_placement(const uint8_t *data, size_t size, uint32_t leaves, uint32_t row_groups,
                                   pqx_modular_placement *placement, pqx_error *error)
    int pqx_modular_rows(const pqx_modular_placement *placement, int64_t *out, pqx_error *error)
    int pqx_modular_row_group_bytes(const pqx_modular_placement *placement, int64_t *out, pqx_error *error)
    int pqx_modular_chunks(const pqx_modular_placement *placement, uint32_t leaf, uint32_t first, uint32_t count,
                           const pqx_modular_writing *writing, pqx_buffer *out, uint32_t *lengths, pqx_error *error)
    int pqx_modular_statistics(const uint8_t *data, size_t size, uint32_t leaf, uint32_t leaves, uint64_t *begin,
                               uint64_t *end, pqx_error *error)
    int pqx_modular_read_names(const uint8_t *data, size_t size, uint32_t leaves, pqx_modular_names *names,
                               pqx_error *error)
    uint64_t pqx_modular_hash(const uint8_t *path, size_t size)
    int pqx_modular_candidates(const pqx_modular_names *names, const uint8_t *path, size_t size, uint32_t *found,
                               size_t capacity, size_t *count, pqx_error *error)
    int pqx_modular_pack(const uint64_t *numbers, size_t count, unsigned width, uint8_t *out, pqx_error *error)
    int pqx_modular_present(const pqx_modular_array *array, uint64_t position, uint64_t *number, pqx_error *error)
    int pqx_modular_verify_array(const uint8_t *data, size_t size, size_t at, int is_text, pqx_error *error)
    int pqx_modular_verify_struct(const uint8_t *data, size_t size, uint32_t texts, pqx_error *error)

cdef enum:
    DICTIONARIES = 3
    MOST_CANDIDATES = 1 << 10
    MOST_BITS = 64


cdef int fail(const pqx_error *error) except -1:
    raise exception_of(error)


cdef const uint8_t *start_of(const uint8_t[::1] view) noexcept nogil:
    return &view[0] if view.shape[0] else NULL


def hash_of(bytes path not None):
    """Return FNV-1a-64 of a path, names with NUL between them, with its ASCII letters in lower case."""
    return pqx_modular_hash(<const uint8_t *> PyBytes_AsString(path), len(path))


def pack(numbers, int width):
    """Return numbers of `width` bits, which is at most 64 and enough for each.

    See `parquetext._pure.modular_arrays.pack` for details.
    """
    if not 0 <= width <= MOST_BITS:
        raise wire_error(wire.BAD_ARGUMENT, 0, MOST_BITS, max(width, 0))
    cdef Py_ssize_t count = len(numbers)
    cdef bytes room = PyBytes_FromStringAndSize(NULL, 8 * count)
    cdef uint64_t *values = <uint64_t *> PyBytes_AsString(room)
    cdef Py_ssize_t i = 0
    cdef pqx_error error
    for number in numbers:
        if i == count:
            break
        values[i] = number
        i += 1
    cdef bytes out = PyBytes_FromStringAndSize(NULL, (i * width + 7) // 8)
    if pqx_modular_pack(values, i, width, <uint8_t *> PyBytes_AsString(out), &error):
        fail(&error)
    return out


def read_root(data):
    """Read the root struct at the begin of `data`.

    See `parquetext._pure.modular_root.read_root` for details.
    """
    cdef const uint8_t[::1] view = view_of(data)
    cdef pqx_modular_root root
    cdef pqx_error error
    cdef int kind
    if pqx_modular_read_root(start_of(view), view.shape[0], &root, &error):
        fail(&error)
    modules = {
        kind: (root.modules[kind].offset, root.modules[kind].length)
        for kind in range(PQX_MODULAR_KINDS)
        if root.modules[kind].is_there
    }
    return root.version, root.row_groups, root.columns, root.rows, modules


def statistics_directory(data, leaf, uint32_t leaves):
    """Return the offsets, as they are stored, of the begin and the end of a column's statistics.

    See `parquetext._pure.modular_chunks.statistics_directory` for details.
    """
    cdef const uint8_t[::1] view = view_of(data)
    cdef uint64_t begin, end
    cdef pqx_error error
    if not 0 <= leaf < leaves:
        raise wire_error(wire.BAD_ARGUMENT, 0, leaves, leaf)
    if pqx_modular_statistics(start_of(view), view.shape[0], leaf, leaves, &begin, &end, &error):
        fail(&error)
    return begin, end


def verify_array(data, size_t at, *, bint is_text=False):
    """Check that the array at ``data[at]`` has just the bytes it needs.

    See `parquetext._pure.modular_verify.verify_array` for details.
    """
    cdef const uint8_t[::1] view = view_of(data)
    cdef pqx_error error
    if pqx_modular_verify_array(start_of(view), view.shape[0], at, is_text, &error):
        fail(&error)


def verify_struct(data, tuple texts=()):
    """Check all arrays of the module or the column's statistics in `data`.

    See `parquetext._pure.modular_verify.verify_struct` for details.
    """
    cdef const uint8_t[::1] view = view_of(data)
    cdef pqx_error error
    cdef uint32_t bits = sum([1 << id for id in texts])
    cdef int status
    with nogil:
        status = pqx_modular_verify_struct(start_of(view), view.shape[0], bits, &error)
    if status:
        fail(&error)


cdef class Placement:
    """The module PLACEMENT, whose sizes have been checked.

    See `parquetext._pure.modular_chunks.Placement` for details.
    """

    cdef object data
    cdef const uint8_t[::1] view
    cdef pqx_modular_placement placement

    def __cinit__(self, data, uint32_t leaves, uint32_t row_groups):
        cdef pqx_error error
        self.data = data
        self.view = view_of(data)
        if pqx_modular_read_placement(start_of(self.view), self.view.shape[0], leaves, row_groups, &self.placement,
                                      &error):
            fail(&error)

    @property
    def dictionary_count(self):
        """Return the number of dictionary pages."""
        return self.placement.arrays[DICTIONARIES].count if self.placement.has >> DICTIONARIES & 1 else 0

    def rows(self):
        """Return the number of rows of each row group."""
        cdef bytes room = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (8 * <uint64_t> self.placement.row_groups))
        cdef int64_t *out = <int64_t *> PyBytes_AsString(room)
        cdef pqx_error error
        if pqx_modular_rows(&self.placement, out, &error):
            fail(&error)
        return memoryview(room).cast("q")

    def row_group_bytes(self):
        """Return the uncompressed bytes of each row group: the sum of its chunks."""
        cdef bytes room = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (8 * <uint64_t> self.placement.row_groups))
        cdef int64_t *out = <int64_t *> PyBytes_AsString(room)
        cdef pqx_error error
        cdef int status
        with nogil:
            status = pqx_modular_row_group_bytes(&self.placement, out, &error)
        if status:
            fail(&error)
        return memoryview(room).cast("q")

    def structs(self, leaf, first, count, statistics=b"", bytes path not None=b"", bint deprecated=False,
                bint in_row_groups=False):
        """Return the ColumnChunk structs of a leaf in row groups ``[first, first + count)``, and the length of each.

        See `parquetext._pure.modular_chunks.Placement.structs` for details.
        """
        cdef uint32_t leaves = self.placement.leaves, groups = self.placement.row_groups
        cdef const uint8_t[::1] view = view_of(statistics)
        cdef pqx_modular_writing writing
        cdef pqx_buffer out
        cdef pqx_error error
        cdef uint32_t number, begin, size
        cdef int status
        if not 0 <= leaf < leaves:
            raise wire_error(wire.BAD_ARGUMENT, 0, leaves, leaf)
        if not 0 <= first <= groups or not 0 <= count <= groups - first:
            raise wire_error(wire.BAD_ARGUMENT, 0, groups, first if first > groups else first + count)
        number, begin, size = leaf, first, count
        writing.statistics.data, writing.statistics.size = start_of(view), view.shape[0]
        writing.path.data, writing.path.size = <const uint8_t *> PyBytes_AsString(path), len(path)
        writing.deprecated, writing.in_row_groups = deprecated, in_row_groups
        cdef bytes room = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (4 * <uint64_t> size))
        cdef uint32_t *lengths = <uint32_t *> PyBytes_AsString(room)
        out.data, out.size, out.capacity = NULL, 0, 0
        with nogil:
            status = pqx_modular_chunks(&self.placement, number, begin, size, &writing, &out, lengths, &error)
        try:
            if status:
                fail(&error)
            return PyBytes_FromStringAndSize(<char *> out.data, out.size), memoryview(room).cast("I")
        finally:
            pqx_buffer_free(&out)


cdef class SchemaIndex:
    """The module SCHEMA_INDEX, whose sizes have been checked.

    See `parquetext._pure.modular_names.SchemaIndex` for details.
    """

    cdef object data
    cdef const uint8_t[::1] view
    cdef pqx_modular_names names

    def __cinit__(self, data, uint32_t leaves):
        cdef pqx_error error
        self.data = data
        self.view = view_of(data)
        if pqx_modular_read_names(start_of(self.view), self.view.shape[0], leaves, &self.names, &error):
            fail(&error)

    @property
    def elements(self):
        """Return the number of schema elements, by the index."""
        return self.names.offsets.count

    @property
    def leaves(self):
        return self.names.leaves

    @property
    def is_flat(self):
        """Return True if leaf c is element c + 1."""
        return self.names.is_flat != 0

    @property
    def has_non_ascii_names(self):
        return self.names.has_non_ascii_names != 0

    def candidates(self, bytes path not None):
        """Return the leaves that may have this path; the caller compares the names.

        Return none if few probes do not reach an empty slot: further leaves may follow.
        """
        cdef uint32_t found[MOST_CANDIDATES]
        cdef size_t count, i
        cdef pqx_error error
        if pqx_modular_candidates(&self.names, <const uint8_t *> PyBytes_AsString(path), len(path), found,
                                  MOST_CANDIDATES, &count, &error):
            fail(&error)
        return [found[i] for i in range(count)]

    cdef object at(self, const pqx_modular_array *array, number, uint64_t count):
        cdef uint64_t value
        cdef pqx_error error
        if not 0 <= number < count:
            raise wire_error(wire.BAD_ARGUMENT, 0, count, number)
        if pqx_modular_present(array, number, &value, &error):
            fail(&error)
        return value

    def element_offset(self, number):
        """Return the offset of a schema element in the module SCHEMA."""
        return self.at(&self.names.offsets, number, self.names.offsets.count)

    def leaf_element(self, leaf):
        """Return the number of a leaf's element."""
        return self.at(&self.names.leaf_elements, leaf, self.names.leaves) if self.names.has_leaf_elements else leaf + 1

    def parent(self, element):
        """Return the number of the element above another one; 0 for the root."""
        return self.at(&self.names.parents, element, self.names.offsets.count) if self.names.has_parents else 0
