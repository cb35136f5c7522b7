"""Read encrypted files with the caller's keys: pyarrow reads and decrypts them, and uses their Thrift footer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa

from ..footer.arrow_errors import ArrowUnsupported
from ..footer.targets import readable
from ..pruning import Predicate, predicate_of
from ..reading.request.read_request import OURS

POSITION = "__parquetext_position__"
DATASET_OPTIONS = {"schema", "decryption_properties", "partitioning", "ignore_prefixes"}


def read_encrypted(
    source: object,
    filesystem: object,
    columns: Iterable | None,
    filters: object,
    *,
    engine: str | None,
    key_values: bool,
    **options: Any,
) -> pa.Table:
    """Read with `pyarrow.parquet.read_table`, to which `options` are passed.

    Raises
    ------
    Unsupported
        If the parquetext decoder is requested: it cannot decrypt.
    OSError
        If the keys are wrong.
    RowsMissing
        If pyarrow returns fewer rows than the footer records.
    """
    import pyarrow.parquet as pq  # slow to import

    _check_engine(engine)
    if not isinstance(source, list):
        source, filesystem = for_pyarrow(source, filesystem)
    from .counted_file import check_fragments  # takes long to import

    columns, predicate = _dotted(columns), None if filters is None else predicate_of(filters)
    table = pq.read_table(source, columns=columns, filters=filters, filesystem=filesystem, **options)
    found = pq.ParquetDataset(
        source, filesystem=filesystem, **{name: options[name] for name in DATASET_OPTIONS & options.keys()}
    )
    check_fragments(table, found.fragments, found.schema, columns, predicate)
    return table if key_values else table.replace_schema_metadata(None)


def schema_of_encrypted(source: object, filesystem: object, **options: Any) -> pa.Schema:
    """Read the schema with `pyarrow.parquet.read_schema`, to which `options` are passed."""
    import pyarrow.parquet as pq  # slow to import

    where, filesystem = for_pyarrow(source, filesystem)
    return pq.read_schema(where, filesystem=filesystem, **options)


def read_opened(
    data: pa.NativeFile,
    columns: Iterable | None,
    row_groups: Sequence[int] | None,
    filters: object,
    *,
    engine: str | None,
    use_threads: bool,
    use_pandas_metadata: bool,
    **options: Any,
) -> pa.Table:
    """Read an open file with `pyarrow.parquet.ParquetFile(..., **options)`; other parameters as in `File.read`.

    It raises the errors of `read_encrypted`.
    """
    from .counted_file import CountedFile  # slow to import

    _check_engine(engine)
    with CountedFile(data, **options) as file:
        chosen = range(file.num_row_groups) if row_groups is None else row_groups

        def read(names: list[str] | None) -> pa.Table:
            return file.read_row_groups(chosen, names, use_threads, use_pandas_metadata)

        table = read(_dotted(columns))
        return table if filters is None else table.take(_rows_that_meet(predicate_of(filters), file.schema_arrow, read))


def _rows_that_meet(
    predicate: Predicate, schema: pa.Schema, read: Callable[[list[str] | None], pa.Table]
) -> pa.ChunkedArray:
    """Return the positions of the rows that match a predicate, after reading only its columns."""
    rows = read(predicate.columns_in(schema))
    return rows.append_column(POSITION, pa.array(range(len(rows)), pa.int64())).filter(predicate.expression)[POSITION]


def _check_engine(engine: str | None) -> None:
    if engine == OURS:
        raise ArrowUnsupported("the parquetext decoder cannot decrypt: use engine='pyarrow'")


def _dotted(columns: Iterable | None) -> list[str] | None:
    return None if columns is None else [name if isinstance(name, str) else ".".join(name) for name in columns]


def for_pyarrow(source: object, filesystem: object) -> tuple[object, object]:
    """Convert a source to pyarrow's arguments: a path and its filesystem, or a file object."""
    target = readable(source, filesystem)
    if target.is_open:
        return target.for_arrow(), None
    return target.path, target.filesystem
