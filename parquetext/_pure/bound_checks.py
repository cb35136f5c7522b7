"""Judge bounds outside the footer, such as those of a page index, by the rule for the footer's bounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .. import wire
from ..errors import ParquetextError
from . import varint
from .bounds import Leaf, judge_bounds
from .records import ABSENT
from .scan import ELEMENT_FIELDS, ELEMENT_MEMBERS, IN_LISTED_STRUCT, NO_FIELD_ID
from .scan_chunk import ChunkReader
from .schema import sort_order
from .thrift import Field, Walk

__all__ = ["judge_pairs", "leaf_of", "page_numbers"]

NUMBERS = wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE
ORDERS = wire.BOUNDARY_UNORDERED, wire.BOUNDARY_ASCENDING, wire.BOUNDARY_DESCENDING
BOTH = wire.BOUND_MIN | wire.BOUND_MAX


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


def page_numbers(
    thrift: bytes,
    column_order: int,
    index: bytes,
    pages: int,
    minimum: bytes | None,
    maximum: bytes | None,
    *,
    has_minimum: bool,
    has_maximum: bool,
) -> tuple[bytes, bytes] | None:
    """Return the bounds of pages of numbers in a ColumnIndex, if nothing about it is unusual.

    Parameters
    ----------
    thrift, column_order
        As in `judge_pairs`.
    index : bytes
        The ColumnIndex.
    pages : int
        The number of the chunk's pages.
    minimum, maximum : bytes or None
        The chunk's usable bounds.
    has_minimum, has_maximum : bool
        False if the footer states that the bound is not a value of the chunk.

    Returns
    -------
    tuple of (bytes, bytes) or None
        The minima and the maxima of all pages, in PLAIN encoding. None if another function must judge the index: it is
        not a Thrift struct, the leaf is not INT32, INT64, FLOAT or DOUBLE, a page has nulls or no trusted bounds, or
        bounds contradict the order or the bounds of the chunk.

    Raises
    ------
    Damaged
        If the element is not a Thrift struct.
    """
    leaf = leaf_of(thrift, column_order)
    lists = _lists(index, pages, leaf) if leaf.type in NUMBERS and pages else None
    if lists is None:
        return None
    low, high, order = lists
    pairs = [*zip(low, high, strict=True), *_ordered(low, order), *_ordered(high, order)]
    if minimum is not None:
        pairs += [(minimum, value) for value in high]
    if maximum is not None:
        pairs += [(value, maximum) for value in low]

    def is_pair(pair: tuple[bytes, bytes]) -> bool:
        return judge_bounds(leaf, *pair) == BOTH

    if not all(map(is_pair, pairs)):
        return None
    if has_minimum and minimum is not None and not any(is_pair((value, minimum)) for value in low):
        return None
    if has_maximum and maximum is not None and not any(is_pair((maximum, value)) for value in high):
        return None
    return b"".join(low), b"".join(high)


def _lists(index: bytes, pages: int, leaf: Leaf) -> tuple[list[bytes], list[bytes], int] | None:
    """Return the minima, the maxima and the order in an index; None if a page has nulls, or if a list is unusual."""
    walk = Walk(index, 0, wire.MAX_DEPTH)
    try:
        fields = {field[0]: field for field in walk.fields(0, 0)}
    except ParquetextError:
        return None
    flags = _items(walk, fields.get(wire.COLUMN_INDEX_NULL_PAGES), pages, (wire.TYPE_TRUE, wire.TYPE_FALSE))
    nulls = _items(walk, fields.get(wire.COLUMN_INDEX_NULL_COUNTS), pages, (wire.TYPE_I64,))
    if flags is None or wire.TYPE_TRUE in flags[:pages] or nulls is None or nulls[:pages] != bytes(pages):
        return None
    nans = fields.get(wire.COLUMN_INDEX_NAN_COUNTS)
    if nans is not None and _items(walk, nans, pages, (wire.TYPE_I64,)) is None:
        return None
    sides = [
        _values(_items(walk, fields.get(id), pages, (wire.TYPE_BINARY,)), pages, wire.WIDTH_OF_TYPE[leaf.type])
        for id in (wire.COLUMN_INDEX_MIN_VALUES, wire.COLUMN_INDEX_MAX_VALUES)
    ]
    low, high = sides
    field = fields.get(wire.COLUMN_INDEX_BOUNDARY_ORDER)
    if low is None or high is None or field is None or field[1] != wire.TYPE_I32:
        return None
    order = varint.zigzag_decode(walk.number(field[3])[0])
    return (low, high, order) if order in ORDERS else None


def _values(items: bytes | None, pages: int, width: int) -> list[bytes] | None:
    """Return the values of a list, each of which has this width; None if one has another width."""
    step = width + 1
    if items is None or items[: pages * step : step] != bytes([width]) * pages:
        return None
    return [items[at + 1 : at + step] for at in range(0, pages * step, step)]


def _items(walk: Walk, field: Field | None, pages: int, types: tuple[int, ...]) -> bytes | None:
    """Return the bytes from the first item of a list on; None unless it has one item of these types per page."""
    if field is None or field[1] != wire.TYPE_LIST:
        return None
    kind, count, at = walk.list_header(field[3])
    return bytes(walk.data[at:]) if count == pages and kind in types else None


def _ordered(side: Sequence[bytes], order: int) -> list[tuple[bytes, bytes]]:
    """Return the pairs of which the first number must be at most the second one."""
    if order == wire.BOUNDARY_UNORDERED:
        return []
    return list(pairwise(side if order == wire.BOUNDARY_ASCENDING else reversed(side)))
