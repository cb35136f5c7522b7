"""Read a part of a plan with pyarrow, by a slice of the footer, and check the number of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyarrow._parquet import ParquetReader

from ...errors import Malformed
from ...footer.entry_counts import EntryCounts, find_wrong_count
from ...footer.pyarrow_footer import metadata_of, with_known_dictionaries
from ...footer.row_counts import RowsMissing, check_rows, is_row_loss
from ..open_file import OpenFile
from ..plan.part import SMALL_BYTES, SMALL_ROWS, Part
from ..request.read_request import ReadOptions

SMALL_CHUNKS = 1 << 9  # chunks below which threads and pre-buffering cost more than they save
# Shorter chunks of a local file are read one by one: pre-buffering would also read the bytes between them.
LONG_CHUNK_ROWS = 1 << 14
SEVERAL_CHUNKS = "not implemented for chunked array outputs"
BATCH_ROWS = 1 << 17  # as in pyarrow's datasets


def read_part(part: Part, options: ReadOptions, file: OpenFile, *, counts_rows: bool = True) -> pa.Table:
    """Read a part.

    pyarrow uses its threads if the part is not small. It fetches all ranges first, in parallel, if the part is not
    small and its chunks are long, or if the file is remote.

    Parameters
    ----------
    counts_rows : bool
        If True, compare the number of rows with those of the row groups.

    Raises
    ------
    RowsMissing
        If pyarrow returns fewer rows than the row groups have.
    Malformed
        If a row group has a negative number of rows.
    """
    reader_options = dict(options.reader)
    pre_buffer = reader_options.pop("pre_buffer", None)
    is_small = _is_small(part)
    if pre_buffer is None:
        pre_buffer = file._is_remote or (not is_small and part.rows >= LONG_CHUNK_ROWS * len(part.row_groups))
    part.check_here()
    if counts_rows and part.scan is not None and (wrong := find_wrong_count(part.scan, part.indices)):
        problem = "a chunk of {} values in a row group of {} rows: pyarrow would shift rows between row groups".format(
            *wrong
        )
        raise RowsMissing(problem, expected=wrong[1], found=wrong[0])
    try:
        with file._open_data(memory_map=options.memory_map) as data:
            reader = PyarrowReader(part, data, pre_buffer, reader_options)
            return reader.table(use_threads=options.use_threads and not is_small, counts_rows=counts_rows)
    except (pa.ArrowInvalid, OSError) as error:
        if counts_rows and is_row_loss(error):
            raise RowsMissing(str(error)) from error
        raise


def check_counts(row_groups: Sequence[int], counts: Sequence[int]) -> int:
    """Return the sum of the row groups' row counts.

    Raises
    ------
    Malformed
        If a count is negative: pyarrow subtracts it from the rows of the other row groups.
    """
    for row_group, rows in zip(row_groups, counts, strict=True):
        if rows < 0:
            raise Malformed(f"row group {int(row_group)} has {rows} rows", expected=0, found=rows)
    return sum(counts)


class PyarrowReader:
    """pyarrow's reader of a part.

    Attributes
    ----------
    row_groups : list of int
        The numbers of the row groups in the footer that pyarrow reads; all row groups, if that footer is a slice.
    """

    def __init__(self, part: Part, source: pa.NativeFile, pre_buffer: bool, options: dict):
        self._part, self._reader = part, ParquetReader()
        metadata = None if part.footer is None else metadata_of(part.footer)
        if metadata is not None and options.get("read_dictionary"):
            options = with_known_dictionaries(options, metadata)
        options = {"arrow_extensions_enabled": True, **options}
        self._reader.open(source, metadata=metadata, pre_buffer=pre_buffer, **options)
        self.row_groups = list(part.row_groups if part.footer is None else range(len(part.row_groups)))

    @property
    def schema(self) -> pa.Schema:
        return self._reader.schema_arrow

    @property
    def row_counts(self) -> Sequence[int]:
        """The rows of each row group of the part."""
        if self._part.scan is not None:
            return self._part.scan.row_groups("num_rows")
        return [self._reader.metadata.row_group(number).num_rows for number in self._part.row_groups]

    def entry_counts(self) -> EntryCounts | None:
        """Return the numbers of entries of the columns in lists, or None if there are no lists."""
        if self._part.scan is not None:
            return EntryCounts.of_scan(self._part.scan, self._part.indices)
        return EntryCounts.of_metadata(self._reader.metadata, self._part.indices)

    def table(self, *, use_threads: bool, counts_rows: bool) -> pa.Table:
        """Read the part; with `counts_rows`, compare the numbers of rows and of list entries with the footer."""
        part, table = self._part, self._read_all(use_threads)
        if counts_rows and not table.num_rows == part.rows == self._reader.metadata.num_rows:
            check_rows(table.num_rows, check_counts(part.row_groups, self.row_counts))
        if counts_rows and (entries := self.entry_counts()):
            entries.check_table(table, self.row_groups)
        return table

    def batches(self, row_groups: Sequence[int], size: int, use_threads: bool) -> Iterator[pa.RecordBatch]:
        """Read row groups, given by their numbers in the footer; `next_size` changes the size of the next batch."""
        return self._reader.iter_batches(size, row_groups, self._part.indices, use_threads)

    def next_size(self, rows: int) -> None:
        """Set the number of rows of the next batch."""
        self._reader.set_batch_size(rows)

    def _read_all(self, use_threads: bool) -> pa.Table:
        indices = self._part.indices
        try:
            if self._part.footer is None:
                return self._reader.read_row_groups(self.row_groups, indices, use_threads=use_threads)
            return self._reader.read_all(indices, use_threads=use_threads)
        except pa.ArrowNotImplementedError as error:
            if SEVERAL_CHUNKS not in str(error):
                raise
        # pyarrow cannot read nested dictionary columns, or over 2 GiB of text, in one piece.
        batches = [self.batches([number], BATCH_ROWS, use_threads) for number in self.row_groups]
        return pa.Table.from_batches([batch for group in batches for batch in group])


def _is_small(part: Part) -> bool:
    """Return True if a part has few chunks, few values and few bytes.

    Rows alone do not suffice: many rows may take few bytes, and few rows many bytes.
    """
    if part.chunks >= SMALL_CHUNKS or part.values >= SMALL_ROWS:
        return False
    if part.scan is None:
        return not part.has_columns
    return sum(part.scan.row_groups("total_byte_size")) < SMALL_BYTES
