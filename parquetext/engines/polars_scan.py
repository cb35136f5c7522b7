"""Polars over a dataset: a source with projection, predicate and row limit pushed down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..arrow.datasets.dataset import Dataset
from .engine_types import with_types_of_polars
from .sources import import_optional, is_directory, open_source, texts_of_keys, with_schema

if TYPE_CHECKING:
    import polars as pl

BATCH_ROWS = 1 << 17


def scan_polars(source: object, columns: Iterable[str] | None = None, **options: Any) -> pl.LazyFrame:
    """Scan Parquet files with Polars, by the fastest form of their footers.

    Parameters
    ----------
    source : path, or list of paths
        As `parquetext.dataset` takes it.
    columns : list of str, optional
        Top-level columns that the frame has. All without, which takes the whole schema of the first file: of 10,000
        columns that costs as much as Polars' own scan of them.
    **options
        Of `parquetext.dataset`. `partitioning` is ``"hive"`` for a directory by default, and None for files.

    Returns
    -------
    polars.LazyFrame
        Its rows, columns and types are those of `polars.scan_parquet`. Polars asks it for the columns that a query
        needs, for rows that meet its filter, and for no more rows than it takes.

    Raises
    ------
    Unsupported
        Polars is not installed.
    FileNotFoundError
        There is no such file or directory.
    ColumnError
        There is no such column.

    Notes
    -----
    Comparisons of a column with a value, ranges and `is_in`, joined by ``&`` and ``|``, rule out files, row groups and
    rows before Polars sees them; Polars applies the whole filter to the rest. A filter that calls Python functions
    needs cloudpickle, which the extra installs: Polars pickles it.

    Examples
    --------
    >>> import polars
    >>> frame = parquetext.scan_polars("wide.parquet").filter(polars.col("price") > 297)
    >>> frame.select("id").collect()["id"].to_list()
    [298, 299]
    """
    polars = import_optional("polars", "scan_polars")
    if "partitioning" not in options:
        options["partitioning"] = "hive" if is_directory(source, options.get("filesystem")) else None
    lake = open_source(source, columns, options)
    if options.get("schema") is None:
        lake = _with_keys_of_polars(lake)
    lake = with_types_of_polars(lake)
    schema = polars.Schema(lake.schema.remove_metadata())  # at keys that are not UTF-8 Polars panics

    def read(
        names: list[str] | None, predicate: pl.Expr | None, most_rows: int | None, batch_rows: int | None
    ) -> Iterator[pl.DataFrame]:
        """Read the rows that Polars requests: of the first `most_rows` rows, those that meet the predicate."""
        from .polars_predicates import filters_of

        names = list(schema) if names is None else names
        needed = names if predicate is None else list(dict.fromkeys([*names, *predicate.meta.root_names()]))
        pushed = None if predicate is None or most_rows is not None else filters_of(predicate, schema)
        tables = lake.scanner(needed, pushed, batch_size=batch_rows or BATCH_ROWS).tables()
        for frame in _limited(map(_frame_of, tables), most_rows):
            yield frame if predicate is None else frame.filter(predicate).select(names)

    from polars.io.plugins import register_io_source

    return register_io_source(read, schema=schema, is_pure=True)


def _frame_of(table: pa.Table) -> pl.DataFrame:
    import polars as pl

    found: Any = pl.from_arrow(_with_whole_lists(table.replace_schema_metadata(None)))
    frame: pl.DataFrame = found
    if "" in table.schema.names:
        frame.columns = table.schema.names  # Polars calls a column without a name `column_0`
    return frame


def _with_whole_lists(table: pa.Table) -> pa.Table:
    """Copy lists of a fixed length that are slices of their buffers: Polars refuses those with nulls."""
    for position, field in enumerate(table.schema):
        if pa.types.is_fixed_size_list(field.type):
            chunks = [_whole(chunk) for chunk in table.column(position).chunks]
            table = table.set_column(position, field, pa.chunked_array(chunks, field.type))
    return table


def _whole(lists: pa.FixedSizeListArray) -> pa.Array:
    is_whole = len(lists.values) == len(lists) * lists.type.list_size
    return lists if is_whole else pa.concat_arrays([lists, lists[:0]])


def _limited(frames: Iterable[pl.DataFrame], most_rows: int | None) -> Iterator[pl.DataFrame]:
    for frame in frames:
        if most_rows is None:
            yield frame
            continue
        yield frame.head(most_rows)
        most_rows -= frame.height
        if most_rows <= 0:
            return


def _with_keys_of_polars(lake: Dataset) -> Dataset:
    """Return the keys of directories with the types that Polars uses."""
    keys = _types_of_keys(lake)
    fields = [field.with_type(keys.get(field.name, field.type)) for field in lake.schema]
    schema = pa.schema(fields, lake.schema.metadata)
    return lake if schema.equals(lake.schema) else with_schema(lake, schema)


def _types_of_keys(lake: Dataset) -> dict[str, pa.DataType]:
    """Polars infers them as it infers the types of a CSV file's columns; integers beyond 64 bits stay text here."""
    import polars as pl

    types = {}
    for name, texts in texts_of_keys(lake).items():
        text = pl.DataFrame({name: texts}, schema={name: pl.String}).write_csv().encode()
        kind = pl.read_csv(text, try_parse_dates=True, infer_schema_length=None).schema[name]
        types[name] = pa.string() if kind in (pl.String, pl.Int128) else pl.Series([], dtype=kind).to_arrow().type
    return types
