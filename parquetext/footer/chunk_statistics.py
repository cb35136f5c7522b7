"""Statistics of column chunks that the chunk table does not hold, because few files have them.

Counts of NaN, and the bounding boxes and types of geometries.
They are read from the Thrift structs of the chunks, which every lossless form can give back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa

from .. import kernels, wire
from ..logical_types import SortOrder, entry_of, order_of
from ..pruning import BoundingBox
from ..records import frozen
from ..thrift import read
from .column_footer import chunk_structs
from .elements import parse_element
from .leaf_types import OF_ONE_COLUMN, leaf_type_of
from .model import FooterReader, Node

STATISTICS = (wire.COLUMN_CHUNK_META_DATA, wire.COLUMN_META_DATA_STATISTICS)
GEOSPATIAL = (wire.COLUMN_CHUNK_META_DATA, wire.COLUMN_META_DATA_GEOSPATIAL_STATISTICS)
# The geometries by the last three digits of their number, and the dimensions besides x and y by its thousands.
GEOMETRIES = (
    *("geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"),
    "geometrycollection",
)
DIMENSIONS = "", "_z", "_m", "_zm"


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
    node, found = form.node(leaf), [_struct("Statistics", struct, STATISTICS) for struct in structs]
    sides = ([fields.get(name) for fields in found] for name in ("min_value", "max_value"))
    judged = kernels.bound_checks.judge_pairs(node.thrift, node.column_order, *sides)
    return trusted_counts([fields.get("nan_count", -1) for fields in found], judged)


def trusted_counts(counts: Sequence[int], judged: bytes) -> list[int]:
    """Return counts of NaN, with -1 for those that are 0 next to a bound that is NaN, by its judgement."""
    return [-1 if not count and bits & wire.BOUND_NAN else count for count, bits in zip(counts, judged, strict=True)]


@frozen
class GeospatialStatistics:
    """The bounding box and the types of a chunk's geometries, as the writer states them.

    Attributes
    ----------
    bbox : BoundingBox or None
    types : tuple of int
        The numbers of well-known binary; empty if they are not known.
    """

    bbox: BoundingBox | None
    types: tuple[int, ...]

    @property
    def type_names(self) -> list[str]:
        """Return the names of the types, such as ``"point"`` and ``"polygon_z"``."""
        return [_name_of_geometry(number) for number in self.types]


def has_boxes(node: Node) -> bool:
    """Return True if the chunks of a leaf may have geospatial statistics."""
    return _has_boxes(kernels.thrift.blanked(node.thrift, OF_ONE_COLUMN))


@lru_cache(maxsize=1 << 10)
def _has_boxes(thrift: bytes) -> bool:
    element = parse_element(thrift)
    entry = entry_of(element.logical, element.type)
    return entry.has_boxes and element.type is not None and entry.fits(element.logical, element.type, 0)


def geospatial_statistics(form: FooterReader, leaf: int) -> list[GeospatialStatistics | None]:
    """Return the geospatial statistics of a leaf, one per row group; None if a chunk has none.

    Those of a leaf without a geospatial annotation mean nothing and are not returned.
    """
    count = form.row_group_count
    structs = chunk_structs(form, leaf, 0, count) if has_boxes(form.node(leaf)) else None
    return [None] * count if structs is None else [_geospatial(struct) for struct in structs]


def joined_statistics(parts: Sequence[GeospatialStatistics | None]) -> GeospatialStatistics | None:
    """Return the statistics of several chunks together; None if one has none.

    A limit of the box is None if it is not known of each part, or if a part crosses the antimeridian.
    """
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    types = {number for part in known for number in part.types} if all(part.types for part in known) else set()
    boxes = [part.bbox for part in known if part.bbox is not None]
    return GeospatialStatistics(_joined(boxes) if len(boxes) == len(known) else None, tuple(sorted(types)))


def _joined(boxes: Sequence[BoundingBox]) -> BoundingBox:
    limits: dict[str, float | None] = {}
    for low, high in zip(BoundingBox._fields[::2], BoundingBox._fields[1::2], strict=True):
        pairs = [(getattr(box, low), getattr(box, high)) for box in boxes]
        is_known = all(least is not None and most is not None and least <= most for least, most in pairs)
        limits[low] = min(least for least, _ in pairs) if is_known else None
        limits[high] = max(most for _, most in pairs) if is_known else None
    return BoundingBox(**limits)


def _geospatial(chunk: bytes) -> GeospatialStatistics | None:
    fields = _struct("GeospatialStatistics", chunk, GEOSPATIAL)
    if not fields:
        return None
    limits, types = fields.get("bbox"), fields.get("geospatial_types", ())
    box = None if limits is None else BoundingBox(**{name: limits.get(name) for name in BoundingBox._fields})
    return GeospatialStatistics(box, tuple(types))


def _name_of_geometry(number: int) -> str:
    dimensions, kind = divmod(number, 1000)
    if not 0 <= dimensions < len(DIMENSIONS) or kind >= len(GEOMETRIES):
        return f"unknown_{number}"
    return GEOMETRIES[kind] + DIMENSIONS[dimensions]


def _struct(name: str, chunk: bytes, path: tuple[int, ...]) -> dict:
    """Return a struct in a ColumnChunk; empty if there is none."""
    field = kernels.thrift.path(chunk, path)
    return {} if field is None or field[0] != wire.TYPE_STRUCT else read(name, chunk[slice(*field[1:])])
