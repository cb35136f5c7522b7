"""Whether a read is so much that threads give more than they cost."""

from __future__ import annotations

from collections.abc import Sequence

from ...footer.model import Form
from ..pyarrow_reading import SMALL_BYTES, SMALL_ROWS
from .picks import Picks
from .wanted_columns import Column

__all__ = ["has_no_index", "is_worth_threads"]


def is_worth_threads(form: Form, columns: Sequence[Column], groups: Sequence[Picks], row_counts: Sequence[int]) -> bool:
    """Whether the picked rows have many values, or many bytes are read for them: of a column chunk those up to the last
    row, or by its index as many as its rows take."""
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


def has_no_index(form: Form, leaf: int) -> bool:
    """Whether nothing tells where the pages of a leaf lie."""
    return max(form.column(leaf).array("offset_index_length"), default=0) <= 0
