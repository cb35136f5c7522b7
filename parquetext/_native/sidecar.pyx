"""The metadata sidecar `_pm`: read straight from its bytes, and written."""

from collections import namedtuple

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_bytes, pqx_chunk, pqx_error, pqx_places
from .sidecar_api cimport (
    pqx_pm, pqx_pm_bloom, pqx_pm_check, pqx_pm_chunk, pqx_pm_chunk_of, pqx_pm_column,
    pqx_pm_committed_size, pqx_pm_end, pqx_pm_find_footer, pqx_pm_find_name, pqx_pm_footer, pqx_pm_get_bloom,
    pqx_pm_get_bounds, pqx_pm_get_bytes, pqx_pm_get_column, pqx_pm_get_footer, pqx_pm_get_numbers, pqx_pm_get_rows,
    pqx_pm_get_scratch, pqx_pm_get_sorting_column, pqx_pm_open, pqx_pm_scratch, pqx_pm_table, pqx_pm_write_footer,
    pqx_pm_write_header, pqx_pm_write_on, pqx_pm_write_row_group, pqx_pm_writer, pqx_pm_writer_free,
)
from .chunks cimport Chunks as FormChunks

__all__ = ["BLOOM_KINDS", "Chunk", "Chunks", "Column", "Footer", "Reader", "Writer"]

Column = namedtuple("Column", "name id type flags fixed_byte_len physical_type max_repetition max_definition")
Footer = namedtuple("Footer", "size offset length checksum parquet_footer_offset parquet_footer_length row_group_count "
                              "unused_bytes previous features seq_txn")
Chunk = namedtuple("Chunk", "codec encodings num_values byte_range_start total_compressed_size null_count "
                            "distinct_count min max min_exact max_exact bloom",
                   defaults=(0, 0, 0, 0, 0, None, None, b"", b"", True, True, None))
BLOOM_KINDS = ("none", "inline", "external", "unusable")

_BYTES = {"codec": wire.PM_CHUNK_CODEC, "encodings": wire.PM_CHUNK_ENCODINGS, "flags": wire.PM_CHUNK_STAT_FLAGS,
          "sizes": wire.PM_CHUNK_STAT_SIZES}
_NUMBERS = {"num_values": wire.PM_CHUNK_NUM_VALUES, "byte_range_start": wire.PM_CHUNK_BYTE_RANGE_START,
            "total_compressed_size": wire.PM_CHUNK_TOTAL_COMPRESSED, "null_count": wire.PM_CHUNK_NULL_COUNT,
            "distinct_count": wire.PM_CHUNK_DISTINCT_COUNT}
cdef enum:
    FIRST_FOUND = 16
cdef uint8_t MIN_EXACT = wire.PM_STAT_MIN_EXACT
cdef uint8_t MAX_EXACT = wire.PM_STAT_MAX_EXACT
cdef uint8_t HAS_NULL_COUNT = wire.PM_STAT_NULL_COUNT
cdef uint8_t HAS_DISTINCT_COUNT = wire.PM_STAT_DISTINCT_COUNT


cdef struct source:
    const pqx_chunk *chunks
    const pqx_places *places
    const uint8_t *start
    size_t step


cdef raise_error(const pqx_error *error):
    raise wire_error(error.code, error.offset, error.expected, error.found)


cdef object as_footer(const pqx_pm_footer *f):
    return Footer(f.size, f.offset, f.length, f.checksum, f.parquet_footer_offset, f.parquet_footer_length,
                  f.row_group_count, f.unused_bytes, f.previous, f.features, f.seq_txn)


cdef uint32_t number_of(value, uint64_t limit) except? 0:
    """A column's or row group's number as the C library takes it; `limit` is for the error's message."""
    if not 0 <= value <= 0xFFFFFFFF:
        raise wire_error(wire.BAD_ARGUMENT, 0, limit, value)
    return value


cdef class Reader:
    """A sidecar, at one of its snapshots.

    Parameters
    ----------
    data : bytes-like
        The sidecar's bytes, at least up to its committed size; they must stay as they are.
    size : int, optional
        The committed size. By default what the header says.
    parquet_size : int, optional
        Read the newest snapshot, from `size` back, of a Parquet file of so many bytes. By default that of `size`.
    verify : bool
        Whether to compute the checksum of what the snapshot lies in; bounds are checked in any case.

    Attributes
    ----------
    data : bytes-like
    features : int
        Bits ``wire.PM_FEATURE_…``.
    designated_timestamp : int
        Column, -1: none.
    squash_tracker : int
        -1: none.
    column_count, row_group_count : int
    footer : Footer
        The snapshot's footer; `seq_txn` is -1 where it has none.

    Raises
    ------
    Damaged, Unsupported
        See docs/sidecar.md.

    Notes
    -----
    O(columns + row groups), and one pass over the bytes for the checksum.
    """
    cdef pqx_pm pm
    cdef pqx_pm_footer f
    cdef const uint8_t[::1] view
    cdef readonly object data
    cdef readonly object footer

    def __init__(self, data, size=None, *, parquet_size=None, bint verify=True):
        cdef pqx_error error
        self.data = data
        self.view = data if type(data) is bytes else memoryview(data).cast("B")
        cdef const uint8_t *start = &self.view[0] if self.view.shape[0] else NULL
        cdef uint64_t committed, wanted
        cdef int status
        if pqx_pm_open(start, self.view.shape[0], &self.pm, &error):
            raise_error(&error)
        committed = pqx_pm_committed_size(start) if size is None else size
        if parquet_size is None:
            status = pqx_pm_get_footer(&self.pm, committed, &self.f, &error)
        else:
            wanted = parquet_size
            status = pqx_pm_find_footer(&self.pm, committed, wanted, &self.f, &error)
        if status:
            raise_error(&error)
        if verify:
            self.check()
        self.footer = as_footer(&self.f)

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
        """Compute the checksums of everything up to the snapshot's own and the one before; Damaged where they differ."""
        cdef pqx_error error
        cdef int status
        with nogil:
            status = pqx_pm_check(&self.pm, &self.f, &error)
        if status:
            raise_error(&error)

    def footers(self):
        """The chain of snapshots from this one back, as a list of `Footer`.

        Raises
        ------
        Damaged
            One of them is no footer. Their checksums are not computed.
        """
        cdef pqx_error error
        cdef pqx_pm_footer older = self.f
        found = [self.footer]
        while older.previous:
            if pqx_pm_get_footer(&self.pm, older.previous, &older, &error):
                raise_error(&error)
            found.append(as_footer(&older))
        return found

    def column(self, index):
        """The descriptor of column `index`, a `Column` with its name as bytes."""
        cdef pqx_pm_column c
        cdef pqx_error error
        if pqx_pm_get_column(&self.pm, number_of(index, self.pm.column_count), &c, &error):
            raise_error(&error)
        return Column(PyBytes_FromStringAndSize(<const char *> c.name.data, c.name.size), c.id, c.type, c.flags,
                      c.fixed_byte_len, c.physical_type, c.max_repetition, c.max_definition)

    def find_name(self, bytes name not None):
        """The columns of this name, a list: leaves below one field share its name. O(columns)."""
        cdef uint32_t first[FIRST_FOUND]
        cdef uint32_t *found = first
        cdef size_t count, size = len(name)
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
        """The columns that rows are sorted by, a list; the implicit one included."""
        cdef pqx_error error
        cdef uint32_t column, i
        found = []
        for i in range(self.pm.sorting_count):
            if pqx_pm_get_sorting_column(&self.pm, i, &column, &error):
                raise_error(&error)
            found.append(column)
        return found

    @property
    def bloom_columns(self):
        """The columns that may have Bloom filters, ascending, as a memoryview of ``I``."""
        end = self.pm.bloom_columns + 4 * self.pm.bloom_count
        return memoryview(bytes(self.view[self.pm.bloom_columns:end])).cast("I")

    @property
    def block_offsets(self):
        """Where the row groups' blocks are, as a memoryview of ``Q``."""
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
        """Rows of each row group, as a memoryview of ``q``; Damaged where their sum is above 2^63 - 1."""
        cdef bytes values = PyBytes_FromStringAndSize(NULL, 8 * <Py_ssize_t> self.f.row_group_count)
        cdef int64_t *to = <int64_t *> PyBytes_AsString(values)
        cdef pqx_error error
        if pqx_pm_get_rows(&self.pm, &self.f, 0, self.f.row_group_count, to, &error):
            raise_error(&error)
        return memoryview(values).cast("q")

    def chunks(self, column, first=0, count=None):
        """A column's chunks in the row groups from `first` on, all without `count`: a `Chunks`."""
        cdef Chunks made = Chunks.__new__(Chunks)
        made.reader = self
        made.column = number_of(column, self.pm.column_count)
        made.first = number_of(first, self.f.row_group_count)
        if count is None:
            count = max(0, self.f.row_group_count - made.first)
        made.count = number_of(count, self.f.row_group_count)
        if made.column >= self.pm.column_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.pm.column_count, made.column)
        if <uint64_t> made.first + made.count > self.f.row_group_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.f.row_group_count, <uint64_t> made.first + made.count)
        return made

    def bloom(self, row_group, column):
        """A chunk's Bloom filter: (kind of `BLOOM_KINDS`, offset, length).

        ``"inline"``: of the bitset, in the sidecar. ``"external"``: of header and bitset, in the Parquet file.
        ``"unusable"``: at a place or of a length that no filter has.
        """
        cdef pqx_pm_bloom found
        cdef pqx_error error
        cdef uint32_t group = number_of(row_group, self.f.row_group_count)
        if pqx_pm_get_bloom(&self.pm, &self.f, group, number_of(column, self.pm.column_count), &found, &error):
            raise_error(&error)
        return BLOOM_KINDS[found.kind], found.offset, found.length

    @property
    def scratchpad(self):
        """The snapshot's notes, code → bytes; of equal codes the first one counts."""
        cdef uint64_t at = self.f.scratchpad
        cdef uint32_t code, i
        cdef pqx_bytes value
        found = {}
        for i in range(self.f.scratchpad_count):
            pqx_pm_get_scratch(&self.pm, at, &code, &value, &at)
            found.setdefault(code, PyBytes_FromStringAndSize(<const char *> value.data, value.size))
        return found


cdef class Chunks:
    """One column's chunks over row groups of a sidecar.

    Attributes
    ----------
    buffer : bytes-like
        What the ranges of `bounds` count from: the sidecar.
    """
    cdef Reader reader
    cdef uint32_t column, first, count

    def __len__(self):
        return self.count

    @property
    def buffer(self):
        return self.reader.data

    def array(self, str name):
        """One member of all chunks as a memoryview.

        ``B``: `codec`, `encodings`, `flags` (``wire.PM_STAT_…``), `sizes`. ``q``: `num_values`, `byte_range_start`,
        `total_compressed_size`, `null_count`, `distinct_count`; -1 where the chunk does not say, or says more than a
        file can have.

        Raises
        ------
        Damaged
            A codec that Parquet does not have.
        """
        cdef bytes values
        cdef pqx_error error
        cdef Reader reader = self.reader
        cdef int member, status
        cdef char *to
        if name in _BYTES:
            member = _BYTES[name]
            values = PyBytes_FromStringAndSize(NULL, self.count)
            to = PyBytes_AsString(values)
            with nogil:
                status = pqx_pm_get_bytes(&reader.pm, &reader.f, self.column, self.first, self.count, member,
                                          <uint8_t *> to, &error)
            if status:
                raise_error(&error)
            return memoryview(values)
        member = _NUMBERS[name]
        values = PyBytes_FromStringAndSize(NULL, 8 * <Py_ssize_t> self.count)
        to = PyBytes_AsString(values)
        with nogil:
            status = pqx_pm_get_numbers(&reader.pm, &reader.f, self.column, self.first, self.count, member,
                                        <int64_t *> to, &error)
        if status:
            raise_error(&error)
        return memoryview(values).cast("q")

    def bounds(self):
        """The statistics as stored: (has, min_offset, min_length, max_offset, max_length).

        Bit 0 of `has` is min, bit 1 max; offsets are memoryviews of ``Q``, lengths of ``I``.

        Raises
        ------
        Damaged
            One of them leaves its region.
        """
        cdef Py_ssize_t count = self.count
        cdef bytes has = PyBytes_FromStringAndSize(NULL, count)
        cdef bytes offsets = PyBytes_FromStringAndSize(NULL, 16 * count)
        cdef bytes lengths = PyBytes_FromStringAndSize(NULL, 8 * count)
        cdef char *bits = PyBytes_AsString(has)
        cdef uint64_t *at = <uint64_t *> PyBytes_AsString(offsets)
        cdef uint32_t *sizes = <uint32_t *> PyBytes_AsString(lengths)
        cdef Reader reader = self.reader
        cdef pqx_error error
        cdef int status
        with nogil:
            status = pqx_pm_get_bounds(&reader.pm, &reader.f, self.column, self.first, self.count, <uint8_t *> bits, at,
                                       sizes, at + count, sizes + count, &error)
        if status:
            raise_error(&error)
        where, wide = memoryview(offsets).cast("Q"), memoryview(lengths).cast("I")
        return has, where[:count], wide[:count], where[count:], wide[count:]


cdef class Writer:
    """Writes a sidecar, or what is appended to one.

    Parameters
    ----------
    columns : sequence of Column
    designated_timestamp : int
        Column, -1: none.
    sorting_columns : sequence of int
        One that is the designated timestamp and ascends is left implicit.
    bloom_columns : iterable of int
        Columns that may have Bloom filters.
    external_blooms : bool
        Filters stay in the Parquet file, and the sidecar says where.
    squash_tracker : int
        -1: none.

    Attributes
    ----------
    base : int
        Where in the sidecar the bytes of `finish` belong; 0 of a new one.
    row_group_count : int

    Raises
    ------
    ParquetextError
        A column's number that is none.

    Notes
    -----
    A writer that has raised an error is of no further use.
    """
    cdef pqx_pm_writer writer
    cdef pqx_pm_column *columns
    cdef list names
    cdef bint finished

    def __init__(self, columns, *, int32_t designated_timestamp=-1, sorting_columns=(), bloom_columns=(),
                 bint external_blooms=False, int64_t squash_tracker=-1):
        cdef pqx_pm_table table
        cdef pqx_error error
        columns = list(columns)
        self._keep(columns)
        cdef bytes sorting = numbers(sorting_columns), blooms = numbers(sorted(set(bloom_columns)))
        memset(&table, 0, sizeof(table))
        table.columns, table.column_count = self.columns, len(columns)
        table.sorting, table.sorting_count = <const uint32_t *> PyBytes_AsString(sorting), len(sorting) // 4
        table.bloom_columns, table.bloom_count = <const uint32_t *> PyBytes_AsString(blooms), len(blooms) // 4
        table.designated_timestamp, table.external_blooms = designated_timestamp, external_blooms
        table.squash_tracker = squash_tracker
        if pqx_pm_write_header(&self.writer, &table, &error):
            raise_error(&error)

    @classmethod
    def on(cls, Reader reader not None, base=None):
        """A writer of what is appended to a sidecar after its snapshot `reader`.

        Parameters
        ----------
        base : int, optional
            Where to append: at least the snapshot's size, at most that of the reader's data; what stands between
            belongs to no snapshot. By default the snapshot's size.
        """
        cdef Writer made = Writer.__new__(Writer)
        cdef pqx_error error
        cdef uint64_t at = reader.f.size if base is None else base
        made._keep([reader.column(index) for index in range(reader.pm.column_count)])
        if pqx_pm_write_on(&made.writer, &reader.pm, &reader.f, at, &error):
            raise_error(&error)
        return made

    def __dealloc__(self):
        pqx_pm_writer_free(&self.writer)
        free(self.columns)

    cdef int _keep(self, list columns) except -1:
        """Take the descriptors over."""
        cdef Py_ssize_t i
        cdef pqx_pm_column *c
        if self.columns != NULL:
            raise ValueError("the writer is in use")
        self.names = [bytes(column.name) for column in columns]
        self.columns = <pqx_pm_column *> calloc(len(columns) + 1, sizeof(pqx_pm_column))
        if self.columns == NULL:
            raise MemoryError
        for i, column in enumerate(columns):
            c = &self.columns[i]
            c.name.data, c.name.size = <const uint8_t *> PyBytes_AsString(self.names[i]), len(self.names[i])
            c.id, c.type, c.flags, c.fixed_byte_len = column.id, column.type, column.flags, column.fixed_byte_len
            c.physical_type, c.max_repetition = column.physical_type, column.max_repetition
            c.max_definition = column.max_definition
        return 0

    cdef int _going_on(self) except -1:
        if self.finished:
            raise ValueError("the writer has finished")
        return 0

    @property
    def base(self):
        return self.writer.base

    @property
    def row_group_count(self):
        return self.writer.row_group_count

    def add(self, uint64_t num_rows, chunks, at=None):
        """Write a row group: one `Chunk` per column.

        A chunk's `null_count` and `distinct_count` are None where unknown, `min` and `max` empty. Its `bloom` is None, a
        bitset, or, where filters are external, (offset, length).

        Parameters
        ----------
        at : int, optional
            The row group to replace; by default it is a new one.
        """
        cdef list kept = list(chunks)
        cdef pqx_error error
        cdef Py_ssize_t i
        cdef int status
        self._going_on()
        if len(kept) != <Py_ssize_t> self.writer.column_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.writer.column_count, len(kept))
        cdef uint32_t row_group = self.writer.row_group_count if at is None else number_of(at, self.writer.row_group_count)
        cdef pqx_pm_chunk *records = <pqx_pm_chunk *> calloc(len(kept) + 1, sizeof(pqx_pm_chunk))
        if records == NULL:
            raise MemoryError
        try:
            for i, chunk in enumerate(kept):
                fill(&records[i], chunk)
            with nogil:
                status = pqx_pm_write_row_group(&self.writer, row_group, num_rows, records, &error)
            if status:
                raise_error(&error)
        finally:
            free(records)

    def add_columns(self, columns, row_counts, *, bounds=None, blooms=None):
        """Write the row groups of a footer, whatever its form; O(chunks), none of them an object of Python's.

        Parameters
        ----------
        columns : sequence of kernels.chunks.Chunks
            One per column, over all row groups.
        row_counts : sequence of int
            Rows of each row group.
        bounds : mapping, optional
            Minimum and maximum of chunks by (row group, column), as bytes: instead of what the chunk has; exact.
        blooms : mapping, optional
            Bitsets of Bloom filters by (row group, column). External filters' places are taken from the chunks.

        Raises
        ------
        Unsupported
            A chunk without metadata, in another file, or with a codec that is none.
        """
        cdef list forms = list(columns)
        cdef uint32_t count = self.writer.column_count, leaf
        cdef Py_ssize_t row_group
        cdef uint64_t num_rows
        cdef pqx_error error
        cdef int status
        cdef FormChunks form
        self._going_on()
        if len(forms) != <Py_ssize_t> count:
            raise wire_error(wire.BAD_ARGUMENT, 0, count, len(forms))
        cdef source *sources = <source *> calloc(count + 1, sizeof(source))
        cdef pqx_pm_chunk *records = <pqx_pm_chunk *> calloc(count + 1, sizeof(pqx_pm_chunk))
        try:
            if sources == NULL or records == NULL:
                raise MemoryError
            for leaf in range(count):
                form = forms[leaf]
                if form.count != <size_t> len(row_counts):
                    raise wire_error(wire.BAD_ARGUMENT, 0, len(row_counts), form.count)
                sources[leaf] = source(form.chunks, form.places, form.start, form.step)
            overrides = by_row_group(bounds or {}, blooms or {})
            for row_group in range(len(row_counts)):
                num_rows = max(0, row_counts[row_group])
                with nogil:
                    status = convert(sources, count, row_group, self.columns, records, &error)
                if status:
                    raise_error(&error)
                for column, (limits, bloom) in overrides.get(row_group, {}).items():
                    leaf = number_of(column, count)
                    if leaf >= count:
                        raise wire_error(wire.BAD_ARGUMENT, 0, count, leaf)
                    if limits is not None:
                        records[leaf].min, records[leaf].max = bytes_of(limits[0]), bytes_of(limits[1])
                        records[leaf].flags |= MIN_EXACT | MAX_EXACT
                    if bloom is not None:
                        records[leaf].bloom = bytes_of(bloom)
                with nogil:
                    status = pqx_pm_write_row_group(&self.writer, self.writer.row_group_count, num_rows, records, &error)
                if status:
                    raise_error(&error)
        finally:
            free(sources)
            free(records)

    def finish(self, uint64_t parquet_footer_offset, uint32_t parquet_footer_length, *, uint64_t unused_bytes=0,
               int64_t seq_txn=-1, scratchpad=()):
        """Write footer and trailer: the bytes that belong at `base`.

        Parameters
        ----------
        parquet_footer_offset, parquet_footer_length : int
            Of the Parquet file.
        unused_bytes : int
            Dead bytes in it.
        seq_txn : int
            -1: none.
        scratchpad : iterable of (int, bytes)
            Notes: a code and what belongs to it, 1 MiB in all.

        Notes
        -----
        A new sidecar has its committed size in it. To another one it is written, at offset 0, when all else is safe.
        """
        cdef pqx_pm_end end
        cdef pqx_error error
        cdef Py_ssize_t i
        cdef int status
        cdef list notes = [(code, bytes(value)) for code, value in scratchpad]
        self._going_on()
        self.finished = True
        cdef pqx_pm_scratch *entries = <pqx_pm_scratch *> calloc(len(notes) + 1, sizeof(pqx_pm_scratch))
        if entries == NULL:
            raise MemoryError
        try:
            for i in range(len(notes)):
                entries[i].code, entries[i].value = notes[i][0], bytes_of(notes[i][1])
            end.parquet_footer_offset, end.parquet_footer_length = parquet_footer_offset, parquet_footer_length
            end.unused_bytes, end.seq_txn = unused_bytes, seq_txn
            end.scratchpad, end.scratchpad_count = entries, len(notes)
            with nogil:
                status = pqx_pm_write_footer(&self.writer, &end, &error)
            if status:
                raise_error(&error)
            return PyBytes_FromStringAndSize(<char *> self.writer.out.data, self.writer.out.size)
        finally:
            free(entries)


cdef int convert(const source *sources, uint32_t count, Py_ssize_t row_group, const pqx_pm_column *columns,
                 pqx_pm_chunk *records, pqx_error *error) noexcept nogil:
    """The chunks of one row group, from their forms' records."""
    cdef uint32_t i
    cdef size_t at
    cdef int status
    cdef const pqx_places *places
    for i in range(count):
        at = row_group * sources[i].step
        places = sources[i].places
        if places != NULL:
            places += at
        status = pqx_pm_chunk_of(sources[i].start, sources[i].chunks + at, places, &columns[i], &records[i], error)
        if status:
            return status
    return 0


cdef pqx_bytes bytes_of(bytes value):
    return pqx_bytes(<const uint8_t *> PyBytes_AsString(value), len(value))


cdef bytes numbers(values):
    """Numbers of columns as uint32s."""
    cdef list kept = list(values)
    cdef bytes packed = PyBytes_FromStringAndSize(NULL, 4 * len(kept))
    cdef uint32_t *to = <uint32_t *> PyBytes_AsString(packed)
    cdef Py_ssize_t i
    for i in range(len(kept)):
        to[i] = number_of(kept[i], 0)
    return packed


cdef dict by_row_group(bounds, blooms):
    """row group → column → [bounds, filter]"""
    found = {}
    for place, mapping in enumerate((bounds, blooms)):
        for (row_group, column), value in mapping.items():
            found.setdefault(row_group, {}).setdefault(column, [None, None])[place] = value
    return found


cdef int fill(pqx_pm_chunk *record, chunk) except -1:
    record.codec, record.encodings, record.num_values = chunk.codec, chunk.encodings, chunk.num_values
    record.byte_range_start, record.total_compressed_size = chunk.byte_range_start, chunk.total_compressed_size
    record.flags = (MIN_EXACT if chunk.min_exact else 0) | (MAX_EXACT if chunk.max_exact else 0)
    if chunk.null_count is not None:
        record.null_count = chunk.null_count
        record.flags |= HAS_NULL_COUNT
    if chunk.distinct_count is not None:
        record.distinct_count = chunk.distinct_count
        record.flags |= HAS_DISTINCT_COUNT
    record.min, record.max = bytes_of(chunk.min), bytes_of(chunk.max)
    if isinstance(chunk.bloom, tuple):
        record.bloom_offset, record.bloom_length = chunk.bloom
    elif chunk.bloom is not None:
        record.bloom = bytes_of(chunk.bloom)
    return 0
