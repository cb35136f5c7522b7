"""Explain a read: the row groups, pages and bytes that its plan selects, and the decoder of each column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from ..footer.model import FooterReader
from ..footer.names import as_path
from ..records import frozen
from ..tabular import Listing, Shown, Tabular, chosen
from .choose.choice import COPIES, NATIVE, Choice, choose
from .open_file import OpenFile
from .plan.page_rows import OffsetIndexes, candidate_rows, pages_with_rows
from .plan.part import Part
from .plan.read_plan import Blooms, Plan, surviving

NO_FILTER = "no filter"
ANY_COLUMN = "the filter may refer to any column"
MAY_MATCH = "may contain matching rows"
BY_STATISTICS = "ruled out by statistics"
BY_BLOOM_FILTER = "ruled out by Bloom filters"
BY_PAGES = "no page may contain matching rows"
BEFORE = "ruled out by the plan of the dataset"
MOST_REASON = 80  # letters


@frozen
class RowGroupPlan:
    """The plan of one row group.

    Attributes
    ----------
    row_group, rows : int
    is_read : bool
    reason : str
        The reason for which the row group is read or skipped.
    pages, pages_read : int or None
        The data pages of all columns, and those that may contain matching rows; None if no page index is used.
    bytes : int
        The stored bytes to fetch, at most.
    """

    row_group: int
    rows: int
    is_read: bool
    reason: str
    pages: int | None
    pages_read: int | None
    bytes: int

    @property
    def cells(self) -> tuple[object, ...]:
        """The plan as a row of a table for people."""
        pages = None if self.pages is None else f"{self.pages_read:,} of {self.pages:,}"
        return (self.row_group, self.rows, "read" if self.is_read else "skip", pages, self.bytes, self.reason)


@frozen
class ColumnDecoder:
    """The decoder of one leaf, the reason for it, and the stored bytes to fetch, at most."""

    column: str
    decoder: str
    reason: str
    bytes: int


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Tabular):
    """The plan of a read of one file; `repr` and notebooks show it as tables.

    Attributes
    ----------
    path, form : str
        The file, and the form of its footer.
    filter : str or None
    row_groups : list of RowGroupPlan
    columns : list of ColumnDecoder
    """

    path: str
    form: str
    filter: str | None
    row_groups: list[RowGroupPlan]
    columns: list[ColumnDecoder]

    @property
    def bytes_to_fetch(self) -> int:
        """The stored bytes of the pages to read, at most."""
        return sum(column.bytes for column in self.columns)

    @property
    def rows_to_read(self) -> int:
        """The rows of the row groups to read."""
        return sum(each.rows for each in self.row_groups if each.is_read)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as values for JSON."""
        return asdict(self) | {"bytes_to_fetch": self.bytes_to_fetch}

    def _shown(self) -> Shown:
        read = sum(each.is_read for each in self.row_groups)
        fields = [
            ("form", self.form),
            ("filter", self.filter),
            ("row groups", f"{read:,} of {len(self.row_groups):,}"),
            ("rows", self.rows_to_read),
            ("bytes to fetch", self.bytes_to_fetch),
        ]
        return Shown(f"plan of {self.path}", fields, [self._row_group_listing(), self._column_listing()])

    def _row_group_listing(self) -> Listing:
        rows = [self.row_groups[number].cells for number in chosen(len(self.row_groups))]
        headings = ("row group", "rows", "plan", "pages", "bytes", "reason")
        return Listing(headings, rows, len(self.row_groups), "row groups", most_letters=MOST_REASON)

    def _column_listing(self) -> Listing:
        some = [self.columns[number] for number in chosen(len(self.columns))]
        rows = [(each.column, each.decoder, each.bytes, each.reason) for each in some]
        headings = ("column", "decoder", "bytes", "reason")
        return Listing(headings, rows, len(self.columns), "columns", most_letters=MOST_REASON)


def explain(
    form: FooterReader, plan: Plan, file: OpenFile, blooms: Blooms | None, considered: Sequence[int] | None = None
) -> Explanation:
    """Explain the plan of a read.

    Parameters
    ----------
    form : FooterReader
        The file's footer, from which the plan was made.
    considered : sequence of int, optional
        The row groups before an earlier plan ruled some out; by default those of the request.
    """
    request = plan.request
    choices = choose(plan, file)
    sizes = _sizes(form, plan)
    pages = _candidate_pages(plan, choices[0], file, sizes)
    by_row_group, by_leaf = defaultdict[int, _Sums](_Sums), defaultdict[int, _Sums](_Sums)
    for chunk, size in sizes.items():
        for sums in (by_leaf[chunk[0]], by_row_group[chunk[1]]):
            sums.add(pages.get(chunk), size)
    by_bounds = set(request.row_groups)
    if request.predicate_fields and blooms is not None:
        by_bounds = set(surviving(form, request, None))
    counts, kept = form.row_groups("num_rows"), set(plan.part.row_groups)
    is_planned = considered is not None and len(considered) > len(request.row_groups)
    row_groups = []
    for number in request.row_groups if considered is None else considered:
        sums, is_read = by_row_group[number], number in kept
        reason = MAY_MATCH if is_read and is_planned else _reason(plan, number, by_bounds, kept)
        if is_read and sums.pages_read == 0:
            is_read, reason = False, BY_PAGES
        pages_of = sums.pages, sums.pages_read
        row_groups.append(RowGroupPlan(number, counts[number], is_read, reason, *pages_of, sums.bytes))
    columns = [
        ColumnDecoder(
            ".".join(as_path(form.node(leaf).path)),
            choice.decoder,
            choice.reason,
            by_leaf[leaf].bytes,
        )
        for part, choice in zip(plan.parts, choices, strict=True)
        for leaf in _leaves(part)
    ]
    condition = None if request.predicate is None else str(request.predicate.expression)
    return Explanation(str(file.path), file.form, condition, row_groups, columns)


def _reason(plan: Plan, row_group: int, by_bounds: set[int], kept: set[int]) -> str:
    request = plan.request
    if row_group in kept:
        if request.predicate is None:
            return NO_FILTER
        return ANY_COLUMN if request.predicate_fields is None else MAY_MATCH
    if row_group not in request.row_groups:
        return BEFORE
    return BY_BLOOM_FILTER if row_group in by_bounds else BY_STATISTICS


def _leaves(part: Part) -> Sequence[int]:
    """Return the file's numbers of the leaves that a part reads."""
    if part.footer is None:
        return part.indices or ()
    return part.leaves if part.indices is None else [part.leaves[index] for index in part.indices]


def _sizes(form: FooterReader, plan: Plan) -> dict[tuple[int, int], int]:
    """Return the stored bytes of each chunk of a plan, by leaf and row group."""
    found = {}
    for part in plan.parts:
        for leaf in _leaves(part):
            sizes = form.column(leaf).array("total_compressed_size")
            found.update({(leaf, row_group): sizes[row_group] for row_group in part.row_groups})
    return found


class _Pages(NamedTuple):
    """The data pages of a chunk, those that may contain matching rows, and their bytes with the dictionary page."""

    total: int
    read: int
    bytes: int


class _Sums:
    """The pages and bytes of several chunks; `pages` is None if no chunk has an offset index that is used."""

    def __init__(self) -> None:
        self.pages: int | None = None
        self.pages_read: int | None = None
        self.bytes = 0

    def add(self, pages: _Pages | None, size: int) -> None:
        if pages is None:
            self.bytes += size
            return
        self.pages, self.pages_read = (self.pages or 0) + pages.total, (self.pages_read or 0) + pages.read
        self.bytes += pages.bytes


def _candidate_pages(
    plan: Plan, choice: Choice, file: OpenFile, sizes: Mapping[tuple[int, int], int]
) -> dict[tuple[int, int], _Pages]:
    """Return the pages that may contain matching rows, of each chunk with an offset index. Only our decoder uses it."""
    part = plan.part
    if plan.predicate is None or plan.filter_part is not None or not part.footer:
        return {}
    if choice.decoder not in (NATIVE, COPIES):
        return {}
    schema = pa.schema([column.field for column in part.fields_with(plan.options.reader)])
    indexes = OffsetIndexes(part.form, file._source)
    rows = candidate_rows(part.form, schema, plan, plan.predicate, indexes)
    found = {}
    for index in range(len(part.leaves)) if part.indices is None else part.indices:
        for group, ranges in enumerate(rows.ranges if rows else ()):
            positions = indexes.read(index, group)
            if positions is not None:
                chunk = part.leaves[index], part.row_groups[group]
                some = pages_with_rows(positions, ranges)
                with_dictionary = sizes[chunk] - sum(positions.sizes) if some else 0
                size = with_dictionary + sum(positions.sizes[page] for page in some)
                found[chunk] = _Pages(len(positions), len(some), size)
    return found
