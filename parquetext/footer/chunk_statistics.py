"""Statistics of column chunks that the chunk table does not hold, because few files have them: counts of NaN.

They are read from the Thrift structs of the chunks, which every lossless form can give back.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from .. import kernels, wire
from ..logical_types import SortOrder, order_of
from ..thrift import read
from .column_footer import chunk_structs
from .elements import parse_element
from .leaf_types import leaf_type_of
from .model import FooterReader, Node

STATISTICS = (wire.COLUMN_CHUNK_META_DATA, wire.COLUMN_META_DATA_STATISTICS)


def has_total_order(node: Node) -> bool:
    """Return True if a leaf of floats declares IEEE_754_TOTAL_ORDER, in which counts of NaN are meaningful."""
    if node.column_order != wire.ORDER_IEEE_754_TOTAL_ORDER:
        return False
    kind, annotation = leaf_type_of(node.thrift), parse_element(node.thrift).logical
    is_known = order_of(annotation, kind.physical, kind.width) != SortOrder.UNDEFINED
    return is_known and pa.types.is_floating(kind.arrow)


def nan_counts(form: FooterReader, leaf: int) -> list[int] | None:
    """Return the counts of NaN in the chunks of a leaf with a total order, one per row group, -1 if unknown.

    Return None if the form does not store Thrift structs of chunks.
    """
    structs = chunk_structs(form, leaf, 0, form.row_group_count)
    if structs is None:
        return None
    node, found = form.node(leaf), [_statistics(struct) for struct in structs]
    sides = ([fields.get(name) for fields in found] for name in ("min_value", "max_value"))
    judged = kernels.bound_checks.judge_pairs(node.thrift, node.column_order, *sides)
    return trusted_counts([fields.get("nan_count", -1) for fields in found], judged)


def trusted_counts(counts: Sequence[int], judged: bytes) -> list[int]:
    """Return counts of NaN, with -1 for those that are 0 next to a bound that is NaN, by its judgement."""
    return [-1 if not count and bits & wire.BOUND_NAN else count for count, bits in zip(counts, judged, strict=True)]


def _statistics(chunk: bytes) -> dict:
    field = kernels.thrift.path(chunk, STATISTICS)
    return {} if field is None or field[0] != wire.TYPE_STRUCT else read("Statistics", chunk[slice(*field[1:])])
