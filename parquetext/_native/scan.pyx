"""Scan a complete Thrift footer into flat arrays."""

cimport cython
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t
from libc.stddef cimport size_t

from .. import wire
from ..errors import wire_error

from .capi cimport (
    pqx_chunk, pqx_element, pqx_error, pqx_key_value, pqx_places, pqx_range, pqx_row_group, pqx_scan,
    pqx_scan_find_name, pqx_scan_footer, pqx_scan_free, pqx_scan_loosely, pqx_scan_plainly,
    exception_of,
)
from .chunks cimport Chunks, begins_of, gather, wrap

from .chunks import CHUNK_MEMBERS, ELEMENT_MEMBERS, KEY_VALUE_MEMBERS, PLACES_MEMBERS, ROW_GROUP_MEMBERS

__all__ = ["Scan", "scan", "scan_plainly"]

cdef enum:
    FIRST_IDS = 8


def scan(data, *, bint strict=True):
    """Scan the FileMetaData at ``data[0]`` into a `Scan`. One pass, O(size), without Python objects per chunk."""
    return scan_by(pqx_scan_footer if strict else pqx_scan_loosely, data)


def scan_plainly(data):
    """Return ``scan(data, strict=False)`` by only the decoder for any order of fields; for tests and measurements."""
    return scan_by(pqx_scan_plainly, data)


ctypedef int (*scanner)(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error) nogil


cdef Scan scan_by(scanner run, data):
    cdef Scan made = Scan.__new__(Scan)
    cdef pqx_error error
    cdef int status
    made.data = data
    made.view = data if type(data) is bytes else memoryview(data).cast("B")
    cdef size_t size = made.view.shape[0]
    if size:
        made.start = &made.view[0]
    with nogil:
        status = run(made.start, size, &made.result, &error)
    if status:
        raise exception_of(&error)
    return made


cdef class Scan:
    """A Thrift footer as arrays over its schema elements, row groups, chunks and key-values.

    See `parquetext._pure.scan.Scan` for details.
    """

    def __dealloc__(self):
        pqx_scan_free(&self.result)

    @property
    def version(self):
        return self.result.version

    @property
    def num_rows(self):
        return self.result.num_rows

    @property
    def end(self):
        return self.result.end

    @property
    def element_count(self):
        return self.result.element_count

    @property
    def leaf_count(self):
        return self.result.leaf_count

    @property
    def row_group_count(self):
        return self.result.row_group_count

    @property
    def chunk_count(self):
        return self.result.chunk_count

    @property
    def key_value_count(self):
        return self.result.key_value_count

    @property
    def regular(self):
        return self.result.regular != 0

    @property
    def encrypted(self):
        return self.result.encrypted

    @property
    def has_extension(self):
        return self.result.has_extension != 0

    @property
    def has_key_values(self):
        return self.result.has_key_values != 0

    @property
    def has_column_orders(self):
        return self.result.has_column_orders != 0

    @property
    def column_orders(self):
        return self.result.column_orders.offset, self.result.column_orders.length

    @property
    def created_by(self):
        cdef pqx_range place = self.result.created_by
        if not self.result.has_created_by:
            return None
        return PyBytes_FromStringAndSize(<const char *> self.start + place.offset, place.length)

    @property
    def problem(self):
        cdef pqx_error *problem = &self.result.problem
        return wire_error(problem.code, problem.offset, problem.expected, problem.found) if problem.code else None

    @property
    def leaves(self):
        """Return the element of each leaf, as a memoryview of ``I``."""
        with cython.critical_section(self):
            if self._leaves is None:
                self._leaves = gather(self.result.leaves, self.result.leaf_count, sizeof(uint32_t), (0, 4, "I"))
            return self._leaves

    def find_name(self, bytes name not None):
        """Return the ids of leaves, then of groups (``GROUP | node``), with this path; '.' and NUL are the same."""
        cdef uint32_t first[FIRST_IDS]
        cdef uint32_t *ids = first
        cdef const uint8_t *wanted = <const uint8_t *> PyBytes_AsString(name)
        cdef size_t size = len(name), count, i
        with nogil:
            count = pqx_scan_find_name(self.start, &self.result, wanted, size, ids, FIRST_IDS)
        if count > FIRST_IDS:
            room = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (count * sizeof(uint32_t)))
            ids = <uint32_t *> PyBytes_AsString(room)
            with nogil:
                pqx_scan_find_name(self.start, &self.result, wanted, size, ids, count)
        return [ids[i] for i in range(count)]

    def elements(self, str name):
        """Return one member of all schema elements as a memoryview, in preorder."""
        return gather(self.result.elements, self.result.element_count, sizeof(pqx_element), ELEMENT_MEMBERS[name])

    def row_groups(self, str name):
        """Return one member of all row groups as a memoryview."""
        return gather(self.result.row_groups, self.result.row_group_count, sizeof(pqx_row_group), ROW_GROUP_MEMBERS[name])

    def key_values(self, str name):
        """Return one member of all key-values as a memoryview."""
        return gather(self.result.key_values, self.result.key_value_count, sizeof(pqx_key_value), KEY_VALUE_MEMBERS[name])

    def chunks(self, str name):
        """Return one member of all chunks as a memoryview, row-group major."""
        return gather(self.result.chunks, self.result.chunk_count, sizeof(pqx_chunk), CHUNK_MEMBERS[name])

    def chunk_begins(self):
        """Return the begin of the first page of each chunk, like `chunks.begin`: a memoryview, ``q``, row-group major."""
        return begins_of(self.result.chunks, self.result.chunk_count, 1)

    def places(self, str name):
        """Return one member of the locations of all chunks' indexes and filters, row-group major; -1 if absent."""
        return gather(self.result.places, self.result.chunk_count, sizeof(pqx_places), PLACES_MEMBERS[name])

    cdef int check_regular(self) except -1:
        """Check that every row group has one chunk per leaf."""
        cdef uint32_t count = self.result.leaf_count, i
        if self.result.regular:
            return 0
        for i in range(self.result.row_group_count):
            if self.result.row_groups[i].chunk_count != count:
                raise wire_error(wire.IRREGULAR, self.result.row_groups[i].columns.offset, count,
                                 self.result.row_groups[i].chunk_count)
        return 0

    def column(self, leaf):
        """Return the `Chunks` of one leaf; raise IRREGULAR if a row group does not have one chunk per leaf."""
        cdef uint32_t count = self.result.leaf_count
        if not 0 <= leaf < count:
            raise wire_error(wire.BAD_ARGUMENT, 0, count, leaf)
        self.check_regular()
        cdef size_t at = leaf
        cdef const pqx_chunk *chunks = self.result.chunks
        cdef const pqx_places *places = self.result.places
        return wrap(chunks + at if chunks != NULL else NULL, places + at if places != NULL else NULL,
                    self.result.row_group_count, count, self, self.data, self.start,
                    &self.result.elements[self.result.leaves[at]])
