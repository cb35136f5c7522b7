"""Which statistics can be trusted as bounds (docs/formats.md, 3.2)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .. import wire

__all__ = ["Leaf", "usable_bounds"]

UNDEFINED, SIGNED, UNSIGNED, FLOAT16 = range(4)  # sort orders

FLOAT_FORMATS = {wire.PHYSICAL_FLOAT: "<f", wire.PHYSICAL_DOUBLE: "<d", wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY: "<e"}
PLAIN_SIGNED = (
    wire.PHYSICAL_BOOLEAN,
    wire.PHYSICAL_INT32,
    wire.PHYSICAL_INT64,
    wire.PHYSICAL_FLOAT,
    wire.PHYSICAL_DOUBLE,
)


class Leaf(NamedTuple):
    """What decides about a leaf's bounds."""

    type: int
    type_length: int
    column_order: int
    sort_order: int

    @property
    def is_floating(self) -> bool:
        return self.type in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE) or (
            self.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and self.sort_order == FLOAT16
        )

    @property
    def order_is_defined(self) -> bool:
        """Does min_value/max_value count? Otherwise the deprecated pair might."""
        if self.column_order == wire.ORDER_TYPE_ORDER:
            return self.sort_order != UNDEFINED
        if self.column_order == wire.ORDER_IEEE_754_TOTAL_ORDER:
            return self.is_floating
        return self.column_order == wire.ORDER_INT96_TIMESTAMP_ORDER and self.type == wire.PHYSICAL_INT96

    def fits(self, length: int) -> bool:
        if self.type == wire.PHYSICAL_BYTE_ARRAY:
            return True
        if self.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            return length == self.type_length and (self.sort_order != FLOAT16 or length == 2)
        return wire.WIDTH_OF_TYPE.get(self.type) == length


def usable_bounds(data, chunk: dict[str, int], leaf: Leaf) -> tuple[int, int, int, int, int]:
    """(has, min offset, min length, max offset, max length) of one chunk's facts; bit 0 of `has` is min, bit 1 max."""
    if leaf.order_is_defined:
        pair = ("min_value", wire.PRESENT_MIN_VALUE, 1), ("max_value", wire.PRESENT_MAX_VALUE, 2)
    elif leaf.sort_order == SIGNED and leaf.type in PLAIN_SIGNED:
        pair = ("min", wire.PRESENT_MIN, 1), ("max", wire.PRESENT_MAX, 2)
    else:
        return 0, 0, 0, 0, 0
    has, ranges, values = 0, [], []
    for name, present, bit in pair:
        offset, length = chunk[f"{name}_offset"], chunk[f"{name}_length"]
        value = bytes(data[offset : offset + length])
        usable = bool(chunk["present"] & present) and leaf.fits(length) and not is_nan(value, leaf)
        has |= bit if usable else 0
        ranges += [offset, length] if usable else [0, 0]
        values.append(value)
    if has == 3 and is_inverted(*values, leaf):
        return 0, 0, 0, 0, 0
    return has, *ranges


def is_nan(value: bytes, leaf: Leaf) -> bool:
    if not leaf.is_floating:
        return False
    (number,) = struct.unpack(FLOAT_FORMATS[leaf.type], value)
    return number != number


def is_inverted(low: bytes, high: bytes, leaf: Leaf) -> bool:
    """Is `low` above `high` in the leaf's order?"""
    if leaf.type == wire.PHYSICAL_INT96:
        return False
    if leaf.type == wire.PHYSICAL_BOOLEAN:
        return (low[0] & 1) > (high[0] & 1)
    if leaf.is_floating:
        if leaf.column_order == wire.ORDER_IEEE_754_TOTAL_ORDER:
            return total_order(low) > total_order(high)
        code = FLOAT_FORMATS[leaf.type]
        return struct.unpack(code, low) > struct.unpack(code, high)
    signed = leaf.sort_order != UNSIGNED
    if leaf.type in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64):
        return int.from_bytes(low, "little", signed=signed) > int.from_bytes(high, "little", signed=signed)
    if signed:
        return int.from_bytes(low, "big", signed=True) > int.from_bytes(high, "big", signed=True)
    return low > high


def total_order(value: bytes) -> int:
    """A number that orders as IEEE 754's total order does: -0 below +0."""
    bits, sign = int.from_bytes(value, "little"), 1 << (8 * len(value) - 1)
    return ~bits & (2 * sign - 1) if bits & sign else bits | sign
