"""Bounds and counts that a file says of values, compared with the decoded values."""

from __future__ import annotations

from collections.abc import Iterator

from ...indexing.page_values import Measured
from ...indexing.value_order import ValueOrder

SHOWN = 40  # characters of a value


def wrong_statistics(
    fields: dict,
    statistics: Measured,
    orders: dict[bool, ValueOrder],
    *,
    is_repeated: bool,
    distinct: int | None = None,
) -> Iterator[str]:
    """Yield one sentence for each field of a Statistics struct that contradicts the values.

    Parameters
    ----------
    orders : dict
        Of `min_value` and `max_value` (False), and of `min` and `max` (True), as far as these have a meaning.
    is_repeated : bool
        Nulls of a repeated leaf may be counted without empty and null lists.
    distinct : int or None
        Distinct values; None if they are not known.
    """
    for is_legacy, names in ((False, ("min_value", "max_value")), (True, ("min", "max"))):
        if is_legacy in orders:
            yield from _wrong_bounds(fields, names, statistics, orders[is_legacy], is_legacy)
    nulls = fields.get("null_count")
    if nulls is not None and (not 0 <= nulls <= statistics.nulls if is_repeated else nulls != statistics.nulls):
        yield f"null_count is {nulls}, there are {statistics.nulls} nulls"
    if (
        False in orders
        and orders[False].is_nan is not None
        and fields.get("nan_count", statistics.nans) != statistics.nans
    ):
        yield f"nan_count is {fields['nan_count']}, there are {statistics.nans} NaN"
    if distinct is not None and fields.get("distinct_count", distinct) != distinct:
        yield f"distinct_count is {fields['distinct_count']}, there are {distinct} values"


def _wrong_bounds(
    fields: dict, names: tuple[str, str], statistics: Measured, order: ValueOrder, is_legacy: bool
) -> Iterator[str]:
    extremes = statistics.extremes.get(is_legacy)
    for side, (name, wrong) in enumerate(zip(names, (above, below), strict=True)):
        bound = fields.get(name)
        if bound is None or not statistics.values:
            continue
        if message := wrong(bound, None if extremes is None else extremes[side], order):
            yield f"{name} {message}"
        elif extremes is not None and fields.get(f"is_{name}_exact") and order.key(bound) != extremes[side]:
            kind, shown = ("smallest", "greatest")[side], _shown(order.key(bound))
            yield f"{name} is {shown} and said to be exact, the {kind} value is {_shown(extremes[side])}"


def above(bound: bytes, least: object, order: ValueOrder) -> str:
    """Return in words why a minimum does not hold; nothing if it does. `least` is the key of the smallest value."""
    return _compared(bound, least, order, "smallest", lambda key: key > least)


def below(bound: bytes, most: object, order: ValueOrder) -> str:
    """Return in words why a maximum does not hold; nothing if it does. `most` is the key of the greatest value."""
    return _compared(bound, most, order, "greatest", lambda key: key < most)


def _compared(bound: bytes, extreme: object, order: ValueOrder, kind: str, is_wrong) -> str:
    if not order.fits(bound):
        return f"has {len(bound)} bytes, a value has {order.width}"
    key = order.key(bound)
    if extreme is None:  # all values are NaN
        return ""
    if key is None:  # readers pass over it
        return ""
    return f"is {_shown(key)}, the {kind} value is {_shown(extreme)}" if is_wrong(key) else ""


def wrong_histogram(name: str, recorded: list[int] | None, counts: list[int]) -> str:
    """Return in words how a histogram of levels is wrong; nothing if it is right or absent."""
    if not recorded or recorded == counts:
        return ""
    if len(recorded) != len(counts):
        return f"{name} has {len(recorded)} entries for {len(counts)} levels"
    level = next(level for level, pair in enumerate(zip(recorded, counts, strict=True)) if pair[0] != pair[1])
    return f"{name} has {recorded[level]} entries of level {level}, there are {counts[level]}"


def _shown(key: object) -> str:
    text = repr(key)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
