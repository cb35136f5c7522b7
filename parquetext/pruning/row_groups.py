"""Which row groups a predicate leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from .bloom import Absent, ruled_out
from .bounds import FEW, ColumnBounds, may_match
from .expressions import may_meet
from .predicate import Comparison, Predicate

__all__ = ["surviving_row_groups"]


def surviving_row_groups(
    predicate: Predicate,
    bounds_of: Callable[[str], ColumnBounds | None],
    count: int,
    row_groups: Sequence[int],
    types: Mapping[str, pa.DataType],
    absent: Absent | None = None,
) -> list[int]:
    """Those of `row_groups` that may hold rows which meet the predicate.

    `bounds_of` gives a column's bounds in all `count` row groups, in the type that its rows have; None where it has
    none that can be compared. `types` has the type of each column that the predicate looks at. `absent` asks Bloom
    filters where bounds leave an equality undecided; an Arrow expression cannot be looked into, so lists only.
    """
    if predicate.alternatives is None:
        kept = may_meet(predicate.expression, {name: (kind, bounds_of(name)) for name, kind in types.items()}, count)
        return [row_group for row_group in row_groups if kept[row_group]]
    meets = _meets(predicate.alternatives, bounds_of, count)
    met = reduce(pc.or_, meets)
    if row_groups == range(count) and count > FEW:
        left = pc.indices_nonzero(met).to_pylist()
    else:
        kept = met.to_pylist()
        left = [row_group for row_group in row_groups if kept[row_group]]
    if absent is None or not left:
        return left
    each = [some.to_pylist() for some in meets]
    gone = ruled_out(predicate.alternatives, each, dict.fromkeys(left), absent)
    return [row_group for row_group in left if row_group not in gone]


def _meets(
    alternatives: list[list[Comparison]], bounds_of: Callable[[str], ColumnBounds | None], count: int
) -> list[pa.BooleanArray]:
    """For each alternative and each row group whether bounds leave it."""
    bounds: dict[str, ColumnBounds | None] = {}
    found = []
    for alternative in alternatives:
        meets = None
        for comparison in alternative:
            name = comparison.column
            if name not in bounds:
                bounds[name] = bounds_of(name)
            if bounds[name] is not None:
                matches = may_match(comparison, bounds[name])
                meets = matches if meets is None else pc.and_(meets, matches)
        found.append(pa.array([True] * count, pa.bool_()) if meets is None else meets)
    return found
