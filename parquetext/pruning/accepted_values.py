"""The values that a predicate accepts: sets of ranges for each column, joined by AND and OR.

Values are compared with ranges while they are decoded, in their stored form. A predicate has sets only if the result is
the one of Arrow's row filter, so no literal is compared if Arrow casts the column, and the cast changes or refuses
values.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from .. import kernels, wire
from .comparing import is_text, members_of, text_literal
from .expressions import MATCH, MIRRORED, OPERATORS
from .predicate import Comparison, Predicate
from .serialized import Call, Field, Literal, Node, tree_of

Bound = Any  # an integer, or bytes; None: after every text
FORMATS = {4: "<f", 8: "<d"}
EXACT = {4: 1 << 24, 8: 1 << 53}  # integers up to these have no fraction in a float of this width
MOST_MEMBERS = 1 << 12  # more values of a list are found faster by Arrow's hash table


class NotComparable(Exception):
    """The predicate has a part that cannot be compared with stored values."""


class Domain(NamedTuple):
    """The keys of a type's values, as `kernels.ranges` defines them.

    Attributes
    ----------
    physical : int
        A `wire.PHYSICAL_…`.
    low, end : int or bytes
        The lowest key, and the one after the highest.
    key : function
        Return the range of keys that are equal to a literal; it is empty, after the next lower key, if there are none.
    """

    physical: int
    low: Bound
    end: Bound
    key: Callable[[Any], tuple[Bound, Bound]]
    bits: int = 32
    is_unsigned: bool = False

    @property
    def is_float(self) -> bool:
        return self.physical in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE)


class Accepted(NamedTuple):
    """The values of one column that a predicate accepts.

    Attributes
    ----------
    ranges : list of (bound, bound)
        The first key of each range, and the one after its last, ascending and apart.
    has_nan : bool
        True if NaN is accepted.
    null : bool or None
        The result for null.
    """

    column: str
    domain: Domain
    ranges: list[tuple[Bound, Bound]]
    has_nan: bool
    null: bool | None

    @property
    def for_kernels(self):
        """The ranges as a `kernels.ranges.Ranges`."""
        domain, bounds = self.domain, self.ranges
        if domain.physical != wire.PHYSICAL_BYTE_ARRAY:
            bounds = [(first, end - 1) for first, end in self.ranges]
        options: Any = {"bits": domain.bits, "is_unsigned": domain.is_unsigned, "has_nan": self.has_nan}
        return kernels.ranges.Ranges(domain.physical, bounds, **options)


class Joined(NamedTuple):
    """Parts of a predicate, joined by AND (`is_all`) or by OR."""

    is_all: bool
    parts: list[Accepted | Joined]


def accepted_values(
    predicate: Predicate, domains: Mapping[str, tuple[pa.DataType, Domain]]
) -> Accepted | Joined | None:
    """Return the values that a predicate accepts; None if it cannot be compared with stored values.

    Parameters
    ----------
    domains : mapping
        The Arrow type and the keys of each column of the predicate.
    """
    try:
        if predicate.alternatives is not None:
            alternatives = predicate.alternatives
            groups = [_joined(True, [_compared(one, domains) for one in group]) for group in alternatives]
            return _joined(False, groups)
        tree = tree_of(predicate.expression)
        return None if tree is None else _of_node(tree, domains, negated=False)
    except (NotComparable, RecursionError, UnicodeError):
        return None


def domain_of(kind: pa.DataType, physical: int) -> Domain | None:
    """Return the keys of a column's values; None if its stored values have another order than those of the Arrow type.

    Parameters
    ----------
    kind : pyarrow.DataType
        The type of the column, whose values are the stored ones.
    physical : int
        The `wire.PHYSICAL_…` of its leaf.
    """
    types = pa.types
    if is_text(kind):
        return Domain(physical, b"", None, _text_keys) if physical == wire.PHYSICAL_BYTE_ARRAY else None
    if types.is_boolean(kind):
        return Domain(physical, 0, 2, _boolean_keys)
    if types.is_float32(kind) or types.is_float64(kind):
        width = kind.bit_width // 8
        low, high = (_float_key(sign * math.inf, width)[0] for sign in (-1, 1))
        return Domain(physical, low, high + 1, lambda value: _float_key(value, width))
    is_integer = types.is_integer(kind) and not types.is_uint64(kind)
    is_instant = types.is_timestamp(kind) or types.is_date32(kind) or types.is_time(kind)
    if (not is_integer and not is_instant) or physical not in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64):
        return None
    stored = 32 if physical == wire.PHYSICAL_INT32 else 64
    is_unsigned, bits = types.is_unsigned_integer(kind), kind.bit_width
    half, most = 0 if is_unsigned else 1 << (stored - 1), 1 << (bits if is_unsigned else bits - 1)

    def keys(value: Any) -> tuple[int, int]:
        number = _integer(value) if is_integer else _instant(value, kind)
        # A number beyond the type is compared like the next one beyond it.
        key = min(max(number, -1 if is_unsigned else -most - 1), most) + half
        is_there = (0 if is_unsigned else -most) <= number < most
        return (key, key + 1) if is_there else (key, key) if number >= most else (key + 1, key + 1)

    low = 0 if is_unsigned else half - most
    return Domain(physical, low, half + most, keys, min(bits, stored) if stored == 32 else 32, is_unsigned)


# ---- keys of literals ----


def _plain(value: Any) -> Any:
    return value.as_py() if isinstance(value, pa.Scalar) else value


def _text_keys(value: Any) -> tuple[bytes, bytes]:
    text = text_literal(value)
    if text is None:
        raise NotComparable
    return text, text + b"\0"


def _boolean_keys(value: Any) -> tuple[int, int]:
    truth = _plain(value)
    if not isinstance(truth, bool):
        raise NotComparable
    return int(truth), int(truth) + 1


def _integer(value: Any) -> int:
    number = _plain(value)
    if type(number) is not int or not -(1 << 63) <= number < 1 << 63:
        raise NotComparable
    return number


def _instant(value: Any, kind: pa.DataType) -> int:
    """Return the number that stores a literal of the column's own type."""
    try:
        literal = value if isinstance(value, pa.Scalar) else pa.scalar(value)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        raise NotComparable from None
    if literal.type != kind or not literal.is_valid:
        raise NotComparable
    return literal.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).as_py()


def _float_key(value: Any, width: int) -> tuple[int, int]:
    number = _plain(value)
    if type(number) is int and abs(number) <= EXACT[width]:
        number = float(number)
    if type(number) is not float or math.isnan(number):
        raise NotComparable
    try:
        stored = struct.pack(FORMATS[width], number)
    except OverflowError:
        raise NotComparable from None
    bits = int.from_bytes(stored, "little")
    sign = 1 << (8 * width - 1)
    rounded = struct.unpack(FORMATS[width], stored)[0]
    key = sign if rounded == 0 else (2 * sign - 1) ^ bits if bits & sign else bits | sign
    if rounded == number:
        return key, key + 1
    return (key + 1, key + 1) if rounded < number else (key, key)


# ---- predicates ----


def _of_node(node: Node, domains: Mapping[str, tuple[pa.DataType, Domain]], *, negated: bool) -> Accepted | Joined:
    match node:
        case Call("and_kleene" | "or_kleene" as name, [left, right], _):
            parts = [_of_node(part, domains, negated=negated) for part in (left, right)]
            return _joined((name == "and_kleene") != negated, parts)
        case Call("invert", [inner], _):
            return _of_node(inner, domains, negated=not negated)
        case Call(name, [Field((column,)), Literal(value)], _) if name in OPERATORS:
            return _compared(Comparison(column, OPERATORS[name], value), domains, negated=negated)
        case Call(name, [Literal(value), Field((column,))], _) if name in OPERATORS:
            return _compared(Comparison(column, MIRRORED[OPERATORS[name]], value), domains, negated=negated)
        case Call("is_in", [Field((column,))], options) if options is not None:
            if options["null_matching_behavior"].as_py() == MATCH:
                return _compared(Comparison(column, "in", options["value_set"].values), domains, negated=negated)
        case Call("is_null", [Field((column,))], options):
            if options is None or not options["nan_is_null"].as_py():
                return _compared(Comparison(column, "is null", None), domains, negated=negated)
        case Call("is_valid", [Field((column,))], _):
            return _compared(Comparison(column, "is valid", None), domains, negated=negated)
    raise NotComparable


def _compared(
    comparison: Comparison, domains: Mapping[str, tuple[pa.DataType, Domain]], *, negated: bool = False
) -> Accepted:
    column, operator, value = comparison
    if column not in domains:
        raise NotComparable
    kind, domain = domains[column]
    if operator in ("is null", "is valid"):
        is_null = (operator == "is null") != negated
        return Accepted(column, domain, [] if is_null else [(domain.low, domain.end)], not is_null, is_null)
    if operator in ("in", "not in"):
        found = Accepted(column, domain, _union(_members(kind, domain, value)), False, False)
        return _inverted(found) if (operator == "not in") != negated else found
    if pa.types.is_boolean(kind) and operator not in ("=", "==", "!="):
        raise NotComparable
    found = Accepted(column, domain, _ranges(domain, operator, *domain.key(value)), operator == "!=", None)
    return _inverted(found) if negated else found


def _ranges(domain: Domain, operator: str, key: Bound, after: Bound) -> list[tuple[Bound, Bound]]:
    """Return the ranges of keys that compare with a literal, which is equal to those from `key` to `after`."""
    found = {
        "=": [(key, after)],
        "==": [(key, after)],
        "!=": [(domain.low, key), (after, domain.end)],
        "<": [(domain.low, key)],
        "<=": [(domain.low, after)],
        ">": [(after, domain.end)],
        ">=": [(key, domain.end)],
    }[operator]
    return _union([pair for pair in found if _is_below(*pair)])


def _members(kind: pa.DataType, domain: Domain, values: Any) -> list[tuple[Bound, Bound]]:
    try:
        members = members_of(kind, values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise NotComparable from None
    if members is None or members.has_null or len(members.values) > MOST_MEMBERS:
        raise NotComparable
    if members.values.type != kind and not is_text(kind):
        raise NotComparable
    if pa.types.is_temporal(kind) and members.given != kind:
        raise NotComparable  # Arrow refuses to look for moments of a time zone among those without one
    if pa.types.is_fixed_size_binary(members.given):
        raise NotComparable  # Arrow refuses to look for strings among these
    if domain.is_float and any(value == 0 or math.isnan(value) for value in members.values.to_pylist()):
        raise NotComparable  # Arrow finds -0.0 and NaN by their bits
    return [domain.key(value) for value in members.values]


# ---- sets of ranges ----


def _is_below(bound: Bound, end: Bound) -> bool:
    return end is None or (bound is not None and bound < end)


def _union(pairs: Sequence[tuple[Bound, Bound]]) -> list[tuple[Bound, Bound]]:
    found: list[tuple[Bound, Bound]] = []
    for first, end in sorted(pairs, key=lambda pair: pair[0]):
        if found and not _is_below(found[-1][1], first):
            if found[-1][1] is not None and _is_below(found[-1][1], end):
                found[-1] = found[-1][0], end
        elif _is_below(first, end):
            found.append((first, end))
    return found


def _complement(domain: Domain, ranges: Sequence[tuple[Bound, Bound]]) -> list[tuple[Bound, Bound]]:
    bounds = [domain.low, *(bound for pair in ranges for bound in pair), domain.end]
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return [(first, end) for first, end in pairs if first is not None and _is_below(first, end)]


def _inverted(one: Accepted) -> Accepted:
    ranges = _complement(one.domain, one.ranges)
    return one._replace(ranges=ranges, has_nan=not one.has_nan, null=None if one.null is None else not one.null)


def _joined(is_all: bool, parts: Sequence[Accepted | Joined]) -> Accepted | Joined:
    """Join parts; sets of one column become one set."""
    sets: dict[str, Accepted] = {}
    others: list[Accepted | Joined] = []
    for part in parts:
        inner = part.parts if isinstance(part, Joined) and part.is_all is is_all else [part]
        for one in inner:
            if isinstance(one, Joined):
                others.append(one)
            else:
                known = sets.get(one.column)
                sets[one.column] = one if known is None else _both(known, one) if is_all else _either(known, one)
    found = [*sets.values(), *others]
    return found[0] if len(found) == 1 else Joined(is_all, found)


def _either(one: Accepted, other: Accepted) -> Accepted:
    null = True if one.null or other.null else None if None in (one.null, other.null) else False
    return one._replace(ranges=_union([*one.ranges, *other.ranges]), has_nan=one.has_nan or other.has_nan, null=null)


def _both(one: Accepted, other: Accepted) -> Accepted:
    return _inverted(_either(_inverted(one), _inverted(other)))
