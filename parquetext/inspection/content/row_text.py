"""Read the requested rows of a file, and format them as CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from ...escaping import json_line
from .conditions import filters_of
from .value_text import column_as_json

BATCH_ROWS = 1 << 14
_TO_QUOTE = frozenset(',"\r\n')


def rows_of(
    file,
    columns: Sequence[str | tuple[str, ...]] | None = None,
    conditions: Sequence[str] = (),
    limit: int | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the first rows that meet all conditions; row groups after the last of them are not read.

    There is at least one batch, so that the names of columns are known even if there are no rows.

    Parameters
    ----------
    file : parquetext.File
    columns, conditions, limit
        By default all columns and all rows. Conditions as in `conditions.filters_of`.
    """
    filters = filters_of(file, conditions)
    left = file.num_rows if limit is None else min(limit, file.num_rows)
    if left <= 0:
        yield _no_rows(file.read(columns, [], engine="auto"))
        return
    for batch in _unfiltered(file, columns, left) if filters is None else _filtered(file, columns, filters):
        if left <= 0:
            return
        yield batch.slice(0, left)
        left -= batch.num_rows


def _unfiltered(file, columns: Sequence[str | tuple[str, ...]] | None, limit: int) -> Iterator[pa.RecordBatch]:
    groups, rows = [], 0
    for number, count in enumerate(file.row_groups.num_rows):
        if rows >= limit:
            break
        groups.append(number)
        rows += count
    batch_size = max(1, min(limit, BATCH_ROWS))
    return file.iter_batches(columns, groups, batch_size=batch_size, engine="auto")


def _filtered(file, columns: Sequence[str | tuple[str, ...]] | None, filters) -> Iterator[pa.RecordBatch]:
    rows = 0
    for number in range(len(file.row_groups)):
        found = file.read(columns, [number], filters, engine="auto")
        rows += found.num_rows
        yield from found.to_batches(max_chunksize=BATCH_ROWS)
    if not rows:
        yield _no_rows(found)


def _no_rows(table: pa.Table) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in table.columns], schema=table.schema)


def as_json_lines(batch: pa.RecordBatch) -> Iterator[str]:
    """Return one JSON document per row. If names are equal, the last value is used."""
    names = batch.schema.names
    for row in zip(*(column_as_json(column) for column in batch.columns), strict=True):
        yield json_line(dict(zip(names, row, strict=True)))


def csv_heading(schema: pa.Schema) -> str:
    """Return the names, as the first line of CSV."""
    return ",".join(map(_quoted, schema.names))


def as_csv(batch: pa.RecordBatch) -> Iterator[str]:
    """Return one line per row: nothing for null, ``""`` for an empty text, JSON for nested values."""
    for row in zip(*(texts(column) for column in batch.columns), strict=True):
        yield ",".join("" if text is None else _quoted(text) for text in row)


def texts(column: pa.Array) -> list[str | None]:
    """Return each value as text, nested ones as JSON."""
    return [value if value is None or isinstance(value, str) else json_line(value) for value in column_as_json(column)]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if not text or not _TO_QUOTE.isdisjoint(text) else text
