"""Bounding boxes: a function of Arrow that compares rows with a box, and the rule that compares statistics with it.

The function is registered in Arrow, so it works wherever an expression does, also joined to other conditions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import repeat
from threading import Lock
from typing import Any, NamedTuple

import pyarrow as pa

from .. import compute as pc
from .wkb import extent

INTERSECTS = "parquetext_bbox_intersects"
_SIDES = "xmin", "ymin", "xmax", "ymax"
_registering = Lock()


class BoundingBox(NamedTuple):
    """The bounding box in the statistics of a column chunk; absent limits are None, and others may be NaN."""

    xmin: float | None = None
    xmax: float | None = None
    ymin: float | None = None
    ymax: float | None = None
    zmin: float | None = None
    zmax: float | None = None
    mmin: float | None = None
    mmax: float | None = None


def bbox_intersects(column: str, bbox: Sequence[float]) -> pc.Expression:
    """Return a filter for geometries with a bounding box that intersects another one.

    It takes any column of well-known binary, and joins with other conditions by ``&``, ``|`` and ``~``. The bounding
    boxes in the statistics of GEOMETRY and GEOGRAPHY exclude row groups; then rows are compared one by one, by the
    least and the greatest x and y of their coordinates.

    Parameters
    ----------
    column : str
        The name of a top-level column.
    bbox : sequence of float
        ``(xmin, ymin, xmax, ymax)``; the limits belong to it. If `xmin` is above `xmax`, the box crosses the
        antimeridian: it has the x from `xmin` on and those up to `xmax`.

    Returns
    -------
    pyarrow.compute.Expression
        Null, which a filter drops, for null, for geometries without coordinates, and for bytes that are not well-known
        binary.

    Raises
    ------
    ValueError
        If `bbox` does not have four numbers, if one is NaN, or if `ymin` is above `ymax`.

    Examples
    --------
    >>> import parquetext
    >>> parquetext.read_table("places.parquet", filters=parquetext.bbox_intersects("geometry", (5, 45, 15, 55)))
    ... # doctest: +SKIP
    """
    limits = [float(side) for side in bbox]
    if len(limits) != len(_SIDES) or any(map(math.isnan, limits)) or limits[1] > limits[3]:
        raise ValueError(f"a bounding box is (xmin, ymin, xmax, ymax) with ymin up to ymax, not {bbox!r:.80}")
    register()
    value = pc.field(column).cast(pa.large_binary())
    return pc.Expression._call(INTERSECTS, [value, *map(pc.scalar, limits)])


def register() -> None:
    """Register the function in Arrow, unless it is: an expression that was pickled elsewhere only has its name."""
    with _registering:
        try:
            pc.get_function(INTERSECTS)
        except KeyError:
            pc.register_scalar_function(
                _intersect,
                INTERSECTS,
                {"summary": "Compare geometries with a box.", "description": "See parquetext.bbox_intersects."},
                {"geometry": pa.large_binary(), **dict.fromkeys(_SIDES, pa.float64())},
                pa.bool_(),
            )


def _intersect(context: Any, *arguments: pa.Array | pa.Scalar) -> pa.Array:
    """Compare geometries with boxes; Arrow passes what is the same for all rows as one value, or repeats it."""
    rows = zip(*(_values(argument, context.batch_length) for argument in arguments), strict=True)
    return pa.array([_row_intersects(*row) for row in rows], pa.bool_())


def _values(argument: pa.Array | pa.Scalar, count: int) -> Iterable[Any]:
    return repeat(argument.as_py(), count) if isinstance(argument, pa.Scalar) else argument.to_pylist()


def _row_intersects(value: bytes | None, xmin: float, ymin: float, xmax: float, ymax: float) -> bool | None:
    found = None if value is None else extent(value)
    if found is None:
        return None
    low, high, bottom, top = found
    is_in_x = low <= xmax and xmin <= high if xmin <= xmax else low <= xmax or xmin <= high
    return is_in_x and bottom <= ymax and ymin <= top


def box_may_intersect(box: BoundingBox | None, xmin: float, ymin: float, xmax: float, ymax: float) -> bool:
    """Return False if the statistics of a chunk exclude that a geometry intersects a box.

    Limits that are absent or NaN exclude nothing, and neither do those of y if they are inverted. If those of x are,
    the geometries are in x from `xmin` on and up to `xmax`, across the antimeridian.
    """
    if box is None:
        return True
    return _may_overlap(box.xmin, box.xmax, xmin, xmax, wraps=True) and _may_overlap(
        box.ymin, box.ymax, ymin, ymax, wraps=False
    )


def _may_overlap(low: float | None, high: float | None, first: float, last: float, *, wraps: bool) -> bool:
    if low is None or high is None or math.isnan(low) or math.isnan(high) or (low > high and not wraps):
        return True
    if low > high and first > last:
        return True  # both contain the antimeridian
    if low > high or first > last:
        return low <= last or first <= high
    return low <= last and first <= high
