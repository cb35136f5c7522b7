"""Filter the rows of one table, or of many small ones together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from ...pruning import Predicate
from .file_errors import naming
from .shape import with_null_column

# Starting a filter in Arrow, or taking rows from many chunks, takes longer than comparing a few thousand rows.
JOINED_ROWS, ROWS_TOGETHER, BYTES_TOGETHER = 1 << 14, 1 << 16, 1 << 24


class Rows(NamedTuple):
    """Rows of a file, and the filter that is still to be applied."""

    table: pa.Table
    unmet: Predicate | None
    target: Any


def filtered(table: pa.Table, predicate: Predicate, *, use_threads: bool = True) -> pa.Table:
    """Return the rows that match a predicate. Without threads, few rows are filtered faster."""
    from pyarrow import acero  # slow to import, and only filters need it

    if not table.num_columns:  # an Arrow plan returns no rows for such a table
        return filtered(with_null_column(table), predicate, use_threads=use_threads).select([])
    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("filter", acero.FilterNodeOptions(predicate.expression)),
    ]
    found = acero.Declaration.from_sequence(steps).to_table(use_threads=use_threads)
    return found.replace_schema_metadata(table.schema.metadata)


def filtered_together(read: Iterable[Rows]) -> Iterator[pa.Table]:
    """Yield the matching rows of each file, in order; small tables are filtered as one.

    All tables have the same schema, and all tables with a filter have the same one.
    """
    waiting: list[Rows] = []
    rows = size = 0
    is_joined: bool | None = None  # computed once, because it takes as long as filtering a few rows
    texts: list[int] = []
    for one in read:
        if is_joined is None:
            is_joined = _is_joined(one.table.schema)
            texts = [number for number, kind in enumerate(one.table.schema.types) if _is_text(kind)]
        joins = is_joined and one.unmet is not None
        if not joins or rows >= ROWS_TOGETHER or size >= BYTES_TOGETHER:
            yield from _filtered_as_one(waiting)
            waiting, rows, size = [], 0, 0
        if joins:
            waiting.append(one)
            rows, size = rows + one.table.num_rows, size + _bytes_of(one.table, texts)
        else:
            yield _filtered_alone(one)
    yield from _filtered_as_one(waiting)


def _filtered_as_one(waiting: list[Rows]) -> Iterable[pa.Table]:
    if len(waiting) < 2 or (unmet := waiting[0].unmet) is None:
        return map(_filtered_alone, waiting)
    joined = pa.concat_tables([one.table for one in waiting]).combine_chunks()
    try:
        return [filtered(joined, unmet, use_threads=False)]
    except MemoryError:
        raise
    except pa.ArrowException:
        return map(_filtered_alone, waiting)  # the error names its file


def _filtered_alone(one: Rows) -> pa.Table:
    if one.unmet is None:
        return one.table
    with naming(one.target):
        return filtered(one.table, one.unmet, use_threads=False)


def _bytes_of(table: pa.Table, texts: Sequence[int]) -> int:
    """Estimate the memory of a table with these columns of texts; Arrow's exact size of others is slow to compute."""
    return 8 * table.num_rows * table.num_columns + sum(table.column(number).nbytes for number in texts)


def _is_joined(schema: pa.Schema) -> bool:
    """Return True if tables of a schema can be joined.

    A table without columns would lose its rows, and dictionary columns would get another dictionary.
    """
    types = pa.types
    return bool(len(schema)) and all(
        types.is_primitive(kind) or types.is_decimal(kind) or types.is_fixed_size_binary(kind) or _is_text(kind)
        for kind in schema.types
    )


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind) or types.is_large_binary(kind)
