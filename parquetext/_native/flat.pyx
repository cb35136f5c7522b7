"""Write the flat footer from a scan, and read it by verified random access."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from .. import wire
from ..errors import ParquetextError, wire_error

from .capi cimport (
    PQX_FLAT_GROUP, pqx_buffer, pqx_buffer_free, pqx_bytes, pqx_chunk, pqx_element, pqx_error, pqx_flat, pqx_flat_close, pqx_flat_extension,
    pqx_flat_get_extension, pqx_flat_get_extension_count, pqx_flat_get_extension_name,
    pqx_flat_facts, pqx_flat_find_field_id, pqx_flat_find_name, pqx_flat_get_chunk_structs,
    pqx_flat_get_chunks, pqx_flat_get_created_by,
    pqx_flat_get_facts, pqx_flat_get_key_value, pqx_flat_get_node, pqx_flat_get_row_groups,
    pqx_flat_get_sorting_columns, pqx_flat_hold, pqx_flat_io, pqx_flat_node, pqx_flat_open, pqx_flat_slice,
    pqx_flat_to_thrift, pqx_flat_verify, pqx_flat_write, PQX_FLAT_WRITE_COMPACT, PQX_FLAT_WRITE_VERBATIM,
    pqx_places, pqx_range, pqx_row_group, pqx_sorting_column, pqx_source,
    exception_of, view_of,
)

from .reader cimport FormReader, checked
from .scan cimport Scan

from .reader import Node

__all__ = ["GROUP", "Node", "Reader", "chunk_structs", "to_thrift", "verify", "write"]

GROUP = PQX_FLAT_GROUP


cdef class Reader(FormReader):
    """A flat footer, opened by its tail block. All other parts are read and checked on demand.

    See `parquetext._pure.flat_read.Reader` for details.
    """

    cdef pqx_flat *flat
    cdef readonly bint is_lossless

    def __cinit__(self, source, uint64_t payload, uint64_t length, known, known_end=None):
        cdef pqx_source from_where = self.source_of(source)
        cdef pqx_error error
        cdef int status
        cdef bytes held = known if type(known) is bytes else bytes(known)
        cdef const uint8_t *bytes_ = <const uint8_t *> PyBytes_AsString(held)
        cdef size_t size = PyBytes_Size(held)
        cdef uint64_t end = from_where.size if known_end is None else known_end
        cdef pqx_flat_facts facts
        with nogil:
            status = pqx_flat_open(&from_where, payload, length, bytes_, size, end, &self.flat, &error)
        if status:
            self.fail(&error)
        pqx_flat_get_facts(self.flat, &facts)
        self.opened(&facts)
        self.is_lossless = facts.is_lossless

    def __dealloc__(self):
        pqx_flat_close(self.flat)

    cdef void release(self) noexcept:
        pqx_flat_close(self.flat)
        self.flat = NULL

    cdef int find_by_name(self, const uint8_t *name, size_t size, uint32_t *ids, size_t capacity, size_t *count,
                          pqx_error *error) noexcept nogil:
        return pqx_flat_find_name(self.flat, name, size, ids, capacity, count, error)

    cdef int find_by_field_id(self, int32_t field_id, uint32_t *ids, size_t capacity, size_t *count,
                              pqx_error *error) noexcept nogil:
        return pqx_flat_find_field_id(self.flat, field_id, ids, capacity, count, error)

    cdef int read_node(self, uint32_t id, pqx_flat_node *node, pqx_error *error) noexcept nogil:
        return pqx_flat_get_node(self.flat, id, node, error)

    cdef int read_chunks(self, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks, pqx_places *places,
                         pqx_buffer *arena, pqx_element *judge, pqx_error *error) noexcept nogil:
        return pqx_flat_get_chunks(self.flat, leaf, first, count, chunks, places, arena, error)

    cdef int read_row_groups(self, uint32_t first, uint32_t count, pqx_row_group *row_groups,
                             pqx_error *error) noexcept nogil:
        return pqx_flat_get_row_groups(self.flat, first, count, row_groups, error)

    cdef int read_sorting_columns(self, uint32_t row_group, pqx_sorting_column *columns, size_t capacity, size_t *count,
                                  pqx_error *error) noexcept nogil:
        return pqx_flat_get_sorting_columns(self.flat, row_group, columns, capacity, count, error)

    cdef int read_key_value(self, uint32_t index, pqx_bytes *key, pqx_bytes *value, pqx_error *error) noexcept nogil:
        return pqx_flat_get_key_value(self.flat, index, key, value, error)

    cdef int read_created_by(self, pqx_bytes *text, int *present, pqx_error *error) noexcept nogil:
        return pqx_flat_get_created_by(self.flat, text, present, error)

    cdef int write_slice(self, const uint32_t *leaves, uint32_t leaf_count, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values, pqx_buffer *out,
                         pqx_error *error) noexcept nogil:
        return pqx_flat_slice(self.flat, leaves, leaf_count, row_groups, row_group_count, arrow_schema, key_values, out,
                              error)

    cdef int read_whole(self, pqx_error *error) noexcept nogil:
        return pqx_flat_hold(self.flat, error)

    cdef void count_io(self, uint64_t *reads, uint64_t *count) noexcept nogil:
        pqx_flat_io(self.flat, reads, count)

    def extensions(self):
        """Return the UUID and the content's length of each extension slot, ascending."""
        cdef uint32_t count, i, size
        cdef uint8_t uuid[16]
        cdef pqx_error error
        cdef int status
        found = []
        self.enter()
        try:
            with nogil:
                status = pqx_flat_get_extension_count(self.flat, &count, &error)
            if status:
                self.fail(&error)
            for i in range(count):
                if pqx_flat_get_extension_name(self.flat, i, uuid, &size, &error):
                    self.fail(&error)
                found.append((<bytes> uuid[:16], size))
            return found
        finally:
            self.leave()

    def extension(self, index):
        """Return the bytes in an extension slot."""
        if not 0 <= index <= 0xFFFFFFFF:
            raise wire_error(wire.BAD_ARGUMENT, 0, len(self.extensions()), index)
        cdef uint32_t number = index
        cdef pqx_bytes data
        cdef pqx_error error
        cdef int status
        self.enter()
        try:
            with nogil:
                status = pqx_flat_get_extension(self.flat, number, &data, &error)
            if status:
                self.fail(&error)
            return data.data[:data.size] if data.size else b""
        finally:
            self.leave()


cdef pqx_flat_extension *slots_of(list slots) except NULL:
    """Return (UUID, bytes) pairs for C. The list owns the bytes; the caller frees the result."""
    cdef pqx_flat_extension *given = <pqx_flat_extension *> malloc((len(slots) + 1) * sizeof(pqx_flat_extension))
    if given == NULL:
        raise MemoryError
    for number, (uuid, data) in enumerate(slots):
        if len(uuid) != 16:
            free(given)
            raise ValueError(f"a UUID of {len(uuid)} bytes")
        memcpy(given[<size_t> number].uuid, PyBytes_AsString(uuid), 16)
        given[<size_t> number].data.data = <const uint8_t *> PyBytes_AsString(data)
        given[<size_t> number].data.size = len(data)
    return given


cdef bytes taken(pqx_buffer *out, int status, const pqx_error *error):
    """Return the bytes appended to `out`, or raise the error; free `out`."""
    try:
        if status:
            raise exception_of(error)
        return PyBytes_FromStringAndSize(<char *> out.data, out.size)
    finally:
        pqx_buffer_free(out)


def write(Scan scan not None, str stats="full", *, bint verbatim=True, extensions=()):
    """Return the payload of the flat footer for a scanned footer.

    See `parquetext._pure.flat_write.write` for details.
    """
    cdef pqx_buffer out
    cdef pqx_error error
    cdef int status, flags = PQX_FLAT_WRITE_VERBATIM if verbatim else 0
    cdef const uint8_t *footer = scan.start
    cdef size_t size = scan.view.shape[0]
    if stats not in ("full", "compact"):
        raise ParquetextError(f"no such choice of statistics: {stats!r} (known: 'full', 'compact')",
                              code=wire.BAD_ARGUMENT)
    if stats == "compact":
        flags |= PQX_FLAT_WRITE_COMPACT
    cdef list slots = [(bytes(uuid), bytes(data)) for uuid, data in extensions]
    cdef uint32_t count = len(slots)
    cdef pqx_flat_extension *given = slots_of(slots)
    out.data, out.size, out.capacity = NULL, 0, 0
    with nogil:
        status = pqx_flat_write(footer, size, &scan.result, flags, given, count, &out, &error)
    free(given)
    return taken(&out, status, &error)


def to_thrift(payload):
    """Return the Thrift FileMetaData from which a payload was written, byte for byte, without its extension.

    See `parquetext._pure.flat_thrift.to_thrift` for details.
    """
    cdef const uint8_t[::1] view = view_of(payload)
    cdef size_t size = view.shape[0]
    cdef const uint8_t *start = &view[0] if size else NULL
    cdef pqx_buffer out
    cdef pqx_error error
    cdef int status
    out.data, out.size, out.capacity = NULL, 0, 0
    with nogil:
        status = pqx_flat_to_thrift(start, size, &out, &error)
    return taken(&out, status, &error)


def chunk_structs(Reader reader not None, leaf, first=0, count=None):
    """Return the ColumnChunk structs of a leaf in row groups ``[first, first + count)``, as in `to_thrift`.

    See `parquetext._pure.flat_thrift.chunk_structs` for details.
    """
    cdef uint32_t all = reader.row_group_count, number = checked(leaf, reader.leaf_count), begin = checked(first, all), i
    cdef uint32_t many = (all - begin if begin <= all else 0) if count is None else checked(count, all)
    cdef pqx_buffer out
    cdef pqx_error error
    cdef int status
    if begin > all or many > all - begin:
        raise wire_error(wire.BAD_ARGUMENT, 0, all, begin if begin > all else <uint64_t> begin + many)
    cdef pqx_range *ranges = <pqx_range *> malloc((<size_t> many + 1) * sizeof(pqx_range))
    if ranges == NULL:
        raise MemoryError
    out.data, out.size, out.capacity = NULL, 0, 0
    try:
        reader.enter()
        try:
            with nogil:
                status = pqx_flat_get_chunk_structs(reader.flat, number, begin, many, &out, ranges, &error)
            if status:
                reader.fail(&error)
        finally:
            reader.leave()
        return [out.data[ranges[i].offset:ranges[i].offset + ranges[i].length] for i in range(many)]
    finally:
        free(ranges)
        pqx_buffer_free(&out)


def verify(payload):
    """Check a complete payload, and raise the first error.

    See `parquetext._pure.flat_verify.verify` for details.
    """
    cdef const uint8_t[::1] view = view_of(payload)
    cdef size_t size = view.shape[0]
    cdef const uint8_t *start = &view[0] if size else NULL
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_flat_verify(start, size, &error)
    if status:
        raise exception_of(&error)
