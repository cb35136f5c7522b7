"""Read a projection into a table with pyarrow, using a footer reduced to the projection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

import pyarrow as pa
from pyarrow._parquet import ParquetReader

from ..footer.entry_counts import EntryCounts, find_wrong_count
from ..footer.pyarrow_footer import metadata_of, with_known_dictionaries
from ..footer.row_counts import RowsMissing, check_rows, is_row_loss
from .read_options import check_types
from .read_plan import Projection, Step
from .whole_batches import check_counts, whole_batches

__all__ = [
    "SMALL_BYTES",
    "SMALL_ROWS",
    "check_options",
    "iter_projection",
    "read_projection",
    "read_steps",
]

ReadStep = Callable[[Step], pa.Table]
OpenData = Callable[[], AbstractContextManager[pa.NativeFile]]
# Values, chunks and bytes in pages below which threads and pre-buffering cost more than they save.
SMALL_ROWS = 1 << 18
SMALL_CHUNKS = 1 << 9
SMALL_BYTES = 1 << 20
# Shorter chunks of a local file are read one by one: pre-buffering would also read the bytes between them.
LONG_CHUNK_ROWS = 1 << 14
OPTIONS = {
    "pre_buffer",
    "buffer_size",
    "read_dictionary",
    "binary_type",
    "list_type",
    "coerce_int96_timestamp_unit",
    "page_checksum_verification",
    "arrow_extensions_enabled",
    "thrift_string_size_limit",
    "thrift_container_size_limit",
    "schema_depth_limit",
}
OF_TABLES = {"schema", "ignore_prefixes", "partitioning", "decryption_properties"}
SEVERAL_CHUNKS = "not implemented for chunked array outputs"
BATCH_ROWS = 1 << 17  # as in pyarrow's datasets
POSITION = "__parquetext_position__"


def check_options(options: dict) -> None:
    """Raise TypeError for an option that pyarrow's reader does not have, or that we do not pass on."""
    check_types(options)
    for name in options.keys() - OPTIONS:
        if name in OF_TABLES:
            raise TypeError(f"{name}: parquetext.read_table takes it")
        if name == "row_groups":
            raise TypeError("row_groups: an open file's read takes it")
        raise TypeError(f"unexpected argument {name!r}")


def read_projection(
    projection: Projection,
    open_data: OpenData,
    *,
    use_threads: bool = True,
    pre_buffer: bool | None = None,
    remote: bool = False,
    shorter: Callable[[Step, ReadStep], pa.Table | None] | None = None,
    counts_rows: bool = False,
    check: Callable[[Step], None] | None = None,
    **options,
) -> pa.Table:
    """Read the columns, filter the rows, and drop the extra columns.

    Parameters
    ----------
    open_data : callable
        Opens the file's bytes for one read by pyarrow.
    use_threads : bool
        If True, pyarrow may use its threads. It does not use them if the projection is small.
    pre_buffer : bool, optional
        If True, pyarrow fetches all ranges first, in parallel. This is the default if the projection is large and its
        chunks are long, or if `remote` is True.
    shorter : callable, optional
        Returns the same table for a step as pyarrow in a shorter time, or None. It may call its second argument to read
        parts of the step.
    counts_rows : bool
        If True, compare the number of rows with those of the row groups.
    check : callable, optional
        Raises an error for a step that pyarrow must not read.
    **options
        Options of pyarrow's reader.

    Raises
    ------
    RowsMissing
        If pyarrow returns fewer rows than the row groups have.
    Malformed
        If a row group has a negative number of rows.
    """

    def theirs(step: Step) -> pa.Table:
        if check is not None:
            check(step)
        small = _is_small(step)
        early = remote or (not small and _has_long_chunks(step)) if pre_buffer is None else pre_buffer
        try:
            return _read(step, open_data, use_threads and not small, early, options, counts_rows)
        except (pa.ArrowInvalid, OSError) as error:
            if counts_rows and is_row_loss(error):
                raise RowsMissing(str(error)) from error
            raise

    def read(step: Step) -> pa.Table:
        found = shorter(step, theirs) if shorter else None
        return theirs(step) if found is None else found

    return read_steps(projection, read)


def read_steps(projection: Projection, read: Callable[[Step], pa.Table]) -> pa.Table:
    """Read each step with `read`, filter the rows, and drop the extra columns."""
    if projection.predicate is None:
        return read(projection.step)
    expression = projection.predicate.expression
    if projection.finder is None:
        table = _filtered(read(projection.step), expression)
        return table.select(range(table.num_columns - projection.extra)) if projection.extra else table
    found = read(projection.finder)
    rows = pa.array(range(found.num_rows), pa.int64())
    kept = found.append_column(POSITION, rows).filter(expression).column(POSITION)
    return read(projection.step).take(kept)


def _filtered(table: pa.Table, expression) -> pa.Table:
    """Return the rows that match an expression; few rows are filtered without threads, which is faster."""
    if table.num_rows >= SMALL_ROWS:
        return table.filter(expression)
    from pyarrow import acero  # slow to import, and only filters need it

    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("filter", acero.FilterNodeOptions(expression)),
    ]
    return acero.Declaration.from_sequence(steps).to_table(use_threads=False)


def _is_small(step: Step) -> bool:
    """Return True if a read is small in chunks, values and bytes: many rows may be few bytes, and few rows many."""
    if step.chunks >= SMALL_CHUNKS or step.rows * (step.chunks // max(len(step.row_groups), 1)) >= SMALL_ROWS:
        return False
    if step.scan is None:
        return not step.has_columns
    return sum(step.scan.row_groups("total_byte_size")) < SMALL_BYTES


def _has_long_chunks(step: Step) -> bool:
    return step.rows >= LONG_CHUNK_ROWS * len(step.row_groups)


def iter_projection(
    projection: Projection,
    open_data: OpenData,
    batch_size: int,
    *,
    ours: Callable[[Sequence[int]], Iterator[pa.RecordBatch]],
    use_threads: bool = True,
    pre_buffer: bool = False,
    **options,
) -> Iterator[pa.RecordBatch]:
    """Read a projection of columns without a predicate batch by batch.

    If pyarrow loses rows, `ours` reads the row groups of the projection. Other parameters as in `read_projection`. The
    rows of every row group are counted, so a batch never combines columns that pyarrow reads at different row
    positions.
    """
    step = projection.step
    step.check_here()
    with open_data() as source:
        reader, row_groups = _reader(step, source, pre_buffer, options)

        def theirs(numbers: Sequence[int], room: Callable[[], int]) -> Iterator[pa.RecordBatch]:
            groups = [row_groups[number] for number in numbers]
            for batch in reader.iter_batches(room(), groups, step.indices, use_threads):
                yield batch
                reader.set_batch_size(room())

        counts = _row_counts(step, reader)
        check_counts(step.row_groups, counts)
        options = {"schema": reader.schema_arrow, "entries": _entry_counts(step, reader), "numbers": row_groups}
        options["one_by_one"] = step.scan is not None and find_wrong_count(step.scan, step.indices) is not None
        yield from whole_batches(counts, theirs, ours, batch_size, **options)


def _row_counts(step: Step, reader: ParquetReader) -> Sequence[int]:
    """Return the rows of each row group of a step."""
    if step.scan is not None:
        return step.scan.row_groups("num_rows")
    return [reader.metadata.row_group(number).num_rows for number in step.row_groups]


def _entry_counts(step: Step, reader: ParquetReader) -> EntryCounts | None:
    """Return the entries of a step's columns in lists, or None if it has no lists."""
    if step.scan is not None:
        return EntryCounts.of_scan(step.scan, step.indices)
    return EntryCounts.of_metadata(reader.metadata, step.indices)


def _read(
    step: Step, open_data: OpenData, use_threads: bool, pre_buffer: bool, options: dict, counts_rows: bool
) -> pa.Table:
    if not step.has_columns:
        return step.without_columns()
    step.check_here()
    if counts_rows and step.scan is not None and (wrong := find_wrong_count(step.scan, step.indices)):
        told = "{} values for {} rows of a row group, which pyarrow reads as rows of the next one".format(*wrong)
        raise RowsMissing(told, expected=wrong[1], found=wrong[0])
    with open_data() as source:
        reader, row_groups = _reader(step, source, pre_buffer, options)
        table = _read_all(step, reader, row_groups, use_threads)
        if counts_rows and not table.num_rows == step.rows == reader.metadata.num_rows:
            check_rows(table.num_rows, check_counts(step.row_groups, _row_counts(step, reader)))
        if counts_rows and (entries := _entry_counts(step, reader)):
            entries.check_table(table, row_groups)
        return table


def _read_all(step: Step, reader: ParquetReader, row_groups: list[int], use_threads: bool) -> pa.Table:
    try:
        if step.footer is None:
            return reader.read_row_groups(row_groups, step.indices, use_threads=use_threads)
        return reader.read_all(step.indices, use_threads=use_threads)
    except pa.ArrowNotImplementedError as error:
        if SEVERAL_CHUNKS not in str(error):
            raise
    return _read_in_batches(reader, row_groups, step.indices, use_threads)


def _read_in_batches(reader: ParquetReader, row_groups: list[int], indices: list[int], use_threads: bool) -> pa.Table:
    """Read tables that pyarrow cannot read in one piece: nested dictionary columns, or over 2 GiB of text."""
    batches = []
    for row_group in row_groups:
        batches += reader.iter_batches(BATCH_ROWS, [row_group], indices, use_threads)
    return pa.Table.from_batches(batches)


def _reader(step: Step, source: pa.NativeFile, pre_buffer: bool, options: dict) -> tuple[ParquetReader, list[int]]:
    """Return a reader of a file's bytes, and the row groups to read; in a slice, these are all."""
    reader = ParquetReader()
    metadata = None if step.footer is None else metadata_of(step.footer)
    if metadata is not None and options.get("read_dictionary"):
        options = with_known_dictionaries(options, metadata)
    reader.open(source, metadata=metadata, pre_buffer=pre_buffer, **{"arrow_extensions_enabled": True, **options})
    return reader, list(step.row_groups if step.footer is None else range(len(step.row_groups)))
