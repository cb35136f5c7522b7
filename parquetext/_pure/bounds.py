"""Decide which statistics can be trusted as bounds (docs/formats.md, 3.2)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .. import wire

UNDEFINED, SIGNED, UNSIGNED, FLOAT16, LITTLE_ENDIAN = range(5)  # sort orders

FLOAT_FORMATS = {wire.PHYSICAL_FLOAT: "<f", wire.PHYSICAL_DOUBLE: "<d", wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY: "<e"}
BYTE_ARRAYS = wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
PLAIN_SIGNED = (
    wire.PHYSICAL_BOOLEAN,
    wire.PHYSICAL_INT32,
    wire.PHYSICAL_INT64,
    wire.PHYSICAL_FLOAT,
    wire.PHYSICAL_DOUBLE,
)


class Leaf(NamedTuple):
    """The properties of a leaf that decide about its bounds."""

    type: int
    type_length: int
    column_order: int
    sort_order: int
    converted_type: int = -1
    logical_type_length: int = 0

    @property
    def is_floating(self) -> bool:
        return self.type in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE) or (
            self.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and self.sort_order == FLOAT16
        )

    @property
    def order_is_defined(self) -> bool:
        """Return True if min_value/max_value count: physical type, annotation and column order are a known triple."""
        if self.column_order == wire.ORDER_TYPE_ORDER:
            return self.sort_order != UNDEFINED
        if self.column_order == wire.ORDER_IEEE_754_TOTAL_ORDER:
            return self.is_floating and self.sort_order != UNDEFINED
        is_int96_order = self.column_order == wire.ORDER_INT96_TIMESTAMP_ORDER
        return is_int96_order and self.type == wire.PHYSICAL_INT96 and not self.is_annotated

    @property
    def has_signed_pair(self) -> bool:
        """Return True if min/max count. Their order is the signed one, and a column order contradicts it."""
        return not self.column_order and self.sort_order == SIGNED and self.type in PLAIN_SIGNED

    @property
    def is_annotated(self) -> bool:
        return self.logical_type_length > 0 or self.converted_type != -1

    @property
    def is_big_endian(self) -> bool:
        """Return True for decimals stored as signed big-endian bytes."""
        return self.sort_order == SIGNED and self.type in BYTE_ARRAYS

    def is_value(self, value: bytes) -> bool:
        """Return True if the bytes can be a value of the type; a number needs at least one byte."""
        if self.is_big_endian and not value:
            return False
        if self.type == wire.PHYSICAL_BYTE_ARRAY:
            return True
        if self.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            return len(value) == self.type_length and (self.sort_order != FLOAT16 or len(value) == 2)
        return wire.WIDTH_OF_TYPE.get(self.type) == len(value) and (self.type != wire.PHYSICAL_BOOLEAN or value[0] <= 1)


def judge_bounds(leaf: Leaf, minimum: bytes | None, maximum: bytes | None) -> int:
    """Judge a pair of bounds by the leaf's type and order: return bits ``wire.BOUND_…``.

    Every user of bounds applies this rule. A bound is not trusted if it is not a value of the type, or if it is NaN.
    Neither bound is trusted if the pair is inverted, or if the order is undefined. An absent bound is None.
    """
    if not leaf.order_is_defined:
        return wire.BOUND_UNORDERED
    found = judge(leaf, minimum, wire.BOUND_MIN) | judge(leaf, maximum, wire.BOUND_MAX)
    if minimum is None or maximum is None or found != wire.BOUND_MIN | wire.BOUND_MAX:
        return found
    return wire.BOUND_INVERTED if is_inverted(minimum, maximum, leaf) else found


def judge(leaf: Leaf, value: bytes | None, bit: int) -> int:
    """Judge one bound: return `bit` if it can be trusted, else the reason."""
    if value is None:
        return 0
    if not leaf.is_value(value):
        return wire.BOUND_NO_VALUE
    return wire.BOUND_NAN if is_nan(value, leaf) else bit


def usable_bounds(data, chunk: dict[str, int], leaf: Leaf) -> tuple[int, int, int, int, int]:
    """Return (has, min offset, min length, max offset, max length) for one chunk; bit 0 of `has` is min, bit 1 max."""
    if leaf.order_is_defined:
        pair = ("min_value", wire.PRESENT_MIN_VALUE, 1), ("max_value", wire.PRESENT_MAX_VALUE, 2)
    elif leaf.has_signed_pair:
        pair = ("min", wire.PRESENT_MIN, 1), ("max", wire.PRESENT_MAX, 2)
        leaf = leaf._replace(column_order=wire.ORDER_TYPE_ORDER)
    else:
        return 0, 0, 0, 0, 0
    ranges, values = [], []
    for name, present, _ in pair:
        offset, length = chunk[f"{name}_offset"], chunk[f"{name}_length"]
        values.append(bytes(data[offset : offset + length]) if chunk["present"] & present else None)
        ranges.append((offset, length))
    has = judge_bounds(leaf, *values) & (wire.BOUND_MIN | wire.BOUND_MAX)
    low, high = (position if has & bit else (0, 0) for position, bit in zip(ranges, (1, 2), strict=True))
    return has, *low, *high


def is_nan(value: bytes, leaf: Leaf) -> bool:
    if not leaf.is_floating:
        return False
    (number,) = struct.unpack(FLOAT_FORMATS[leaf.type], value)
    return number != number


def is_inverted(low: bytes, high: bytes, leaf: Leaf) -> bool:
    """Return True if `low` is above `high` in the leaf's order."""
    if leaf.type == wire.PHYSICAL_INT96:
        return False
    if leaf.is_floating:
        if leaf.column_order == wire.ORDER_IEEE_754_TOTAL_ORDER:
            return total_order(low) > total_order(high)
        code = FLOAT_FORMATS[leaf.type]
        return struct.unpack(code, low) > struct.unpack(code, high)
    if leaf.type in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64) or leaf.sort_order == LITTLE_ENDIAN:
        signed = leaf.sort_order != UNSIGNED
        return int.from_bytes(low, "little", signed=signed) > int.from_bytes(high, "little", signed=signed)
    if leaf.is_big_endian:
        return int.from_bytes(low, "big", signed=True) > int.from_bytes(high, "big", signed=True)
    return low > high


def total_order(value: bytes) -> int:
    """Return a number that orders like IEEE 754's total order: -0 is below +0."""
    bits, sign = int.from_bytes(value, "little"), 1 << (8 * len(value) - 1)
    return ~bits & (2 * sign - 1) if bits & sign else bits | sign
