"""A chunk's page index compared with the decoded values of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .bound_values import above, below, wrong_histogram
from .page_values import Facts
from .value_order import ValueOrder

__all__ = ["wrong_column_index", "wrong_offset_index", "wrong_text_bytes"]

UNORDERED, ASCENDING, DESCENDING = range(3)
NAMES = {ASCENDING: "ascending", DESCENDING: "descending"}


def wrong_offset_index(first_rows: Sequence[int], pages: Sequence[Facts]) -> Iterator[str]:
    """Yield the first page that begins within a row, or at another row than the index says."""
    for number, (row, page) in enumerate(zip(first_rows, pages, strict=True)):
        if page.begins_within_row:
            yield f"page {number} begins within row {page.first_row}"
            return
        if row != page.first_row:
            yield f"page {number} is said to begin at row {row}, it begins at row {page.first_row}"
            return


def wrong_text_bytes(fields: dict, pages: Sequence[Facts]) -> Iterator[str]:
    """Yield the first page whose byte arrays have another size than the offset index says."""
    told = fields.get("unencoded_byte_array_data_bytes")
    if not told:
        return
    if len(told) != len(pages):
        yield f"unencoded_byte_array_data_bytes has {len(told)} entries, the chunk has {len(pages)} data pages"
        return
    for number, (size, page) in enumerate(zip(told, pages, strict=True)):
        if size != page.text_bytes:
            yield f"page {number} is said to have {size} bytes of byte arrays, it has {page.text_bytes}"
            return


def wrong_column_index(
    fields: dict, pages: Sequence[Facts], order: ValueOrder | None, *, is_repeated: bool
) -> Iterator[str]:
    """Yield one sentence for each kind of contradiction between a column index and the values: the first page.

    Parameters
    ----------
    fields : dict
        The ColumnIndex; its lists have an entry for each page.
    order : ValueOrder or None
        None if the bounds have no meaning.
    """
    yield from _first(_wrong_nulls(fields, pages, is_repeated))
    if order is not None:
        yield from _first(_wrong_bounds(fields, "min_values", pages, order))
        yield from _first(_wrong_bounds(fields, "max_values", pages, order))
        yield from _wrong_order(fields, order)
        if order.is_nan is not None:
            yield from _first(_wrong_nans(fields, pages))
    yield from _first(_wrong_histograms(fields, pages))


def _first(messages: Iterator[str]) -> Iterator[str]:
    found = next(messages, None)
    if found is not None:
        yield found


def _wrong_nulls(fields: dict, pages: Sequence[Facts], is_repeated: bool) -> Iterator[str]:
    counts = fields.get("null_counts") or [None] * len(pages)
    for number, (is_null, count, page) in enumerate(zip(fields["null_pages"], counts, pages, strict=True)):
        if is_null and page.values:
            yield f"page {number} is said to have nulls alone, it has {page.values} values"
        elif not is_null and page.entries and not page.values:
            yield f"page {number} has nulls alone, and is said to have values"
        elif count is not None and (not 0 <= count <= page.nulls if is_repeated else count != page.nulls):
            yield f"page {number} is said to have {count} nulls, it has {page.nulls}"


def _wrong_bounds(fields: dict, name: str, pages: Sequence[Facts], order: ValueOrder) -> Iterator[str]:
    side = name == "max_values"
    for number, (is_null, bound, page) in enumerate(zip(fields["null_pages"], fields[name], pages, strict=True)):
        if is_null or not page.values:
            continue
        extremes = page.extremes.get(False)
        wrong = below if side else above
        if message := wrong(bound, None if extremes is None else extremes[side], order):
            yield f"page {number}: {name[:-1]} {message}"


def _wrong_order(fields: dict, order: ValueOrder) -> Iterator[str]:
    """The boundary order, which the index says of its own bounds; null pages count for nothing."""
    told = fields["boundary_order"]
    if told not in NAMES:
        return
    for name in ("min_values", "max_values"):
        keys = [
            (number, order.key(bound))
            for number, (is_null, bound) in enumerate(zip(fields["null_pages"], fields[name], strict=True))
            if not is_null and order.fits(bound)
        ]
        for (_, one), (number, other) in pairwise(keys):
            if one is not None and other is not None and (one > other if told == ASCENDING else one < other):
                yield f"its pages are said to be {NAMES[told]}, page {number} is not"
                return


def _wrong_nans(fields: dict, pages: Sequence[Facts]) -> Iterator[str]:
    for number, (count, page) in enumerate(zip(fields.get("nan_counts") or (), pages, strict=False)):
        if count != page.nans:
            yield f"page {number} is said to have {count} NaN, it has {page.nans}"


def _wrong_histograms(fields: dict, pages: Sequence[Facts]) -> Iterator[str]:
    for kind in ("repetition", "definition"):
        name = f"{kind}_level_histograms"
        told = fields.get(name)
        if not told:
            continue
        size = len(told) // max(len(pages), 1)
        for number, page in enumerate(pages):
            own = told[number * size : (number + 1) * size]
            if message := wrong_histogram(name, own, getattr(page, kind)):
                yield f"page {number}: {message}"
