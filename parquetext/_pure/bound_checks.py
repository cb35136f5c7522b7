"""Judge bounds that no footer holds, such as those of a page index, by the rule for a footer's bounds."""

from __future__ import annotations

from collections.abc import Sequence

from .bounds import Leaf, judge_bounds
from .records import ABSENT
from .scan import ELEMENT_FIELDS, ELEMENT_MEMBERS, IN_LISTED_STRUCT, NO_FIELD_ID
from .scan_chunk import ChunkReader
from .schema import sort_order

__all__ = ["judge_pairs", "leaf_of"]


def leaf_of(thrift: bytes, column_order: int) -> Leaf:
    """Read what decides about a leaf's bounds from its SchemaElement."""
    facts, _ = ChunkReader(memoryview(thrift)).struct(0, ELEMENT_FIELDS, {"field_id": NO_FIELD_ID}, IN_LISTED_STRUCT)
    element = {name: ABSENT[code] for name, code in ELEMENT_MEMBERS.items()} | facts
    order = sort_order(memoryview(thrift), {name: [value] for name, value in element.items()}, 0)
    return Leaf(element["type"], element["type_length"], column_order, order)


def judge_pairs(
    thrift: bytes, column_order: int, minima: Sequence[bytes | None], maxima: Sequence[bytes | None]
) -> bytes:
    """Judge pairs of bounds of a leaf, as `Chunks` judges those of a footer.

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
        The element is no Thrift struct.
    ValueError
        There are not as many maxima as minima.
    """
    leaf = leaf_of(thrift, column_order)
    return bytes(judge_bounds(leaf, low, high) for low, high in zip(minima, maxima, strict=True))
