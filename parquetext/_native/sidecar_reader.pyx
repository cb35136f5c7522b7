"""Read a sidecar in place: header, columns, row group blocks, statistics, Bloom filters."""

from collections import namedtuple

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_bytes, pqx_error, exception_of
from .sidecar_api cimport (
    pqx_pm_bloom, pqx_pm_check, pqx_pm_column, pqx_pm_committed_size, pqx_pm_find_footer, pqx_pm_find_name, pqx_pm_find_scratch,
    pqx_pm_footer,    pqx_pm_get_all_numbers, pqx_pm_get_bloom, pqx_pm_get_bounds, pqx_pm_get_bytes, pqx_pm_get_column, pqx_pm_get_footer,
    pqx_pm_get_rows, pqx_pm_get_scratch, pqx_pm_get_sorting_column, pqx_pm_open,
)

__all__ = ["BLOOM_KINDS", "Chunks", "Column", "Footer", "Reader"]

Column = namedtuple("Column", "name id type flags fixed_byte_len physical_type max_repetition max_definition")
Footer = namedtuple("Footer", "size offset length checksum parquet_footer_offset parquet_footer_length row_group_count "
                              "unused_bytes previous features seq_txn")
BLOOM_KINDS = ("none", "inline", "external", "unusable")

_BYTES = {"codec": wire.PM_CHUNK_CODEC, "encodings": wire.PM_CHUNK_ENCODINGS, "flags": wire.PM_CHUNK_STAT_FLAGS,
          "sizes": wire.PM_CHUNK_STAT_SIZES}
_NUMBERS = {"num_values": 0, "byte_range_start": 1, "total_compressed_size": 2, "null_count": 3, "distinct_count": 4}
cdef enum:
    FIRST_FOUND = 16
    NUMBERS = 5
    PLACE = 25  # bytes of a chunk's two bounds: two offsets, two lengths, and the bits of those present


cdef object as_footer(const pqx_pm_footer *f):
    return Footer(f.size, f.offset, f.length, f.checksum, f.parquet_footer_offset, f.parquet_footer_length,
                  f.row_group_count, f.unused_bytes, f.previous, f.features, f.seq_txn)


cdef uint32_t number_of(value, uint64_t limit) except? 0:
    """Return a column's or row group's number for the C library; `limit` is for the error's message."""
    if not 0 <= value <= 0xFFFFFFFF:
        raise wire_error(wire.BAD_ARGUMENT, 0, limit, value)
    return value


# Excluded from garbage collection: in a cycle, it would clear a memoryview that is still in use. Bytes refer to
# nothing.
@cython.no_gc
cdef class Reader:
    """A sidecar at one of its snapshots.

    See `parquetext._pure.sidecar_read.Reader` for details.
    """
    def __init__(self, data, size=None, *, parquet_size=None, bint verify=True):
        cdef pqx_error error
        cdef uint64_t committed, wanted
        cdef int status
        self.hold(data)
        if pqx_pm_open(<const uint8_t *> self.buffer.buf, self.buffer.len, &self.pm, &error):
            raise exception_of(&error)
        committed = pqx_pm_committed_size(self.pm.data) if size is None else size
        if parquet_size is None:
            status = pqx_pm_get_footer(&self.pm, committed, &self.f, &error)
        else:
            wanted = parquet_size
            status = pqx_pm_find_footer(&self.pm, committed, wanted, &self.f, &error)
        if status:
            raise exception_of(&error)
        if verify:
            self.check()

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.buffer)

    cdef int hold(self, data) except -1:
        """Keep the bytes and their address."""
        if self.held:
            raise ValueError("the reader is in use")
        PyObject_GetBuffer(data, &self.buffer, PyBUF_SIMPLE)
        self.data, self.held = data, True
        return 0

    @property
    def footer(self):
        return as_footer(&self.f)

    @property
    def parquet_footer(self):
        """Return the offset and the length of the Parquet file's footer."""
        return self.f.parquet_footer_offset, self.f.parquet_footer_length

    @property
    def features(self):
        return self.pm.features

    @property
    def designated_timestamp(self):
        return self.pm.designated_timestamp

    @property
    def squash_tracker(self):
        return self.pm.squash_tracker

    @property
    def column_count(self):
        return self.pm.column_count

    @property
    def row_group_count(self):
        return self.f.row_group_count

    def check(self):
        """Compute the checksums of the snapshot and of the one before; raise Damaged if they differ."""
        cdef pqx_error error
        cdef int status
        with nogil:
            status = pqx_pm_check(&self.pm, &self.f, &error)
        if status:
            raise exception_of(&error)

    def footers(self):
        """Return the chain of snapshots from this one back.

        See `parquetext._pure.sidecar_read.Reader.footers` for details.
        """
        cdef pqx_error error
        cdef pqx_pm_footer older = self.f
        found = [self.footer]
        while older.previous:
            if pqx_pm_get_footer(&self.pm, older.previous, &older, &error):
                raise exception_of(&error)
            found.append(as_footer(&older))
        return found

    def column(self, index):
        """Return the descriptor of column `index`, a `Column` with its name as bytes."""
        cdef pqx_pm_column c
        cdef pqx_error error
        if pqx_pm_get_column(&self.pm, number_of(index, self.pm.column_count), &c, &error):
            raise exception_of(&error)
        return Column(PyBytes_FromStringAndSize(<const char *> c.name.data, c.name.size), c.id, c.type, c.flags,
                      c.fixed_byte_len, c.physical_type, c.max_repetition, c.max_definition)

    def find_name(self, bytes name not None):
        """Return a list of the columns of this name; leaves below one field share its name. O(columns)."""
        cdef uint32_t first[FIRST_FOUND]
        cdef uint32_t *found = first
        cdef size_t count, size = len(name), i
        cdef const uint8_t *start = <const uint8_t *> PyBytes_AsString(name)
        pqx_pm_find_name(&self.pm, start, size, found, FIRST_FOUND, &count)
        if count > FIRST_FOUND:
            found = <uint32_t *> calloc(count, sizeof(uint32_t))
            if found == NULL:
                raise MemoryError
            pqx_pm_find_name(&self.pm, start, size, found, count, &count)
        try:
            return [found[i] for i in range(count)]
        finally:
            if found != first:
                free(found)

    @property
    def sorting_columns(self):
        """Return a list of the columns that rows are sorted by, including the implicit one."""
        cdef pqx_error error
        cdef uint32_t column, i
        found = []
        for i in range(self.pm.sorting_count):
            if pqx_pm_get_sorting_column(&self.pm, i, &column, &error):
                raise exception_of(&error)
            found.append(column)
        return found

    @property
    def bloom_columns(self):
        """Return the columns that may have Bloom filters, ascending, as a memoryview of ``I``."""
        cdef const char *start = <const char *> self.pm.data + self.pm.bloom_columns
        return memoryview(PyBytes_FromStringAndSize(start, 4 * <Py_ssize_t> self.pm.bloom_count)).cast("I")

    @property
    def block_offsets(self):
        """Return the offsets of the row groups' blocks, as a memoryview of ``Q``."""
        cdef bytes values = PyBytes_FromStringAndSize(NULL, 8 * <Py_ssize_t> self.f.row_group_count)
        cdef uint64_t *to = <uint64_t *> PyBytes_AsString(values)
        cdef uint32_t i
        cdef const uint8_t *entry
        for i in range(self.f.row_group_count):
            entry = self.pm.data + self.f.entries + 4 * <size_t> i
            to[i] = <uint64_t> (entry[0] | entry[1] << 8 | entry[2] << 16 | <uint32_t> entry[3] << 24) << 3
        return memoryview(values).cast("Q")

    @property
    def row_counts(self):
        """Return the rows of each row group, as a memoryview of ``q``; raise Damaged if their sum is above 2^63 - 1."""
        cdef bytes values = PyBytes_FromStringAndSize(NULL, 8 * <Py_ssize_t> self.f.row_group_count)
        cdef int64_t *to = <int64_t *> PyBytes_AsString(values)
        cdef pqx_error error
        if pqx_pm_get_rows(&self.pm, &self.f, 0, self.f.row_group_count, to, &error):
            raise exception_of(&error)
        return memoryview(values).cast("q")

    def chunks(self, column, first=0, count=None):
        """Return a column's `Chunks` in `count` row groups from `first` on; by default in all of them."""
        cdef Chunks made = Chunks.__new__(Chunks)
        made.reader = self
        made.column = number_of(column, self.pm.column_count)
        made.first = number_of(first, self.f.row_group_count)
        if count is None:
            count = self.f.row_group_count - made.first if made.first < self.f.row_group_count else 0
        made.count = number_of(count, self.f.row_group_count)
        if made.column >= self.pm.column_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.pm.column_count, made.column)
        if <uint64_t> made.first + made.count > self.f.row_group_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.f.row_group_count, <uint64_t> made.first + made.count)
        return made

    def bloom(self, row_group, column):
        """Return a chunk's Bloom filter: (kind of `BLOOM_KINDS`, offset, length).

        ``"inline"``: the bitset, in the sidecar. ``"external"``: header and bitset, in the Parquet file.
        ``"unusable"``: an offset or a length that no filter has.
        """
        cdef pqx_pm_bloom found
        cdef pqx_error error
        cdef uint32_t group = number_of(row_group, self.f.row_group_count)
        if pqx_pm_get_bloom(&self.pm, &self.f, group, number_of(column, self.pm.column_count), &found, &error):
            raise exception_of(&error)
        return BLOOM_KINDS[found.kind], found.offset, found.length

    @property
    def scratchpad(self):
        """Return the snapshot's notes, code → bytes; if a code repeats, the first note counts."""
        cdef uint64_t at = self.f.scratchpad
        cdef uint32_t code, i
        cdef pqx_bytes value
        found = {}
        for i in range(self.f.scratchpad_count):
            pqx_pm_get_scratch(&self.pm, at, &code, &value, &at)
            found.setdefault(code, PyBytes_FromStringAndSize(<const char *> value.data, value.size))
        return found

    def note(self, uint32_t code):
        """Return the snapshot's first note of this code, or None."""
        cdef pqx_bytes value
        if not pqx_pm_find_scratch(&self.pm, &self.f, code, &value):
            return None
        return PyBytes_FromStringAndSize(<const char *> value.data, value.size)


cdef class Chunks:
    """One column's chunks over row groups of a sidecar.

    See `parquetext._pure.sidecar_read.Chunks` for details.
    """
    def __len__(self):
        return self.count

    @property
    def buffer(self):
        return self.reader.data

    def array(self, str name):
        """Return one member of all chunks as a memoryview.

        See `parquetext._pure.sidecar_read.Chunks.array` for details.
        """
        index = _NUMBERS.get(name)
        if index is None:
            return self.small(_BYTES[name])
        with cython.critical_section(self):
            if self.numbers is None:
                self.read_numbers()
            numbers = self.numbers
        return numbers[index * self.count:(index + 1) * self.count]

    cdef object small(self, int member):
        """Return a member of one byte."""
        cdef bytes values = PyBytes_FromStringAndSize(NULL, self.count)
        cdef char *to = PyBytes_AsString(values)
        cdef Reader reader = self.reader
        cdef pqx_error error
        cdef int status
        with nogil:
            status = pqx_pm_get_bytes(&reader.pm, &reader.f, self.column, self.first, self.count, member, <uint8_t *> to,
                                      &error)
        if status:
            raise exception_of(&error)
        return memoryview(values)

    cdef int read_numbers(self) except -1:
        """Read all numbers in one pass, because a chunk's numbers are adjacent."""
        cdef bytes values = PyBytes_FromStringAndSize(NULL, 8 * NUMBERS * <Py_ssize_t> self.count)
        cdef char *to = PyBytes_AsString(values)
        cdef Reader reader = self.reader
        cdef pqx_error error
        cdef int status
        with nogil:
            status = pqx_pm_get_all_numbers(&reader.pm, &reader.f, self.column, self.first, self.count, <int64_t *> to,
                                            &error)
        if status:
            raise exception_of(&error)
        self.numbers = memoryview(values).cast("q")
        return 0

    cdef const char *read_places(self) except NULL:
        """Return the locations of the statistics: offsets of minima, of maxima, their lengths, and the present bits."""
        cdef Py_ssize_t count = self.count
        cdef bytes places
        cdef char *to
        cdef uint64_t *at
        cdef uint32_t *sizes
        cdef Reader reader = self.reader
        cdef pqx_error error
        cdef int status
        if self.places is None:  # never replaced afterwards, because callers keep a pointer into it
            places = PyBytes_FromStringAndSize(NULL, PLACE * count)
            to = PyBytes_AsString(places)
            at, sizes = <uint64_t *> to, <uint32_t *> (to + 16 * count)
            with nogil:
                status = pqx_pm_get_bounds(&reader.pm, &reader.f, self.column, self.first, self.count,
                                           <uint8_t *> to + 24 * count, at, sizes, at + count, sizes + count, &error)
            if status:
                raise exception_of(&error)
            with cython.critical_section(self):
                if self.places is None:
                    self.places = places
        return PyBytes_AsString(self.places)

    def bounds(self):
        """Return the statistics as stored: (has, min_offset, min_length, max_offset, max_length).

        See `parquetext._pure.sidecar_read.Chunks.bounds` for details.
        """
        cdef Py_ssize_t count = self.count
        cdef const char *start = self.read_places()
        whole = memoryview(self.places)
        at, sizes = whole[:16 * count].cast("Q"), whole[16 * count:24 * count].cast("I")
        return PyBytes_FromStringAndSize(start + 24 * count, count), at[:count], sizes[:count], at[count:], sizes[count:]

    def bound_values(self, int bit):
        """Return the minima (bit 1) or maxima (bit 2) as stored, a list of bytes; None for chunks without one."""
        cdef Py_ssize_t count = self.count, i
        cdef const char *places = self.read_places()
        cdef const char *has = places + 24 * count
        cdef const uint64_t *at = <const uint64_t *> places + (0 if bit == 1 else count)
        cdef const uint32_t *sizes = <const uint32_t *> (places + 16 * count) + (0 if bit == 1 else count)
        cdef const char *start = <const char *> self.reader.pm.data
        return [PyBytes_FromStringAndSize(start + at[i], sizes[i]) if has[i] & bit else None for i in range(count)]
