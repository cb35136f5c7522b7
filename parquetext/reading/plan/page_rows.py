"""Find the row ranges of a row group that may match a filter, by the bounds of pages."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

import pyarrow as pa

from ...errors import Malformed
from ...footer.column_index import ChunkCounts
from ...footer.model import GROUP, FooterReader
from ...footer.names import find_group_or_leaf
from ...footer.page_index import (
    COLUMN_INDEX,
    PagePlaces,
    counts_of,
    has_page_order,
    read_index,
    read_places,
    typed_bounds,
)
from ...pruning import ColumnBounds, Predicate, surviving_row_groups
from ...records import frozen
from .picks import Rows
from .read_plan import Plan


@frozen
class CandidateRows:
    """The rows that may match a predicate.

    Attributes
    ----------
    columns : list of str
        The top-level columns of the predicate.
    ranges : list of list of (int, int)
        Ranges (begin, end) of rows, ascending, for each row group.
    """

    columns: list[str]
    ranges: list[Rows]


class OffsetIndexes:
    """The offset indexes of a slice's column chunks, each read once."""

    __slots__ = ("_chunks", "_counts", "_form", "_indexes", "_source")

    def __init__(self, form: FooterReader, source):
        self._form, self._source, self._counts = form, source, form.row_groups("num_rows")
        self._indexes: dict[tuple[int, int], PagePlaces | None] = {}
        self._chunks: dict[int, object] = {}

    def read(self, leaf: int, row_group: int) -> PagePlaces | None:
        """Return the offset index of a chunk; return None if there is none, or if it violates the format."""
        key = leaf, row_group
        if key not in self._indexes:
            try:
                found = read_places(self._source, self._form.column(leaf), row_group, self._counts[row_group])
            except Malformed:
                found = None
            self._indexes[key] = found
        return self._indexes[key]

    def read_bounds(
        self, leaf: int, row_group: int, positions: PagePlaces, rows: pa.DataType, fields: ChunkCounts | None
    ) -> ColumnBounds | None:
        """Return the bounds of a chunk's pages in the type of the rows, or None if there are none.

        They must agree with `fields`, by default those of the slice. Raise Malformed if they do not.
        """
        if leaf not in self._chunks:
            self._chunks[leaf] = self._form.column(leaf)
        chunks = self._chunks[leaf]
        index = read_index(self._source, chunks, row_group, COLUMN_INDEX)
        if index is None:
            return None
        fields = fields or counts_of(chunks, row_group)
        return typed_bounds(index, self._form, leaf, rows, positions, fields)


def candidate_rows(
    form: FooterReader, schema: pa.Schema, plan: Plan, predicate: Predicate, indexes: OffsetIndexes
) -> CandidateRows | None:
    """Select the rows of a plan's part that may match its predicate, by page indexes.

    Return None if the predicate's columns are unknown.

    Parameters
    ----------
    form : FooterReader
        The slice of the plan's part.
    schema : pyarrow.Schema
        Its Arrow schema.
    """
    names = predicate.columns_in(schema)
    if not names or any(schema.get_field_index(name) < 0 for name in names):
        return None
    types = {name: schema.field(name).type for name in names}
    return CandidateRows(names, _row_ranges(form, types, plan, predicate, indexes))


def _row_ranges(
    form: FooterReader, types: Mapping[str, pa.DataType], plan: Plan, predicate: Predicate, indexes: OffsetIndexes
) -> list[Rows]:
    """Return the ranges of rows of each row group that may match.

    Notes
    -----
    The pages of several columns begin at different rows, so the rows are split at each page boundary of any column.
    Each piece has the bounds of the pages that contain it, and `pruning` evaluates pieces like row groups.
    """
    counts = form.row_groups("num_rows")
    pieces: list[list[int]] = []  # the first row of each, by row group
    parts: dict[str, list] = {name: [] for name in types}
    for row_group, count in enumerate(counts):
        pages = {name: _pages(form, name, kind, row_group, plan, indexes) for name, kind in types.items()}
        begins = _begins([found[0].first_rows for found in pages.values() if found], count)
        pieces.append(begins)
        for name, found in pages.items():
            parts[name].append((found, begins))
    bounds = {name: _joined(found) for name, found in parts.items()}
    total = sum(map(len, pieces))
    kept = surviving_row_groups(predicate, bounds.__getitem__, total, range(total), types)
    left: list[Rows] = []
    first = at = 0
    for begins, count in zip(pieces, counts, strict=True):
        end = bisect_left(kept, first + len(begins), at)
        left.append(_ranges_of([number - first for number in kept[at:end]], begins, count))
        first, at = first + len(begins), end
    return left


def _ranges_of(kept: Sequence[int], begins: Sequence[int], count: int) -> Rows:
    """Return the ranges of rows of pieces of a row group; neighbours are joined."""
    ranges: Rows = []
    for number in kept:
        begin, end = begins[number], begins[number + 1] if number + 1 < len(begins) else count
        if ranges and ranges[-1][1] == begin:
            ranges[-1] = ranges[-1][0], end
        else:
            ranges.append((begin, end))
    return ranges


def _begins(starts: Sequence[list[int]], count: int) -> list[int]:
    """Return the first rows of the pieces of a row group that no page of some columns divides."""
    if len(starts) == 1:
        return starts[0]
    return sorted({0}.union(*starts)) if count else []


def pages_with_rows(positions: PagePlaces, ranges: Rows) -> list[int]:
    """Return the numbers of the pages of a chunk that contain rows of ascending ranges."""
    pages: list[int] = []
    behind = 0  # one past the last page taken
    for begin, end in ranges:
        first = max(bisect_right(positions.first_rows, begin) - 1, behind)
        behind = max(bisect_left(positions.first_rows, end), behind)
        pages += range(first, behind)
    return pages


def _pages(
    form: FooterReader, name: str, rows: pa.DataType, row_group: int, plan: Plan, indexes: OffsetIndexes
) -> tuple[PagePlaces, ColumnBounds] | None:
    """Return the pages of a column in a row group with their bounds, or None if there is no usable index."""
    leaf = find_group_or_leaf(form, (name,))
    rows = rows.value_type if pa.types.is_dictionary(rows) else rows
    node = None if leaf & GROUP else form.node(leaf)
    if node is None or node.max_repetition or not has_page_order(node):
        return None
    positions = indexes.read(leaf, row_group)
    if positions is None:
        return None
    try:
        known = plan.chunks.get(name)  # the slice may lack statistics
        fields = None if known is None else counts_of(known, plan.part.row_groups[row_group])
        bounds = indexes.read_bounds(leaf, row_group, positions, rows, fields)
    except Malformed:  # ignore an index that contradicts the format, the schema or the footer
        return None
    return None if bounds is None else (positions, bounds)


def _joined(parts: list[tuple[tuple[PagePlaces, ColumnBounds] | None, list[int]]]) -> ColumnBounds | None:
    """Concatenate the bounds of all pieces, row group by row group; return None if no page has bounds."""
    known = next((found[1] for found, _ in parts if found), None)
    if known is None:
        return None
    joined = []
    for found, begins in parts:
        if found is None:
            joined.append(ColumnBounds.unknown(known.min.type, len(begins)))
            continue
        positions, bounds = found
        if begins != positions.first_rows:
            pages = pa.array([bisect_right(positions.first_rows, begin) - 1 for begin in begins], pa.int64())
            bounds = bounds.take(pages)
        joined.append(bounds)
    return ColumnBounds.joined(joined)
