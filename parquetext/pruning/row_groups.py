"""Which row groups a predicate leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from .bounds import ColumnBounds, may_match
from .expressions import may_meet
from .predicate import Comparison, Predicate

__all__ = ["surviving_row_groups"]


def surviving_row_groups(predicate: Predicate, bounds_of: Callable[[str], ColumnBounds | None], count: int,
                         row_groups: Sequence[int], types: Mapping[str, pa.DataType]) -> list[int]:
    """Those of `row_groups` that may hold rows which meet the predicate.

    `bounds_of` gives a column's bounds in all `count` row groups, in the type that its rows have; None where it has
    none that can be compared. `types` has the type of each column that the predicate looks at.
    """
    if predicate.alternatives is None:
        kept = may_meet(predicate.expression, {name: (kind, bounds_of(name)) for name, kind in types.items()}, count)
    else:
        kept = _may_match_any(predicate.alternatives, bounds_of, count)
    return [row_group for row_group in row_groups if kept[row_group]]


def _may_match_any(alternatives: list[list[Comparison]], bounds_of: Callable[[str], ColumnBounds | None],
                   count: int) -> list[bool]:
    bounds: dict[str, ColumnBounds | None] = {}
    keep = pa.array([False] * count, pa.bool_())
    for alternative in alternatives:
        meets = pa.array([True] * count, pa.bool_())
        for comparison in alternative:
            name = comparison.column
            if name not in bounds:
                bounds[name] = bounds_of(name)
            if bounds[name] is not None:
                meets = pc.and_(meets, may_match(comparison, bounds[name]))
        keep = pc.or_(keep, meets)
    return keep.to_pylist()
