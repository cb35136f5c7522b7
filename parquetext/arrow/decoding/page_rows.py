"""Find the row ranges of a row group that may match a filter, by the bounds of pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

import pyarrow as pa

from ...errors import Malformed
from ...footer.model import GROUP, Form
from ...footer.names import find_group_or_leaf
from ...footer.page_index import PageBounds, PagePlaces, facts_of, has_page_order, read_bounds
from ...pruning import ColumnBounds, Predicate, surviving_row_groups

__all__ = ["rows_left"]

Rows = list[tuple[int, int]]


def rows_left(
    form: Form,
    source,
    predicate: Predicate,
    types: Mapping[str, pa.DataType],
    row_groups: Sequence[int],
    places_of: Callable[[int, int], PagePlaces | None],
    of_file: tuple[Mapping[str, object], Sequence[int]],
) -> list[Rows]:
    """Return the ranges (begin, end) of rows that may match the predicate for each of `row_groups`, ascending.

    Parameters
    ----------
    types : mapping
        The type of the rows of each top-level column of the predicate.
    places_of : callable
        Returns the offset index of a leaf's chunk in a row group.
    of_file : tuple of mapping and sequence of int
        The chunks of these columns in the file's footer, which has statistics that `form` may lack, and the numbers of
        `form`'s row groups in that footer.

    Notes
    -----
    The pages of several columns begin at different rows, so the rows are split at each page boundary of any column.
    Each piece has the bounds of the pages that contain it, and `pruning` evaluates pieces like row groups.
    """
    counts = form.row_groups("num_rows")
    known, numbers = of_file
    chunks_of = cache(form.column)

    def bounds_of(name: str, leaf: int, row_group: int, places: PagePlaces) -> PageBounds | None:
        facts = facts_of(known[name], numbers[row_group], places.row_counts) if name in known else None
        return read_bounds(source, chunks_of(leaf), row_group, places, form.node(leaf), facts)

    pieces, parts = [], {name: [] for name in types}
    for row_group in row_groups:
        pages = {name: _pages(form, name, kind, row_group, places_of, bounds_of) for name, kind in types.items()}
        starts = {0, *(start for found in pages.values() if found for start in found[0].first_rows)}
        cuts = [*sorted(starts), counts[row_group]]
        pieces += [(row_group, begin, end) for begin, end in pairwise(cuts) if begin < end]
        begins = cuts[:-1] if counts[row_group] else []
        for name, found in pages.items():
            parts[name].append((found, begins))
    bounds = {name: _joined(found) for name, found in parts.items()}
    kept = surviving_row_groups(predicate, bounds.__getitem__, len(pieces), range(len(pieces)), types)
    left: dict[int, Rows] = {row_group: [] for row_group in row_groups}
    for row_group, begin, end in (pieces[number] for number in kept):
        ranges = left[row_group]
        if ranges and ranges[-1][1] == begin:
            ranges[-1] = ranges[-1][0], end
        else:
            ranges.append((begin, end))
    return [left[row_group] for row_group in row_groups]


def _pages(
    form: Form, name: str, rows: pa.DataType, row_group: int, places_of: Callable, bounds_of: Callable
) -> tuple[PagePlaces, ColumnBounds] | None:
    """Return the pages of a column in a row group with their bounds, or None if there is no usable index."""
    leaf = find_group_or_leaf(form, (name,))
    rows = rows.value_type if pa.types.is_dictionary(rows) else rows
    node = None if leaf & GROUP else form.node(leaf)
    if node is None or node.max_repetition or not has_page_order(node):
        return None
    places = places_of(leaf, row_group)
    if places is None:
        return None
    try:
        bounds = bounds_of(name, leaf, row_group, places)
    except Malformed:  # ignore an index that contradicts the format, the schema or the footer
        return None
    typed = None if bounds is None else bounds.typed(form, leaf, rows, places)
    return None if typed is None else (places, typed)


def _joined(parts: list[tuple[tuple[PagePlaces, ColumnBounds] | None, list[int]]]) -> ColumnBounds | None:
    """Concatenate the bounds of all pieces, row group by row group; return None if no page has bounds."""
    known = next((found[1] for found, _ in parts if found), None)
    if known is None:
        return None
    sides = [[], [], [], []]
    for found, begins in parts:
        if found is None:
            nothing = pa.nulls(len(begins), known.min.type), pa.array([False] * len(begins), pa.bool_())
            taken = nothing[0], nothing[0], nothing[1], nothing[1]
        else:
            places, bounds = found
            taken = bounds.min, bounds.max, bounds.only_nulls, bounds.no_nulls
            if begins != places.first_rows:
                pages = pa.array([bisect_right(places.first_rows, begin) - 1 for begin in begins], pa.int64())
                taken = tuple(side.take(pages) for side in taken)
        for side, array in zip(sides, taken, strict=True):
            side.append(array)
    return ColumnBounds(*(pa.concat_arrays(side) for side in sides))
