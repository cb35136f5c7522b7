"""The Python interface of footer form readers, and how threads share one. The modules of the forms complete it."""

cimport cython
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.errno cimport EIO, ENODATA
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from .. import wire
from ..errors import wire_error

from .capi cimport (
    PQX_BAD_ARGUMENT, PQX_FLAT_GROUP, pqx_buffer, pqx_buffer_free, pqx_bytes, pqx_chunk, pqx_element, pqx_error, pqx_flat_facts,
    pqx_flat_node, pqx_places, pqx_row_group, pqx_sorting_column, pqx_source, pqx_source_fd,
    exception_of,
)

from .chunks cimport Chunks, gather, wrap

from .chunks import ROW_GROUP_MEMBERS

__all__ = ["FormReader", "Node"]

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
cdef extern from "pythread.h" nogil:
    PyThread_type_lock PyThread_allocate_lock()
    void PyThread_free_lock(PyThread_type_lock lock)
    int PyThread_acquire_lock(PyThread_type_lock lock, int wait)
    void PyThread_release_lock(PyThread_type_lock lock)
    unsigned long PyThread_get_thread_ident()

cdef enum:
    FIRST_IDS = 16

# The members of pqx_row_group that forms contain.
cdef tuple _IN_FORMS = ("num_rows", "total_byte_size", "file_offset", "total_compressed_size", "ordinal", "chunk_count")
_ROW_GROUP = {name: ROW_GROUP_MEMBERS[name] for name in _IN_FORMS}
cdef uint32_t NONE = wire.FLAT_NONE


cdef uint32_t checked(value, uint32_t count) except? 0:
    """Return `value` as a C number; `count` is for the error's message."""
    if not 0 <= value <= NONE:
        raise wire_error(wire.BAD_ARGUMENT, 0, count, value)
    return value


cdef class Node:
    """The position of a leaf or group in the schema.

    Attributes
    ----------
    thrift : bytes
        The SchemaElement.
    path : bytes
        The names from below the root, separated by NUL.
    parent : int or None
        The node of the group that contains it; None for the root.
    schema_index : int
        Its number among all elements, in preorder.
    first_leaf, leaf_count : int
        The leaves below it; for a leaf, itself.
    column_order, max_definition, max_repetition : int
        For a leaf, the field of the ColumnOrder union (0: none); the maximal levels, also of a group's children.
    """

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
    """Read from a Python source; keep its exception for the call that needs the bytes."""
    cdef FormReader reader = <FormReader> context
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


cdef class FormReader:
    """An open footer form. A subclass opens it in `__cinit__` and implements the methods in the first section below.

    Threads may share a reader: one call runs at a time.

    Attributes
    ----------
    version, num_rows, leaf_count, node_count, row_group_count, key_value_count : int
    """

    def __cinit__(self):
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError

    def __dealloc__(self):
        pqx_buffer_free(&self.arena)
        if self.lock != NULL:
            PyThread_free_lock(self.lock)

    # ---- implemented by a form

    cdef void release(self) noexcept:
        """Close the C reader."""

    cdef int find_by_name(self, const uint8_t *name, size_t size, uint32_t *ids, size_t capacity, size_t *count,
                          pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef int find_by_field_id(self, int32_t field_id, uint32_t *ids, size_t capacity, size_t *count,
                              pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef int read_node(self, uint32_t id, pqx_flat_node *node, pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef int read_chunks(self, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks, pqx_places *places,
                         pqx_buffer *arena, pqx_element *judge, pqx_error *error) noexcept nogil:
        """Read chunks; if `judged`, also fill in the element that judges the chunks' bounds."""
        return PQX_BAD_ARGUMENT

    cdef int read_row_groups(self, uint32_t first, uint32_t count, pqx_row_group *row_groups,
                             pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef int read_sorting_columns(self, uint32_t row_group, pqx_sorting_column *columns, size_t capacity, size_t *count,
                                  pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef int read_key_value(self, uint32_t index, pqx_bytes *key, pqx_bytes *value, pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef int read_created_by(self, pqx_bytes *text, int *present, pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef int write_slice(self, const uint32_t *leaves, uint32_t leaf_count, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values, pqx_buffer *out,
                         pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef int read_whole(self, pqx_error *error) noexcept nogil:
        return PQX_BAD_ARGUMENT

    cdef void count_io(self, uint64_t *reads, uint64_t *count) noexcept nogil:
        reads[0] = count[0] = 0

    # ---- for the methods of forms

    cdef pqx_source source_of(self, source):
        """Return a source for (file descriptor, size), or for an object with `size` and ``read(offset, length)``."""
        cdef pqx_source made
        cdef int fd
        cdef uint64_t size
        if type(source) is tuple:
            fd, size = source
            return pqx_source_fd(fd, size)
        self.source = source
        made.read = read_object
        made.context = <void *> self
        made.size = source.size
        return made

    cdef void opened(self, const pqx_flat_facts *facts) noexcept:
        """Store the members of the open C reader."""
        self.version = facts.version
        self.num_rows = facts.num_rows
        self.leaf_count = facts.leaf_count
        self.node_count = facts.node_count
        self.row_group_count = facts.row_group_count
        self.key_value_count = facts.key_value_count
        self.is_open = True

    cdef int fail(self, const pqx_error *error) except -1:
        """Raise the source's exception, or the error in the bytes."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        raise exception_of(error)

    cdef int enter(self) except -1:
        """Wait for the reader to be free, then lock it."""
        cdef unsigned long me = PyThread_get_thread_ident()
        if not PyThread_acquire_lock(self.lock, 0):
            if self.owner == me:
                raise RuntimeError("a source must not use the reader that reads from it")
            with nogil:
                PyThread_acquire_lock(self.lock, 1)
        self.owner = me
        if not self.is_open:
            self.leave()
            raise ValueError("the reader is closed")
        return 0

    cdef void leave(self) noexcept:
        self.owner = 0
        PyThread_release_lock(self.lock)

    # ---- Python interface

    def close(self):
        """Release the reader's resources; later calls raise ValueError."""
        if self.is_open:
            self.enter()
            self.is_open = False
            self.release()
            self.leave()

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.close()

    cdef list found(self, const uint8_t *name, size_t size, int32_t field_id):
        """Return the ids of a name, or of a field id if `name` is NULL."""
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
                        status = self.find_by_name(name, size, ids, capacity, &count, &error)
                    else:
                        status = self.find_by_field_id(field_id, ids, capacity, &count, &error)
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
        """Return the leaves and groups (``GROUP | node``) with the path `name`, with '.' or NUL between its parts."""
        return self.found(<const uint8_t *> PyBytes_AsString(name), PyBytes_Size(name), 0)

    @cython.always_allow_keywords(False)
    def find_column(self, str name not None):
        """Return the only leaf with the path `name`, and its `Chunks` over all row groups: (leaf, chunks).

        Return None if it is not a leaf, if the name is ambiguous, or if `name` is not valid UTF-8.
        """
        self.enter()
        try:
            return self.column_named(name)
        finally:
            self.leave()

    @cython.always_allow_keywords(False)
    def find_columns(self, list names not None):
        """Return a list with the result of `find_column` for each name, None for a value that is not a string."""
        cdef list found = []
        self.enter()
        try:
            for name in names:
                found.append(self.column_named(name) if type(name) is str else None)
        finally:
            self.leave()
        return found

    cdef object column_named(self, str name):
        """Return the result of `find_column` between `enter` and `leave`."""
        cdef Py_ssize_t size
        cdef const char *text
        cdef uint32_t many = self.row_group_count
        cdef uint32_t ids[2]
        cdef size_t count = 0
        cdef pqx_error error
        cdef int status
        cdef pqx_element judge
        cdef bytes arena, facts
        cdef pqx_chunk *records
        cdef pqx_places *places
        try:
            text = PyUnicode_AsUTF8AndSize(name, &size)
        except UnicodeEncodeError:
            return None
        facts = PyBytes_FromStringAndSize(NULL, many * (sizeof(pqx_chunk) + sizeof(pqx_places)))
        records = <pqx_chunk *> PyBytes_AsString(facts)
        places = <pqx_places *> (records + many)
        self.arena.size = 0
        with nogil:
            status = self.find_by_name(<const uint8_t *> text, size, ids, 2, &count, &error)
            if status == 0 and count == 1 and ids[0] < PQX_FLAT_GROUP:
                status = self.read_chunks(ids[0], 0, many, records, places, &self.arena, &judge, &error)
        if status:
            self.fail(&error)
        if count != 1 or ids[0] >= PQX_FLAT_GROUP:
            return None
        arena = PyBytes_FromStringAndSize(<char *> self.arena.data, self.arena.size)
        return ids[0], wrap(records, places, many, 1, facts, arena, <const uint8_t *> PyBytes_AsString(arena),
                            &judge if self.judged else NULL)

    def find_field_id(self, int32_t field_id):
        """Return the leaves and groups (``GROUP | node``) with this field id."""
        return self.found(NULL, 0, field_id)

    def node(self, id):
        """Return the `Node` of a leaf, or of the group ``GROUP | node``."""
        cdef uint32_t number = checked(id, self.node_count if id >= PQX_FLAT_GROUP else self.leaf_count)
        cdef pqx_flat_node facts
        cdef pqx_error error
        cdef int status
        cdef Node node = Node.__new__(Node)
        self.enter()
        try:
            with nogil:
                status = self.read_node(number, &facts, &error)
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

    def column(self, leaf, first=0, count=None, bint bounds=True):
        """Return the `Chunks` of a leaf in row groups ``[first, first + count)``; by default up to the last one.

        Without `bounds`, a form that stores them apart does not read them, and no chunk has a usable one.
        """
        cdef pqx_error error
        cdef int status
        cdef uint32_t all = self.row_group_count, number = checked(leaf, self.leaf_count)
        cdef uint32_t begin = checked(first, all)
        cdef uint32_t many = (all - begin if begin <= all else 0) if count is None else checked(count, all)
        if number >= self.leaf_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.leaf_count, number)
        if begin > all or many > all - begin:
            raise wire_error(wire.BAD_ARGUMENT, 0, all, begin if begin > all else <uint64_t> begin + many)
        cdef bytes facts = PyBytes_FromStringAndSize(NULL, many * (sizeof(pqx_chunk) + sizeof(pqx_places)))
        cdef bytes arena
        cdef pqx_element judge
        cdef pqx_chunk *records = <pqx_chunk *> PyBytes_AsString(facts)
        cdef pqx_places *places = <pqx_places *> (records + many)
        cdef bint skips = self.can_skip_bounds and not bounds
        cdef Chunks made
        self.enter()
        try:
            self.arena.size = 0
            self.skips_bounds = skips
            with nogil:
                status = self.read_chunks(number, begin, many, records, places, &self.arena, &judge, &error)
            if status:
                self.fail(&error)
            arena = PyBytes_FromStringAndSize(<char *> self.arena.data, self.arena.size)
        finally:
            self.skips_bounds = False
            self.leave()
        made = wrap(records, places, many, 1, facts, arena, <const uint8_t *> PyBytes_AsString(arena),
                    &judge if self.judged else NULL)
        made.lacks_bounds = skips
        return made

    def row_groups(self, str name):
        """Return one member of all row groups: ``q`` for 64 bits, ``i`` or ``I`` for 32; -1 if absent."""
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
                    status = self.read_row_groups(0, self.row_group_count, records, &error)
                if status:
                    self.fail(&error)
            finally:
                self.leave()
            self.row_group_records = facts
        return gather(PyBytes_AsString(facts), self.row_group_count, sizeof(pqx_row_group), member)

    def sorting_columns(self, row_group):
        """Return the columns that a row group is sorted by: a list of (leaf, descending, nulls first)."""
        cdef uint32_t number = checked(row_group, self.row_group_count)
        cdef pqx_sorting_column *columns = NULL
        cdef size_t count = 0, capacity = 0, i
        cdef pqx_error error
        cdef int status
        self.enter()
        try:
            while True:
                with nogil:
                    status = self.read_sorting_columns(number, columns, capacity, &count, &error)
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
        """Return the key and the value of a pair; the value is None if it is absent."""
        cdef uint32_t number = checked(index, self.key_value_count)
        cdef pqx_bytes key, value
        cdef pqx_error error
        cdef int status
        self.enter()
        try:
            with nogil:
                status = self.read_key_value(number, &key, &value, &error)
            if status:
                self.fail(&error)
            return (key.data[:key.size] if key.size else b"",
                    None if value.data == NULL else value.data[:value.size])
        finally:
            self.leave()

    @property
    def created_by(self):
        """Return the name of the writer, or None if the footer has none."""
        cdef pqx_bytes text
        cdef pqx_error error
        cdef int status, present
        self.enter()
        try:
            with nogil:
                status = self.read_created_by(&text, &present, &error)
            if status:
                self.fail(&error)
            return text.data[:text.size] if present else None
        finally:
            self.leave()

    def slice(self, leaves, row_groups, *, bint arrow_schema=True, bint key_values=False):
        """Return a Thrift footer with only these leaves (ascending) and row groups, like `slice.slice_footer`."""
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
                numbers[i] = checked(leaves[i], self.leaf_count)
            for i in range(group_count):
                numbers[leaf_count + i] = checked(row_groups[i], self.row_group_count)
            self.enter()
            try:
                with nogil:
                    status = self.write_slice(numbers, leaf_count, numbers + leaf_count, group_count,
                                              arrow_schema, key_values, &out, &error)
                if status:
                    self.fail(&error)
            finally:
                self.leave()
            return PyBytes_FromStringAndSize(<char *> out.data, out.size)
        finally:
            free(numbers)
            pqx_buffer_free(&out)

    def hold(self):
        """Read the whole form into memory, once. This pays off for projections of many columns."""
        cdef pqx_error error
        cdef int status
        self.enter()
        try:
            with nogil:
                status = self.read_whole(&error)
            if status:
                self.fail(&error)
        finally:
            self.leave()

    @property
    def io(self):
        """Return (number of reads, bytes read) so far."""
        cdef uint64_t reads, count
        self.enter()
        self.count_io(&reads, &count)
        self.leave()
        return reads, count
