"""The least and the greatest bound of a column over all of its row groups."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from ..errors import Unsupported
from .columns import Column

__all__ = ["bounds_or_nulls", "extremes"]

FEW = 16  # row groups
_NUMBERS = frozenset({pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()})


def bounds_or_nulls(column: Column) -> tuple[pa.Array, pa.Array]:
    """The minima and maxima; null where their bytes would take more than an array may have."""
    try:
        return column.min, column.max
    except Unsupported:
        return pa.nulls(len(column)), pa.nulls(len(column))


def extremes(column: Column) -> tuple[pa.Scalar, pa.Scalar]:
    """Return the least minimum and the greatest maximum; null if a row group with values has none."""
    minima, maxima = bounds_or_nulls(column)
    return _extreme(minima, column, min), _extreme(maxima, column, max)


def _extreme(values: pa.Array, column: Column, choose: Callable[..., int]) -> pa.Scalar:
    if pa.types.is_null(values.type) or (values.null_count and _is_unknown(values, column)):
        return pa.scalar(None)
    if len(values) <= FEW and not values.null_count and (len(values) == 1 or values.type in _NUMBERS):
        known = values.to_pylist()  # several times faster than a kernel
        return values[choose(range(len(known)), key=known.__getitem__)] if known else pa.scalar(None, values.type)
    import pyarrow.compute as pc  # numbers of few row groups do without it, and it takes long to import

    kernel = {min: pc.min, max: pc.max}[choose]
    try:
        return kernel(values)
    except NotImplementedError:  # float16
        return kernel(values.cast(pa.float32()))


def _is_unknown(values: pa.Array, column: Column) -> bool:
    """Return whether a row group with values has no bound."""
    known = values.is_valid().to_pylist()
    return any(
        not is_known and nulls != count
        for is_known, nulls, count in zip(known, column.null_count, column.num_values, strict=True)
    )
