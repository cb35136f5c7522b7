"""Convert a leaf's bounds to the type of its rows, so that predicates can compare them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from .. import compute as pc
from .. import wire
from ..pruning import BoundingBox, ColumnBounds, known_nans, known_nulls
from ..records import frozen
from .chunk_statistics import geospatial_statistics, has_boxes, has_total_order, nan_counts
from .leaf_types import LeafType, leaf_type_of
from .model import GROUP, FooterReader
from .names import find_group_or_leaf


def comparable_leaf(form: FooterReader, name: str, rows: pa.DataType) -> tuple[int, LeafType] | None:
    """Return the leaf of a top-level column with rows of type `rows`, and its type; None if its values are not rows."""
    leaf = find_group_or_leaf(form, (name,))
    kind = None if leaf & GROUP else comparable_type(form, leaf, rows)
    return None if kind is None else (leaf, kind)


def comparable_type(form: FooterReader, leaf: int, rows: pa.DataType) -> LeafType | None:
    """Return the type of a leaf, if the rows of its column have type `rows`; None if its values are not rows."""
    if isinstance(rows, pa.BaseExtensionType) or pa.types.is_nested(rows):
        return None
    node = form.node(leaf)
    return None if node.max_repetition or b"\0" in node.path else leaf_type_of(node.thrift)


@frozen
class StoredBounds:
    """A leaf's bounds as they are stored, one entry per row group: None if unknown; unknown counts are -1.

    `nan_counts` is None unless the leaf's column order makes them meaningful, `boxes` unless it has geometries.
    """

    kind: LeafType
    min: Sequence[bytes | None]
    max: Sequence[bytes | None]
    null_counts: Sequence[int] | pa.Array
    num_values: Sequence[int] | pa.Array
    is_required: bool = False
    nan_counts: Sequence[int] | None = None
    boxes: Sequence[BoundingBox | None] | None = None

    @property
    def nulls(self) -> tuple[pa.BooleanArray, pa.BooleanArray]:
        """Return which row groups certainly have only nulls, and which have none."""
        return known_nulls(self._has_bounds(), self.null_counts, self.num_values, self.is_required)

    @classmethod
    def joined(cls, parts: Sequence[StoredBounds]) -> StoredBounds:
        """Return the bounds of several files, concatenated; their leaves have one kind and repetition."""
        low, high, nulls, values = (
            [entry for part in parts for entry in getattr(part, name)]
            for name in ("min", "max", "null_counts", "num_values")
        )
        nans, boxes = (
            [entry for part in parts for entry in getattr(part, name) or [unknown] * len(part.min)]
            if any(getattr(part, name) for part in parts)
            else None
            for name, unknown in (("nan_counts", -1), ("boxes", None))
        )
        return cls(parts[0].kind, low, high, nulls, values, parts[0].is_required, nans, boxes)

    def typed(self, rows: pa.DataType) -> ColumnBounds | None:
        """Return the bounds in the type of the rows, text and bytes as bytes; None if they cannot be compared."""
        try:
            minima, maxima = (self._side(values, rows) for values in (self.min, self.max))
        except (pa.ArrowException, OverflowError):
            return None
        return ColumnBounds(*_not_inverted(self.kind, minima, maxima), *self.nulls, *self.nans, self.boxes)

    @property
    def nans(self) -> tuple[pa.BooleanArray | None, pa.BooleanArray | None]:
        """Return which row groups certainly have only NaN besides nulls, and which have none; None if not known."""
        if self.nan_counts is None:
            return None, None
        return known_nans(self._has_bounds(), self.nan_counts, self.null_counts, self.num_values, self.is_required)

    def _has_bounds(self) -> list[bool] | pa.BooleanArray:
        return [low is not None or high is not None for low, high in zip(self.min, self.max, strict=True)]

    def _side(self, values: Sequence[bytes | None], rows: pa.DataType) -> pa.Array:
        if _is_text(self.kind):
            return pa.array(values, pa.large_binary())
        made = self.kind.array(values)
        return made if made.type == rows else made.cast(rows)


@frozen
class RawBounds(StoredBounds):
    """A leaf's bounds as they are stored, in arrays of bytes over the row groups of many files; counts are int64."""

    min: pa.Array
    max: pa.Array

    def _has_bounds(self) -> pa.BooleanArray:
        return pc.or_(self.min.is_valid(), self.max.is_valid())

    def _side(self, values: pa.Array, rows: pa.DataType) -> pa.Array:
        return values.cast(pa.large_binary()) if _is_text(self.kind) else self.kind.array_of(values).cast(rows)


def stored_bounds(form: FooterReader, leaf: int, rows: pa.DataType) -> StoredBounds | None:
    """Return the bounds of a leaf, if the rows of its column have type `rows`; None if its values are not rows."""
    node = form.node(leaf)
    is_geospatial = has_boxes(node)
    if is_geospatial and isinstance(rows, pa.BaseExtensionType):
        rows = rows.storage_type
    kind = comparable_type(form, leaf, rows)
    if kind is None:
        return None
    chunks = form.column(leaf)
    statistics = geospatial_statistics(form, leaf) if is_geospatial else []
    return StoredBounds(
        kind,
        chunks.bound_values(1),
        chunks.bound_values(2),
        chunks.array("null_count"),
        chunks.array("num_values"),
        node.max_definition == 0,
        nan_counts(form, leaf) if has_total_order(node) else None,
        [None if one is None else one.bbox for one in statistics] if is_geospatial else None,
    )


def column_bounds(form: FooterReader, name: str, rows: pa.DataType) -> ColumnBounds | None:
    """Return the bounds of a top-level column with rows of type `rows`; None if they cannot be compared."""
    rows = rows.value_type if pa.types.is_dictionary(rows) else rows
    leaf = find_group_or_leaf(form, (name,))
    found = None if leaf & GROUP else stored_bounds(form, leaf, rows)
    return None if found is None else found.typed(rows)


def _not_inverted(kind: LeafType, minima: pa.Array, maxima: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Omit both bounds of INT96 if the minimum is above the maximum.

    The kernels omit inverted bounds of all other types, and do not compare those of INT96.
    """
    if kind.physical != wire.PHYSICAL_INT96:
        return minima, maxima
    is_inverted = pc.greater(minima, maxima)
    return tuple(
        pc.if_else(is_inverted.fill_null(False), pa.scalar(None, side.type), side) for side in (minima, maxima)
    )


def _is_text(kind: LeafType) -> bool:
    return pa.types.is_string(kind.arrow) or pa.types.is_binary(kind.arrow) or pa.types.is_fixed_size_binary(kind.arrow)
