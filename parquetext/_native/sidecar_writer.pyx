"""Write a sidecar, or append to one: header, blocks, footer."""

from collections import namedtuple

cimport cython
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from .. import wire
from ..errors import wire_error

from .capi cimport PQX_ORDER_UNSIGNED, pqx_bytes, pqx_error, pqx_places, pqx_scan, exception_of
from .scan cimport Scan
from .sidecar_api cimport (
    pqx_pm_chunk, pqx_pm_chunk_of, pqx_pm_column, pqx_pm_end, pqx_pm_scratch, pqx_pm_table, pqx_pm_write_footer,
    pqx_pm_write_header, pqx_pm_write_on, pqx_pm_write_row_group, pqx_pm_writer, pqx_pm_writer_free,
)
from .sidecar_columns cimport Columns
from .sidecar_reader cimport Reader, number_of

__all__ = ["Chunk", "Writer"]

Chunk = namedtuple("Chunk", "codec encodings num_values byte_range_start total_compressed_size null_count "
                            "distinct_count min max min_exact max_exact bloom",
                   defaults=(0, 0, 0, 0, 0, None, None, b"", b"", True, True, None))
cdef uint8_t MIN_EXACT = wire.PM_STAT_MIN_EXACT
cdef uint8_t MAX_EXACT = wire.PM_STAT_MAX_EXACT
cdef uint8_t HAS_NULL_COUNT = wire.PM_STAT_NULL_COUNT
cdef uint8_t HAS_DISTINCT_COUNT = wire.PM_STAT_DISTINCT_COUNT


cdef class Writer:
    """A writer of a new sidecar, or of bytes to append to one.

    See `parquetext._pure.sidecar_write.Writer` for details.
    """
    cdef pqx_pm_writer writer
    cdef pqx_pm_column *columns
    cdef list names
    cdef tuple kept  # defaults of `finish`, from the snapshot before
    cdef bint finished

    def __init__(self, columns, *, int32_t designated_timestamp=-1, sorting_columns=(), bloom_columns=(),
                 bint external_blooms=False, int64_t squash_tracker=-1):
        cdef pqx_pm_table table
        cdef pqx_error error
        if type(columns) is not Columns:
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
            raise exception_of(&error)

    @cython.binding(True)  # class methods need it
    @classmethod
    def on(cls, Reader reader not None, base=None):
        """Return a writer of bytes to append to a sidecar after its snapshot `reader`.

        See `parquetext._pure.sidecar_write.Writer.on` for details.
        """
        cdef Writer made = Writer.__new__(Writer)
        cdef pqx_error error
        cdef uint64_t at = reader.f.size if base is None else base
        made._keep([reader.column(index) for index in range(reader.pm.column_count)])
        made.kept = reader.f.unused_bytes, reader.f.seq_txn, list(reader.scratchpad.items())
        if pqx_pm_write_on(&made.writer, &reader.pm, &reader.f, at, &error):
            raise exception_of(&error)
        return made

    def __dealloc__(self):
        pqx_pm_writer_free(&self.writer)
        free(self.columns)

    cdef int _keep(self, columns) except -1:
        """Copy the descriptors."""
        cdef Py_ssize_t i
        cdef pqx_pm_column *c
        if self.columns != NULL:
            raise ValueError("the writer is in use")
        self.columns = <pqx_pm_column *> calloc(len(columns) + 1, sizeof(pqx_pm_column))
        if self.columns == NULL:
            raise MemoryError
        if type(columns) is Columns:
            memcpy(self.columns, (<Columns> columns).columns, len(columns) * sizeof(pqx_pm_column))
            self.names = [columns]
            return 0
        self.names = [bytes(column.name) for column in columns]
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

        See `parquetext._pure.sidecar_write.Writer.add` for details.
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
                raise exception_of(&error)
        finally:
            free(records)

    def add_scan(self, Scan scan not None, *, at=None, bounds=None, blooms=None):
        """Write the row groups of a scanned footer.

        See `parquetext._pure.sidecar_write.Writer.add_scan` for details.
        """
        cdef uint32_t count = self.writer.column_count, leaf, place, row_group
        cdef int64_t num_rows
        cdef pqx_error error
        cdef int status
        self._going_on()
        if scan.result.leaf_count != count:
            raise wire_error(wire.BAD_ARGUMENT, 0, count, scan.result.leaf_count)
        scan.check_regular()
        if at is not None and len(at) != scan.result.row_group_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, scan.result.row_group_count, len(at))
        overrides = by_row_group(bounds or {}, blooms or {})
        cdef pqx_pm_chunk *records = <pqx_pm_chunk *> calloc(count + 1, sizeof(pqx_pm_chunk))
        if records == NULL:
            raise MemoryError
        try:
            for row_group in range(scan.result.row_group_count):
                with nogil:
                    status = convert(&scan.result, scan.start, row_group, self.columns, records, &error)
                if status:
                    raise exception_of(&error)
                for column, (limits, bloom) in overrides.get(row_group, {}).items():
                    leaf = number_of(column, count)
                    if leaf >= count:
                        raise wire_error(wire.BAD_ARGUMENT, 0, count, leaf)
                    if limits is not None:
                        records[leaf].min, records[leaf].max = bytes_of(limits[0]), bytes_of(limits[1])
                        records[leaf].flags |= MIN_EXACT | MAX_EXACT
                    if bloom is not None:
                        records[leaf].bloom = bytes_of(bloom)
                place = self.writer.row_group_count
                if at is not None:
                    place = number_of(at[row_group], place)
                num_rows = scan.result.row_groups[row_group].num_rows
                with nogil:
                    status = pqx_pm_write_row_group(&self.writer, place, num_rows if num_rows > 0 else 0, records, &error)
                if status:
                    raise exception_of(&error)
        finally:
            free(records)

    def finish(self, uint64_t parquet_footer_offset, uint32_t parquet_footer_length, *, unused_bytes=None, seq_txn=None,
               scratchpad=None, bytes schema not None=b""):
        """Write footer and trailer; return the bytes that belong at `base`.

        See `parquetext._pure.sidecar_write.Writer.finish` for details.
        """
        cdef pqx_pm_end end
        cdef pqx_error error
        cdef Py_ssize_t i
        cdef int status
        self._going_on()
        kept_unused, kept_number, kept_notes = self.kept or (0, -1, ())
        if scratchpad is None:
            scratchpad = kept_notes
        cdef list notes = [(code, bytes(value)) for code, value in scratchpad]
        self.finished = True
        cdef pqx_pm_scratch *entries = <pqx_pm_scratch *> calloc(len(notes) + 1, sizeof(pqx_pm_scratch))
        if entries == NULL:
            raise MemoryError
        try:
            for i in range(len(notes)):
                entries[i].code, entries[i].value = notes[i][0], bytes_of(notes[i][1])
            end.parquet_footer_offset, end.parquet_footer_length = parquet_footer_offset, parquet_footer_length
            end.unused_bytes = kept_unused if unused_bytes is None else unused_bytes
            end.seq_txn = kept_number if seq_txn is None else seq_txn
            end.scratchpad, end.scratchpad_count, end.schema = entries, len(notes), bytes_of(schema)
            with nogil:
                status = pqx_pm_write_footer(&self.writer, &end, &error)
            if status:
                raise exception_of(&error)
            return PyBytes_FromStringAndSize(<char *> self.writer.out.data, self.writer.out.size)
        finally:
            free(entries)


cdef int convert(const pqx_scan *scan, const uint8_t *start, uint32_t row_group, const pqx_pm_column *columns,
                 pqx_pm_chunk *records, pqx_error *error) noexcept nogil:
    """Convert the chunks of one row group to records."""
    cdef uint32_t i
    cdef size_t at = <size_t> row_group * scan.leaf_count
    cdef const pqx_places *places = NULL
    cdef int status
    for i in range(scan.leaf_count):
        if scan.places != NULL:
            places = scan.places + at + i
        status = pqx_pm_chunk_of(start, scan.chunks + at + i, places, &columns[i],
                                 scan.elements[scan.leaves[i]].sort_order == PQX_ORDER_UNSIGNED, &records[i], error)
        if status:
            return status
    return 0


cdef pqx_bytes bytes_of(bytes value):
    return pqx_bytes(<const uint8_t *> PyBytes_AsString(value), len(value))


cdef bytes numbers(values):
    """Pack numbers of columns as uint32s."""
    cdef list kept = list(values)
    cdef bytes packed = PyBytes_FromStringAndSize(NULL, 4 * len(kept))
    cdef uint32_t *to = <uint32_t *> PyBytes_AsString(packed)
    cdef Py_ssize_t i
    for i in range(len(kept)):
        to[i] = number_of(kept[i], 0)
    return packed


cdef dict by_row_group(bounds, blooms):
    """Return row group → column → [bounds, filter]."""
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
