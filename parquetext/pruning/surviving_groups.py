"""Which row groups a predicate leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import pyarrow as pa

from .. import compute as pc
from .bloom import Absent, ruled_out
from .bounds import FEW, ColumnBounds, may_match, without_bounds
from .expressions import may_meet
from .predicate import Comparison, Predicate

BoundsOf = Callable[[str], ColumnBounds | None]


def surviving_row_groups(
    predicate: Predicate,
    bounds_of: BoundsOf,
    count: int,
    row_groups: Sequence[int],
    types: Mapping[str, pa.DataType],
    absent: Absent | None = None,
    *,
    keeps_failing: bool = True,
) -> list[int]:
    """Return those of `row_groups` that may contain rows that match the predicate, or that it cannot evaluate.

    Parameters
    ----------
    bounds_of : callable
        Gives a column's bounds in all `count` row groups, in the type that its rows have; None if it has none that can
        be compared.
    types : mapping
        The type of each column that the predicate looks at.
    absent : callable, optional
        Asks Bloom filters if bounds leave an equality undecided; only of lists of filters.
    keeps_failing : bool
        True to keep row groups whose rows may not compare with a literal.

    Notes
    -----
    Arrow raises for rows that it cannot compare with a literal (a large int64 with a float), even if their other
    columns do not match. So row groups with such rows stay, and reading them raises in every layout.
    """
    if predicate.alternatives is None:
        met, fails = may_meet(
            predicate.expression, {name: (kind, bounds_of(name)) for name, kind in types.items()}, count
        )
        return _chosen(pc.or_(met, fails) if keeps_failing and fails is not None else met, count, row_groups)
    meets, fails = _meets(predicate.alternatives, bounds_of, count, types)
    fails = fails if keeps_failing else None
    met = reduce(pc.or_, meets)
    left = _chosen(met if fails is None else pc.or_(met, fails), count, row_groups)
    if absent is None or not left:
        return left
    each = [some.to_pylist() for some in meets]
    needed = set() if fails is None else set(pc.indices_nonzero(fails).to_pylist())
    gone = ruled_out(predicate.alternatives, each, dict.fromkeys(n for n in left if n not in needed), absent)
    return [row_group for row_group in left if row_group not in gone]


def _chosen(kept: pa.BooleanArray, count: int, row_groups: Sequence[int]) -> list[int]:
    if row_groups == range(count) and count > FEW:
        return pc.indices_nonzero(kept).to_pylist()
    kept = kept.to_pylist()
    return [row_group for row_group in row_groups if kept[row_group]]


def _meets(
    alternatives: list[list[Comparison]], bounds_of: BoundsOf, count: int, types: Mapping[str, pa.DataType]
) -> tuple[list[pa.BooleanArray], pa.BooleanArray | None]:
    """Return which row groups bounds leave for each alternative, and which have rows that may not compare."""
    bounds: dict[str, ColumnBounds | None] = {}
    found, fails = [], None
    for alternative in alternatives:
        meets = None
        for comparison in alternative:
            name = comparison.column
            if name not in bounds:
                bounds[name] = bounds_of(name)
            if (known := bounds[name]) is not None:
                outcome = may_match(comparison, known)
                meets = outcome.meets if meets is None else pc.and_(meets, outcome.meets)
            else:
                kind = types[name]
                outcome = without_bounds(comparison, kind.value_type if pa.types.is_dictionary(kind) else kind, count)
            if outcome.fails is not None:
                fails = outcome.fails if fails is None else pc.or_(fails, outcome.fails)
        found.append(pa.array([True] * count, pa.bool_()) if meets is None else meets)
    return found, fails
