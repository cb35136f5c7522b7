"""Add partition columns to rows of a directory's or pattern's files: their values are in the directories' names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...arrow.datasets.discovery import partition_schema
from ...arrow.datasets.partitioning import cast_keys
from ...errors import ColumnError
from ...storage.paths import directory_keys
from .conditions import filters_of, is_about
from .row_text import rows_of


def partition_values(names: Sequence[str]) -> list[pa.Table]:
    """Return the partition columns of each file, as a table of one row.

    Parameters
    ----------
    names : sequence of str
        The files' paths, relative to the directory that they were found in. All of them together decide the types.
    """
    keys = [directory_keys(posixpath.dirname(name)) for name in names]
    schema = partition_schema(keys)
    return [_table(schema, of_file) for of_file in keys]


def _table(schema: pa.Schema, keys: dict[str, str | None]) -> pa.Table:
    fields = [field for field in schema if field.name in keys]
    columns = [cast_keys(pa.array([keys[field.name]], pa.string()), field.type) for field in fields]
    return pa.table(columns, schema=pa.schema(fields))


def rows_with_partitions(
    file,
    values: pa.Table,
    columns: Sequence[str | tuple[str, ...]] | None = None,
    conditions: Sequence[str] = (),
    limit: int | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield a file's rows as `rows_of` does, with the partition columns that the file itself does not have.

    Parameters
    ----------
    file : parquetext.File
    values : pyarrow.Table
        The file's partition columns, one row.
    columns, conditions, limit
        As `rows_of` takes them; partition columns count in both. They follow the file's own columns.
    """
    there = set(file.schema.names)
    values = values.select([name for name in values.schema.names if name not in there])
    names = values.schema.names
    about = [condition for condition in conditions if is_about(condition, names)]
    filters = filters_of(_OneRow(values), about)
    if filters is not None:
        met = values.filter(pq.filters_to_expression(filters) if isinstance(filters, list) else filters)
        limit = limit if met.num_rows else 0
    if columns is not None:
        asked = [column for column in columns if column in names]
        columns, values = [column for column in columns if column not in names], values.select(asked)
    left = [condition for condition in conditions if condition not in about]
    for batch in rows_of(file, columns, left, limit):
        added = [pa.repeat(column[0], batch.num_rows) for column in values.columns]
        schema = pa.schema([*batch.schema, *values.schema], batch.schema.metadata)
        yield pa.RecordBatch.from_arrays([*batch.columns, *added], schema=schema)


class _OneRow:
    """A table that conditions can be about, as about a `parquetext.File`."""

    def __init__(self, table: pa.Table):
        self._table = table

    def read(self, columns: Sequence[tuple[str, ...]], **_: Any) -> pa.Table:
        """Return one column; ColumnError if it is not there."""
        name = columns[0][0]
        if name not in self._table.schema.names:
            raise ColumnError(f"column {name!r} not found", absent=name)
        return self._table.select([name])
