"""Decide whether a read is large enough for threads to pay off."""

from __future__ import annotations

from collections.abc import Sequence

from ...footer.model import FooterReader
from ..fields.wanted_columns import Column
from ..plan.part import SMALL_BYTES, SMALL_ROWS
from ..plan.picks import Picks

__all__ = ["has_no_index", "is_worth_threads"]


def is_worth_threads(
    form: FooterReader, columns: Sequence[Column], groups: Sequence[Picks], row_counts: Sequence[int]
) -> bool:
    """Return True if the picked rows have many values or many stored bytes.

    Without an offset index, a chunk is read up to the last picked row; with one, only the share of the picked rows
    counts.
    """
    leaves = [leaf.leaf for column in columns for leaf in column.leaves]
    if sum(picks.count for picks in groups) * len(leaves) >= SMALL_ROWS:
        return True
    with_rows = [number for number, picks in enumerate(groups) if picks.ranges]
    reaches = [groups[number].ranges[-1][1] / row_counts[number] for number in with_rows]
    shares = [groups[number].count / row_counts[number] for number in with_rows]
    stored = 0.0
    for leaf in leaves:
        sizes = form.column(leaf).array("total_compressed_size")
        parts = reaches if has_no_index(form, leaf) else shares
        stored += sum(sizes[number] * part for number, part in zip(with_rows, parts, strict=True))
    return stored >= SMALL_BYTES


def has_no_index(form: FooterReader, leaf: int) -> bool:
    """Return True if a leaf has no offset index."""
    return max(form.column(leaf).array("offset_index_length"), default=0) <= 0
