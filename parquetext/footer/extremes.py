"""The least and the greatest bound of a column over all of its row groups."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import Unsupported
from .columns import Column

__all__ = ["bounds_or_nulls", "extremes"]


def bounds_or_nulls(column: Column) -> tuple[pa.Array, pa.Array]:
    """The minima and maxima; null where their bytes would take more than an array may have."""
    try:
        return column.min, column.max
    except Unsupported:
        return pa.nulls(len(column)), pa.nulls(len(column))


def extremes(column: Column) -> tuple[pa.Scalar, pa.Scalar]:
    """The least minimum and the greatest maximum; null where a row group with values has none."""
    minima, maxima = bounds_or_nulls(column)
    return _extreme(minima, column, pc.min), _extreme(maxima, column, pc.max)


def _extreme(values: pa.Array, column: Column, choose: Callable[[pa.Array], pa.Scalar]) -> pa.Scalar:
    unknown = [
        not is_known and nulls != count
        for is_known, nulls, count in zip(
            values.is_valid().to_pylist(), column.null_count, column.num_values, strict=True
        )
    ]
    if any(unknown) or pa.types.is_null(values.type):
        return pa.scalar(None)
    try:
        return choose(values)
    except NotImplementedError:  # float16
        return choose(values.cast(pa.float32()))
