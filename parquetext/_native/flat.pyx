"""The flat footer: written from a scan, read by verified random access."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from .. import wire
from ..errors import wire_error

from .capi cimport (
    PQX_FLAT_GROUP, pqx_buffer, pqx_buffer_free, pqx_bytes, pqx_chunk, pqx_error, pqx_flat, pqx_flat_close,
    pqx_flat_facts, pqx_flat_find_field_id, pqx_flat_find_name, pqx_flat_get_chunks, pqx_flat_get_created_by,
    pqx_flat_get_facts, pqx_flat_get_key_value, pqx_flat_get_node, pqx_flat_get_row_groups,
    pqx_flat_get_sorting_columns, pqx_flat_io, pqx_flat_node, pqx_flat_open, pqx_flat_slice, pqx_flat_verify, pqx_flat_write,
    pqx_places, pqx_row_group, pqx_sorting_column, pqx_source, pqx_source_fd,
)

from .chunks cimport gather, wrap
from .scan cimport Scan

__all__ = ["GROUP", "Node", "Reader", "verify", "write"]

GROUP = PQX_FLAT_GROUP


cdef extern from "pythread.h" nogil:
    ctypedef void *PyThread_type_lock
    PyThread_type_lock PyThread_allocate_lock()
    void PyThread_free_lock(PyThread_type_lock lock)
    int PyThread_acquire_lock(PyThread_type_lock lock, int wait)
    void PyThread_release_lock(PyThread_type_lock lock)
    unsigned long PyThread_get_thread_ident()

cdef enum:
    FIRST_IDS = 16
    EIO = 5
    ENODATA = 61



cdef pqx_row_group _row_group
cdef char *_start = <char *> &_row_group

# Members of pqx_row_group that the flat footer has: name -> (offset, bytes, format).
_ROW_GROUP = {
    "num_rows": (<char *> &_row_group.num_rows - _start, 8, "q"),
    "total_byte_size": (<char *> &_row_group.total_byte_size - _start, 8, "q"),
    "file_offset": (<char *> &_row_group.file_offset - _start, 8, "q"),
    "total_compressed_size": (<char *> &_row_group.total_compressed_size - _start, 8, "q"),
    "ordinal": (<char *> &_row_group.ordinal - _start, 4, "i"),
    "chunk_count": (<char *> &_row_group.chunk_count - _start, 4, "I"),
}
cdef uint32_t NONE = wire.FLAT_NONE


cdef class Node:
    """A leaf's or group's place in the schema.

    Attributes
    ----------
    thrift : bytes
        The SchemaElement.
    path : bytes
        The names from below the root down, NUL between them.
    parent : int or None
        The group's node that it is in; None for the root.
    schema_index : int
        Its number among all elements, in preorder.
    first_leaf, leaf_count : int
        The leaves below; a leaf: itself.
    column_order, max_definition, max_repetition : int
        Of a leaf: the field of the ColumnOrder union, 0 for none; the maximal levels, of a group's children too.
    """

    cdef readonly bytes thrift, path
    cdef readonly object parent
    cdef readonly uint32_t schema_index, first_leaf, leaf_count
    cdef readonly int column_order, max_definition, max_repetition

    def _facts(self):
        return (self.thrift, self.path, self.parent, self.schema_index, self.first_leaf, self.leaf_count,
                self.column_order, self.max_definition, self.max_repetition)

    def __eq__(self, other):
        return self._facts() == (<Node> other)._facts() if isinstance(other, Node) else NotImplemented

    def __hash__(self):
        return hash(self._facts())

    def __repr__(self):
        return f"Node(path={self.path!r}, parent={self.parent}, leaves={self.first_leaf}+{self.leaf_count})"


cdef int read_object(void *context, uint64_t offset, size_t length, uint8_t *into) noexcept with gil:
    """Read from a Python source; what it raises is kept for the call that wanted the bytes."""
    cdef Reader reader = <Reader> context
    cdef const uint8_t[::1] view
    try:
        view = memoryview(reader.source.read(offset, length)).cast("B")
        if <size_t> view.shape[0] != length:
            return ENODATA
        memcpy(into, &view[0], length)
        return 0
    except BaseException as error:
        reader.failure = error
        return EIO


cdef class Reader:
    """The flat footer whose payload is ``[payload, payload + length)`` of a source.

    Opening checks the tail block and nothing else; every call fetches and checks the few cells that it needs.
    Threads may share a reader: one call runs at a time.

    Parameters
    ----------
    source : (int, int) or object
        A file descriptor, which stays the caller's, and the file's size; or an object with `size` and
        ``read(offset, length) -> bytes``.
    payload, length : int
        Where the payload lies in the file.
    tail : bytes-like
        The file's last bytes, as many as have been read already.

    Raises
    ------
    Damaged
        A checksum, cell or offset is wrong; offsets count from the file's start. Calls raise it too.
    Unsupported
        The layout is not one of ours.
    """

    cdef pqx_flat *flat
    cdef pqx_buffer arena
    cdef object source, failure
    cdef bytes row_group_records
    cdef PyThread_type_lock lock
    cdef unsigned long owner
    cdef readonly int32_t version
    cdef readonly int64_t num_rows
    cdef readonly uint32_t leaf_count, node_count, row_group_count, key_value_count

    def __cinit__(self, source, uint64_t payload, uint64_t length, tail):
        cdef pqx_source from_where
        cdef pqx_error error
        cdef int status, fd
        cdef uint64_t size
        cdef const uint8_t[::1] view = tail if type(tail) is bytes else memoryview(tail).cast("B")
        cdef size_t tail_size = view.shape[0]
        cdef const uint8_t *bytes_ = &view[0] if tail_size else NULL
        cdef pqx_flat_facts facts
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError
        if type(source) is tuple:
            fd, size = source
            from_where = pqx_source_fd(fd, size)
        else:
            self.source = source
            from_where.read = read_object
            from_where.context = <void *> self
            from_where.size = source.size
        with nogil:
            status = pqx_flat_open(&from_where, payload, length, bytes_, tail_size, &self.flat, &error)
        if status:
            self.fail(&error)
        pqx_flat_get_facts(self.flat, &facts)
        self.version = facts.version
        self.num_rows = facts.num_rows
        self.leaf_count = facts.leaf_count
        self.node_count = facts.node_count
        self.row_group_count = facts.row_group_count
        self.key_value_count = facts.key_value_count

    def __dealloc__(self):
        pqx_flat_close(self.flat)
        pqx_buffer_free(&self.arena)
        if self.lock != NULL:
            PyThread_free_lock(self.lock)

    cdef int fail(self, const pqx_error *error) except -1:
        """Raise what the source raised, or what the bytes amount to."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        raise wire_error(error.code, error.offset, error.expected, error.found)

    cdef int enter(self) except -1:
        """Wait for the reader to be free, then keep it."""
        cdef unsigned long me = PyThread_get_thread_ident()
        if not PyThread_acquire_lock(self.lock, 0):
            if self.owner == me:
                raise RuntimeError("a source must not use the reader that reads from it")
            with nogil:
                PyThread_acquire_lock(self.lock, 1)
        self.owner = me
        if self.flat == NULL:
            self.leave()
            raise ValueError("the reader is closed")
        return 0

    cdef inline void leave(self) noexcept:
        self.owner = 0
        PyThread_release_lock(self.lock)

    def close(self):
        """Give back what the reader holds; later calls raise ValueError."""
        if self.flat != NULL:
            self.enter()
            pqx_flat_close(self.flat)
            self.flat = NULL
            self.leave()

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.close()

    cdef list found(self, const uint8_t *name, size_t size, int32_t field_id):
        """Ids of a name, or of a field id where `name` is NULL."""
        cdef uint32_t first[FIRST_IDS]
        cdef uint32_t *ids = first
        cdef size_t capacity = FIRST_IDS, count = 0, i
        cdef pqx_error error
        cdef int status
        self.enter()
        try:
            while True:
                with nogil:
                    if name != NULL:
                        status = pqx_flat_find_name(self.flat, name, size, ids, capacity, &count, &error)
                    else:
                        status = pqx_flat_find_field_id(self.flat, field_id, ids, capacity, &count, &error)
                if status:
                    self.fail(&error)
                if count <= capacity:
                    return [ids[i] for i in range(count)]
                if ids != first:
                    free(ids)
                capacity = count
                ids = <uint32_t *> malloc(capacity * sizeof(uint32_t))
                if ids == NULL:
                    ids = first
                    raise MemoryError
        finally:
            if ids != first:
                free(ids)
            self.leave()

    def find_name(self, bytes name not None):
        """Leaves and groups (``GROUP | node``) whose path reads like `name`, '.' or NUL between its parts."""
        return self.found(<const uint8_t *> PyBytes_AsString(name), PyBytes_Size(name), 0)

    def find_field_id(self, int32_t field_id):
        """Leaves and groups (``GROUP | node``) of this field id."""
        return self.found(NULL, 0, field_id)

    def node(self, id):
        """The `Node` of a leaf, or of the group ``GROUP | node``."""
        cdef uint32_t number = self.checked(id, self.node_count if id >= PQX_FLAT_GROUP else self.leaf_count, PQX_FLAT_GROUP)
        cdef pqx_flat_node facts
        cdef pqx_error error
        cdef int status
        cdef Node node = Node.__new__(Node)
        self.enter()
        try:
            with nogil:
                status = pqx_flat_get_node(self.flat, number, &facts, &error)
            if status:
                self.fail(&error)
            node.thrift = facts.thrift.data[:facts.thrift.size]
            node.path = facts.path.data[:facts.path.size]
        finally:
            self.leave()
        node.parent = None if facts.parent == NONE else facts.parent
        node.schema_index = facts.schema_index
        node.first_leaf = facts.first_leaf
        node.leaf_count = facts.leaf_count
        node.column_order = facts.column_order
        node.max_definition = facts.max_definition
        node.max_repetition = facts.max_repetition
        return node

    cdef uint32_t checked(self, value, uint32_t count, uint32_t flag) except? 0:
        """`value` as a C number below `count`; `flag` does not count."""
        if not 0 <= value <= NONE:
            raise wire_error(wire.BAD_ARGUMENT, 0, count, value)
        return value

    def column(self, leaf, first=0, count=None):
        """The `Chunks` of a leaf in row groups ``[first, first + count)``; to the last one without `count`."""
        cdef pqx_error error
        cdef int status
        cdef uint32_t all = self.row_group_count, number = self.checked(leaf, self.leaf_count, 0)
        cdef uint32_t begin = self.checked(first, all, 0)
        cdef uint32_t many = (all - begin if begin <= all else 0) if count is None else self.checked(count, all, 0)
        if number >= self.leaf_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.leaf_count, number)
        if begin > all or many > all - begin:
            raise wire_error(wire.BAD_ARGUMENT, 0, all, begin if begin > all else <uint64_t> begin + many)
        cdef bytes facts = PyBytes_FromStringAndSize(NULL, many * (sizeof(pqx_chunk) + sizeof(pqx_places)))
        cdef bytes arena
        cdef pqx_chunk *records = <pqx_chunk *> PyBytes_AsString(facts)
        cdef pqx_places *places = <pqx_places *> (records + many)
        self.enter()
        try:
            self.arena.size = 0
            with nogil:
                status = pqx_flat_get_chunks(self.flat, number, begin, many, records, places, &self.arena, &error)
            if status:
                self.fail(&error)
            arena = PyBytes_FromStringAndSize(<char *> self.arena.data, self.arena.size)
        finally:
            self.leave()
        return wrap(records, places, many, 1, facts, arena, <const uint8_t *> PyBytes_AsString(arena), NULL)

    def row_groups(self, str name):
        """One fact of all row groups as a memoryview: ``q`` for 64 bits, ``i`` or ``I`` for 32; -1 where absent."""
        cdef pqx_error error
        cdef int status
        cdef pqx_row_group *records
        cdef tuple member = _ROW_GROUP[name]
        cdef bytes facts = self.row_group_records
        if facts is None:
            facts = PyBytes_FromStringAndSize(NULL, self.row_group_count * sizeof(pqx_row_group))
            records = <pqx_row_group *> PyBytes_AsString(facts)
            self.enter()
            try:
                with nogil:
                    status = pqx_flat_get_row_groups(self.flat, 0, self.row_group_count, records, &error)
                if status:
                    self.fail(&error)
            finally:
                self.leave()
            self.row_group_records = facts
        return gather(PyBytes_AsString(facts), self.row_group_count, sizeof(pqx_row_group), member)

    def sorting_columns(self, row_group):
        """What a row group is sorted by: a list of (leaf, descending, nulls first)."""
        cdef uint32_t number = self.checked(row_group, self.row_group_count, 0)
        cdef pqx_sorting_column *columns = NULL
        cdef size_t count = 0, capacity = 0, i
        cdef pqx_error error
        cdef int status
        self.enter()
        try:
            while True:
                with nogil:
                    status = pqx_flat_get_sorting_columns(self.flat, number, columns, capacity, &count, &error)
                if status:
                    self.fail(&error)
                if count <= capacity:
                    return [(columns[i].column, bool(columns[i].descending), bool(columns[i].nulls_first))
                            for i in range(count)]
                free(columns)
                capacity = count
                columns = <pqx_sorting_column *> malloc(capacity * sizeof(pqx_sorting_column))
                if columns == NULL:
                    raise MemoryError
        finally:
            free(columns)
            self.leave()

    def key_value(self, index):
        """Key and value of a pair; the value is None where there is none."""
        cdef uint32_t number = self.checked(index, self.key_value_count, 0)
        cdef pqx_bytes key, value
        cdef pqx_error error
        cdef int status
        self.enter()
        try:
            with nogil:
                status = pqx_flat_get_key_value(self.flat, number, &key, &value, &error)
            if status:
                self.fail(&error)
            return (key.data[:key.size] if key.size else b"",
                    None if value.data == NULL else value.data[:value.size])
        finally:
            self.leave()

    @property
    def created_by(self):
        """What the writer calls itself, or None."""
        cdef pqx_bytes text
        cdef pqx_error error
        cdef int status, present
        self.enter()
        try:
            with nogil:
                status = pqx_flat_get_created_by(self.flat, &text, &present, &error)
            if status:
                self.fail(&error)
            return text.data[:text.size] if present else None
        finally:
            self.leave()

    def slice(self, leaves, row_groups, *, bint arrow_schema=True, bint key_values=False):
        """A Thrift footer with these leaves (ascending) and row groups only, as `slice.slice_footer` makes it."""
        cdef pqx_buffer out
        cdef pqx_error error
        cdef int status
        cdef uint32_t leaf_count = len(leaves), group_count = len(row_groups), i
        cdef uint32_t *numbers = <uint32_t *> malloc((<size_t> leaf_count + group_count + 1) * sizeof(uint32_t))
        if numbers == NULL:
            raise MemoryError
        out.data, out.size, out.capacity = NULL, 0, 0
        try:
            for i in range(leaf_count):
                numbers[i] = self.checked(leaves[i], self.leaf_count, 0)
            for i in range(group_count):
                numbers[leaf_count + i] = self.checked(row_groups[i], self.row_group_count, 0)
            self.enter()
            try:
                with nogil:
                    status = pqx_flat_slice(self.flat, numbers, leaf_count, numbers + leaf_count, group_count,
                                            arrow_schema, key_values, &out, &error)
                if status:
                    self.fail(&error)
            finally:
                self.leave()
            return PyBytes_FromStringAndSize(<char *> out.data, out.size)
        finally:
            free(numbers)
            pqx_buffer_free(&out)

    @property
    def io(self):
        """(Reads made, bytes fetched) so far."""
        cdef uint64_t reads, count
        self.enter()
        pqx_flat_io(self.flat, &reads, &count)
        self.leave()
        return reads, count


def write(Scan scan not None):
    """The flat footer's payload for a scanned footer, without the trailer.

    Raises
    ------
    Refused
        The footer is encrypted or signed.
    Unsupported
        What the flat schema cannot say: irregular row groups, chunks of another type than their leaf's, 2 GiB.
    Malformed
        A required field is absent.
    """
    cdef pqx_buffer out
    cdef pqx_error error
    cdef int status
    cdef const uint8_t *footer = scan.start
    cdef size_t size = scan.view.shape[0]
    out.data, out.size, out.capacity = NULL, 0, 0
    with nogil:
        status = pqx_flat_write(footer, size, &scan.result, &out, &error)
    try:
        if status:
            raise wire_error(error.code, error.offset, error.expected, error.found)
        return PyBytes_FromStringAndSize(<char *> out.data, out.size)
    finally:
        pqx_buffer_free(&out)


def verify(payload):
    """Check a whole payload: every cell, and that the vectors other readers use lead to the same tables.

    Raises
    ------
    Damaged
        What is wrong first, its offset counted from the payload's start.
    """
    cdef const uint8_t[::1] view = payload if type(payload) is bytes else memoryview(payload).cast("B")
    cdef size_t size = view.shape[0]
    cdef const uint8_t *start = &view[0] if size else NULL
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_flat_verify(start, size, &error)
    if status:
        raise wire_error(error.code, error.offset, error.expected, error.found)
