"""Take rows of many fragments by their positions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from .in_order import each_in_order

if TYPE_CHECKING:
    from .fragments import Fragment

__all__ = ["placed", "placed_near", "taken"]

TablesOf = Callable[["Fragment"], Iterable[pa.Table]]


def taken(tables: Callable[[Sequence[int]], Iterator[tuple[int, pa.Table]]], indices: object) -> pa.Table | None:
    """Return the rows at these positions, in the order of `indices`, or None if there are no positions.

    Parameters
    ----------
    tables : callable
        Takes ascending positions, and yields tables with the position of their first row. It may leave out tables
        without any of the positions.

    Raises
    ------
    IndexError
        If there is no such row.
    """
    positions = indices if isinstance(indices, (pa.Array, pa.ChunkedArray)) else pa.array(indices, pa.int64())
    positions = positions.cast(pa.int64())
    wanted = sorted(pc.unique(positions).drop_null().to_pylist())
    if not wanted:
        return None
    if wanted[0] < 0:
        raise pa.ArrowIndexError(f"Index {wanted[0]} out of bounds")
    parts, found = [], 0
    for begin, table in tables(wanted):
        end = bisect_left(wanted, begin + table.num_rows)
        if end > found:
            parts.append(table.take(pa.array([position - begin for position in wanted[found:end]], pa.int64())))
            found = end
        if found == len(wanted):
            return pa.concat_tables(parts).take(pc.index_in(positions, pa.array(wanted, pa.int64())))
    raise pa.ArrowIndexError(f"Some indices were out of bounds: {wanted[found]}")


def placed(fragments: Iterable[Fragment], tables_of: TablesOf) -> Iterator[tuple[int, pa.Table]]:
    """Yield all tables, each with the position of its first row."""
    begin = 0
    for fragment in fragments:
        for table in tables_of(fragment):
            yield begin, table
            begin += table.num_rows


def placed_near(
    fragments: Sequence[Fragment], tables_of: TablesOf, positions: Sequence[int]
) -> Iterator[tuple[int, pa.Table]]:
    """Yield the tables of row groups that contain one of these positions, according to the footers."""
    end = 0
    counted = each_in_order(lambda fragment: (fragment.row_groups, fragment.sizes_of()), fragments)
    for fragment, (numbers, sizes) in zip(fragments, counted, strict=True):
        for number, (rows, _) in zip(numbers, sizes, strict=True):
            begin, end = end, end + rows
            if bisect_left(positions, begin) < bisect_left(positions, end):
                some = placed([fragment.with_row_groups([number])], tables_of)
                yield from ((begin + at, table) for at, table in some)
