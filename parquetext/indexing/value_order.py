"""The order of a leaf's values: keys of bounds, and the extremes of decoded values."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa

from .. import compute as pc
from .. import wire
from ..records import frozen

UNDEFINED, SIGNED, UNSIGNED, FLOAT16 = range(4)  # sort orders, as scans have them
FLOATS = {wire.PHYSICAL_FLOAT: ("<f", 4), wire.PHYSICAL_DOUBLE: ("<d", 8)}
INTEGERS = {
    (wire.PHYSICAL_INT32, SIGNED): pa.int32(),
    (wire.PHYSICAL_INT64, SIGNED): pa.int64(),
    (wire.PHYSICAL_INT32, UNSIGNED): pa.uint32(),
    (wire.PHYSICAL_INT64, UNSIGNED): pa.uint64(),
}
BITS = {2: pa.int16(), 4: pa.int32(), 8: pa.int64()}
LEGACY_TYPES = (wire.PHYSICAL_BOOLEAN, wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, *FLOATS)


@frozen
class ValueOrder:
    """The order of a leaf's values.

    Attributes
    ----------
    width : int
        Bytes of a value; 0 if it varies.
    key : callable
        Returns a key that Python compares for a value's plain bytes; None for NaN.
    keys_of : callable
        Returns the keys of an array of values without nulls and NaN, as an array or a list.
    is_nan : callable or None
        Returns an array that is True for each NaN of an array of values.
    is_truncatable : bool
        True if a bound may be shorter or longer than the values.
    plain : callable or None
        Returns the plain bytes of a key; None if page indexes do not support the order.
    """

    width: int
    key: Callable[[bytes], Any]
    keys_of: Callable[[pa.Array], object]
    is_nan: Callable[[pa.Array], pa.Array] | None = None
    is_truncatable: bool = False
    plain: Callable[[Any], bytes] | None = None

    def extremes(self, values: pa.Array) -> tuple[Any, Any] | None:
        """Return the keys of the smallest and the greatest value that is not NaN; None without any."""
        if self.is_nan is not None:
            values = values.filter(pc.invert(self.is_nan(values)))
        if not len(values):
            return None
        keys = self.keys_of(values)
        if isinstance(keys, list):
            return min(keys), max(keys)
        found = pc.min_max(keys)
        return found["min"].as_py(), found["max"].as_py()

    def nan_count(self, values: pa.Array) -> int:
        return 0 if self.is_nan is None else self.is_nan(values).true_count

    def fits(self, bound: bytes) -> bool:
        """Test that bytes can be a bound."""
        return self.is_truncatable or not self.width or len(bound) == self.width


def order_of(physical: int, width: int, column_order: int, sort_order: int, *, legacy: bool = False):
    """Return the order in which a leaf's bounds compare.

    Parameters
    ----------
    width : int
        Of a value of FIXED_LEN_BYTE_ARRAY.
    column_order, sort_order : int
        As a scan's elements have them.
    legacy : bool
        Of the deprecated `min` and `max`.

    Returns
    -------
    ValueOrder or None
        None if the bounds have no meaning.
    """
    width = width if physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY else 0
    if legacy:
        if sort_order != SIGNED or physical not in LEGACY_TYPES:
            return None
        column_order = wire.ORDER_TYPE_ORDER
    if column_order == wire.ORDER_INT96_TIMESTAMP_ORDER:
        return ValueOrder(12, _timestamp, _timestamps) if physical == wire.PHYSICAL_INT96 else None
    is_half = physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and sort_order == FLOAT16 and width == 2
    if physical in FLOATS or is_half:
        code, size = ("<e", 2) if is_half else FLOATS[physical]
        if column_order == wire.ORDER_IEEE_754_TOTAL_ORDER:
            return ValueOrder(size, _total_key(code, size), _total_keys(size), _nan_of(size))
        if column_order == wire.ORDER_TYPE_ORDER:
            plain = partial(struct.pack, code)
            return ValueOrder(size, _float_key(code), lambda values: _floats(values, size), _nan_of(size), plain=plain)
        return None
    if column_order != wire.ORDER_TYPE_ORDER or sort_order not in (SIGNED, UNSIGNED):
        return None
    if physical == wire.PHYSICAL_BOOLEAN:
        return ValueOrder(1, lambda data: bool(data[0] & 1), lambda values: values, plain=lambda key: bytes([key]))
    if (type := INTEGERS.get((physical, sort_order))) is not None:
        is_signed = sort_order == SIGNED
        size = type.bit_width // 8
        return ValueOrder(
            size,
            lambda data: int.from_bytes(data, "little", signed=is_signed),
            lambda values: values.view(type),
            plain=lambda key: key.to_bytes(size, "little", signed=is_signed),
        )
    if physical not in (wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY):
        return None
    if sort_order == SIGNED:
        return ValueOrder(
            0,
            _decimal,
            lambda values: [_decimal(value) for value in pc.unique(values).to_pylist()],
            plain=lambda key: key.to_bytes(width or key.bit_length() // 8 + 1, "big", signed=True),
        )
    return ValueOrder(width, bytes, lambda values: values, is_truncatable=True, plain=bytes)


def _decimal(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def _timestamp(data: bytes) -> tuple[int, int]:
    nanoseconds, day = struct.unpack("<qi", data)
    return day, nanoseconds


def _timestamps(values: pa.Array) -> list[tuple[int, int]]:
    return [_timestamp(value) for value in pc.unique(values).to_pylist()]


def _float_key(code: str) -> Callable[[bytes], float | None]:
    def key(data: bytes) -> float | None:
        (number,) = struct.unpack(code, data)
        return number if number == number else None

    return key


def _total_key(code: str, size: int) -> Callable[[bytes], int | None]:
    most = (1 << (8 * size - 1)) - 1

    def key(data: bytes) -> int | None:
        (number,) = struct.unpack(code, data)
        bits = int.from_bytes(data, "little", signed=True)
        return None if number != number else bits ^ most if bits < 0 else bits

    return key


def _total_keys(size: int) -> Callable[[pa.Array], pa.Array]:
    type, most = BITS[size], (1 << (8 * size - 1)) - 1

    def keys(values: pa.Array) -> pa.Array:
        bits = values.view(type)
        return pc.if_else(pc.less(bits, 0), pc.bit_wise_xor(bits, pa.scalar(most, type)), bits)

    return keys


def _floats(values: pa.Array, size: int) -> pa.Array:
    return values.view(pa.float16()).cast(pa.float32()) if size == 2 else values


def _nan_of(size: int) -> Callable[[pa.Array], pa.Array]:
    return lambda values: pc.is_nan(_floats(values, size))
