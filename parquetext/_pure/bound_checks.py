"""Judge bounds outside the footer, such as those of a page index, by the rule for the footer's bounds."""

from __future__ import annotations

from collections.abc import Sequence

from .bounds import Leaf, judge_bounds
from .records import ABSENT
from .scan import ELEMENT_FIELDS, ELEMENT_MEMBERS, IN_LISTED_STRUCT, NO_FIELD_ID
from .scan_chunk import ChunkReader
from .schema import sort_order

__all__ = ["judge_pairs", "leaf_of"]


def leaf_of(thrift: bytes, column_order: int) -> Leaf:
    """Read the fields of a SchemaElement that decide about a leaf's bounds."""
    fields, _ = ChunkReader(memoryview(thrift)).struct(0, ELEMENT_FIELDS, {"field_id": NO_FIELD_ID}, IN_LISTED_STRUCT)
    element = {name: ABSENT[code] for name, code in ELEMENT_MEMBERS.items()} | fields
    order = sort_order(memoryview(thrift), {name: [value] for name, value in element.items()}, 0)
    element |= {"column_order": column_order, "sort_order": order}
    return Leaf(*(element[name] for name in Leaf._fields))


def judge_pairs(
    thrift: bytes, column_order: int, minima: Sequence[bytes | None], maxima: Sequence[bytes | None]
) -> bytes:
    """Judge pairs of bounds of a leaf, as `Chunks` judges the footer's bounds.

    Parameters
    ----------
    thrift : bytes
        The leaf's SchemaElement.
    column_order : int
        The field id of its ColumnOrder, 0 if there is none.
    minima, maxima : list of bytes or None

    Returns
    -------
    bytes
        The bits ``wire.BOUND_…`` of each pair.

    Raises
    ------
    Damaged
        If the element is not a Thrift struct.
    ValueError
        If the numbers of maxima and minima differ.
    """
    leaf = leaf_of(thrift, column_order)
    return bytes(judge_bounds(leaf, low, high) for low, high in zip(minima, maxima, strict=True))
