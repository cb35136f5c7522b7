"""QuestDB's rules for skipping a row group by the statistics of a `_pm` sidecar, in which some values represent null.

QuestDB's columns represent null by a value (the smallest integer, a NaN), and some of its types have no null. The nulls
of a Parquet file are therefore not the nulls of a QuestDB query. The rules are those of QuestDB's reader, for its types
only; other columns use Parquet's rules (`bounds`). They are stricter if a file of another writer may contain a value
for null that its null count does not include.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from .. import kernels, wire
from ..errors import ParquetextError
from ..records import frozen

MOST_NULLS = (1 << 63) - 1  # a larger count is a wrapped one
MILLISECONDS_OF_A_DAY = 86_400_000
_FORMATS = {wire.PHYSICAL_INT32: "<i", wire.PHYSICAL_INT64: "<q", wire.PHYSICAL_FLOAT: "<f", wire.PHYSICAL_DOUBLE: "<d"}


class Tag(IntEnum):
    """QuestDB's column types: the low byte of a type code."""

    BOOLEAN = 1
    BYTE = 2
    SHORT = 3
    CHAR = 4
    INT = 5
    LONG = 6
    DATE = 7
    TIMESTAMP = 8
    FLOAT = 9
    DOUBLE = 10
    STRING = 11
    SYMBOL = 12
    LONG256 = 13
    GEOBYTE = 14
    GEOSHORT = 15
    GEOINT = 16
    GEOLONG = 17
    BINARY = 18
    UUID = 19
    LONG128 = 24
    IPv4 = 25
    VARCHAR = 26
    ARRAY = 27
    DECIMAL8 = 28
    DECIMAL16 = 29
    DECIMAL32 = 30
    DECIMAL64 = 31
    DECIMAL128 = 32
    DECIMAL256 = 33


_ZERO_FOR_NULL = {Tag.BYTE, Tag.SHORT, Tag.CHAR}
_NULL_FREE = {Tag.BOOLEAN, Tag.BYTE, Tag.SHORT}
_MORE_NULLS_THAN_COUNTED = {Tag.FLOAT, Tag.DOUBLE, Tag.CHAR}  # infinities, and the character 0


class Column(NamedTuple):
    """A column's type code (its low byte counts), its Parquet type, and the bytes of a fixed-length one."""

    type: int
    physical: int
    width: int = 0

    @property
    def tag(self) -> int:
        return self.type & 0xFF

    @property
    def is_decimal(self) -> bool:
        return Tag.DECIMAL8 <= self.tag <= Tag.DECIMAL256


@frozen
class Chunk:
    """A column chunk in a sidecar: bounds at physical width, None if absent, and its Bloom filter's bitset."""

    num_values: int
    null_count: int | None = None
    min: bytes | None = None
    max: bytes | None = None
    bitset: bytes | memoryview | None = None


class Filter(NamedTuple):
    """One condition on a column.

    `operator` is one of = (any of the values), <, <=, >, >=, between (two values, in any order), is null, is not null.
    Values have the physical type's plain bytes, of a DATE in 32 bits int64 milliseconds; None is null.
    """

    operator: str
    values: tuple[bytes | None, ...] = ()


def can_skip(column: Column, chunk: Chunk, condition: Filter) -> bool:
    """Return True if no row of the chunk can meet the condition; unknown data is no reason to skip."""
    if condition.operator in ("is null", "is not null"):
        return _no_such_nulls(column, chunk, condition.operator == "is null")
    if condition.operator == "=":
        return bool(condition.values) and all(_is_absent(column, chunk, value) for value in condition.values)
    given = [value for value in condition.values if value is not None]
    if len(given) < len(condition.values) or any(_is_null(column, value) for value in given):
        return False
    bounds, values = _bounds(column, chunk), [_literal(column, value) for value in given]
    if bounds is None or None in values:
        return False
    if condition.operator == "between":
        return len(values) == 2 and (bounds[1] < min(values) or bounds[0] > max(values))
    rule = _RANGES.get(condition.operator)
    return rule is not None and len(values) == 1 and rule(bounds[0], bounds[1], values[0])


_RANGES: dict[str, Callable] = {
    "<": lambda low, high, value: low >= value,
    "<=": lambda low, high, value: low > value,
    ">": lambda low, high, value: high <= value,
    ">=": lambda low, high, value: high < value,
}


def _known_nulls(chunk: Chunk) -> int | None:
    return chunk.null_count if chunk.null_count is not None and 0 <= chunk.null_count <= MOST_NULLS else None


def _no_such_nulls(column: Column, chunk: Chunk, wanted: bool) -> bool:
    nulls = _known_nulls(chunk)
    if wanted:
        return nulls == 0 and column.tag not in _MORE_NULLS_THAN_COUNTED and not _may_hide_null(column, chunk)
    return nulls == chunk.num_values and column.tag not in _NULL_FREE


def _has_nulls(column: Column, chunk: Chunk) -> bool:
    return column.tag in (Tag.FLOAT, Tag.DOUBLE) or _known_nulls(chunk) != 0


def _may_hide_null(column: Column, chunk: Chunk) -> bool:
    """Return True if uncounted values may include the value for null, which is the smallest one of most types."""
    width = _width(column)
    if column.tag in _NULL_FREE or not width:
        return False
    if column.tag == Tag.IPv4:
        null = bytes(width)
    elif column.is_decimal and column.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        null = b"\x80" + bytes(width - 1)
    else:
        null = ((bytes(min(width, 8) - 1) + b"\x80") * width)[:width]
    bounds, smallest = _bounds(column, chunk), _ordered(column, null)
    if bounds is None or smallest is None:
        return True
    if _is_date_of_days(column):
        smallest *= MILLISECONDS_OF_A_DAY
    return bounds[0] <= smallest <= bounds[1]


def _is_absent(column: Column, chunk: Chunk, value: bytes | None) -> bool:
    """Return True if an equality surely finds nothing."""
    if value is None or _is_null(column, value):
        return not _has_nulls(column, chunk) and not _may_hide_null(column, chunk)
    if _bloom_lacks(column, chunk, value):
        return True
    bounds, literal = _bounds(column, chunk), _literal(column, value)
    if bounds is None or literal is None:
        return False
    if _is_date_of_days(column):
        literal = literal // MILLISECONDS_OF_A_DAY * MILLISECONDS_OF_A_DAY
    return literal < bounds[0] or literal > bounds[1]


def _bloom_lacks(column: Column, chunk: Chunk, value: bytes) -> bool:
    if chunk.bitset is None or column.physical not in (
        *_FORMATS,
        wire.PHYSICAL_BYTE_ARRAY,
        wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY,
    ):
        return False
    if _is_date_of_days(column):
        number = _literal(column, value)
        if number is None:
            return False
        days = number // MILLISECONDS_OF_A_DAY
        value = struct.pack("<i", days) if -1 << 31 <= days < 1 << 31 else b""
    width = _width(column)
    if (width and len(value) != width) or (column.tag in _ZERO_FOR_NULL and not any(value)):
        return False
    forms = [value]
    if (
        column.physical in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE)
        and not struct.unpack(_FORMATS[column.physical], value)[0]
    ):
        forms = [bytes(width), bytes(width - 1) + b"\x80"]  # 0.0 and -0.0 are equal
    try:
        return not any(kernels.bloom.might_contain(chunk.bitset, [kernels.checksum.xxh64(form) for form in forms]))
    except ParquetextError:
        return False  # no bitset


def _is_date_of_days(column: Column) -> bool:
    return column.tag == Tag.DATE and column.physical == wire.PHYSICAL_INT32


def _width(column: Column) -> int:
    """Return the width in bytes of an ordered value; 0 if it varies or has no order."""
    if column.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return column.width
    return wire.WIDTH_OF_TYPE[column.physical] if column.physical in _FORMATS else 0


def _is_null(column: Column, value: bytes) -> bool:
    """Return True if a value represents null."""
    if column.tag in _NULL_FREE or column.tag == Tag.CHAR:
        return False
    if column.tag == Tag.IPv4:
        return not any(value)
    if column.is_decimal and column.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return value == b"\x80" + bytes(len(value) - 1)
    if column.physical in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64):
        return value in (bytes(3) + b"\x80", bytes(7) + b"\x80")
    if column.physical in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE) and len(value) == _width(column):
        return not math.isfinite(struct.unpack(_FORMATS[column.physical], value)[0])
    if column.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return bool(value) and len(value) % 8 == 0 and value == (bytes(7) + b"\x80") * (len(value) // 8)
    return False


def _literal(column: Column, value: bytes):
    """Return a filter's value in the order of the bounds; None if it has none."""
    if _is_date_of_days(column):
        return struct.unpack("<q", value)[0] if len(value) == 8 else None
    return _ordered(column, value)


def _ordered(column: Column, value: bytes):
    """Convert plain bytes to a value that Python compares as the column does; None if it has no order."""
    width = _width(column)
    if width and len(value) != width:
        return None
    if column.physical in (wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY):
        return int.from_bytes(value, "big", signed=True) if column.is_decimal else bytes(value)
    if column.physical not in _FORMATS:
        return None
    if column.tag == Tag.IPv4:
        return int.from_bytes(value, "little")
    number = struct.unpack(_FORMATS[column.physical], value)[0]
    return None if number != number else number


def _bounds(column: Column, chunk: Chunk) -> tuple | None:
    """Return minimum and maximum of the rows, including nulls that appear as 0; None if one is unknown."""
    if chunk.min is None or chunk.max is None:
        return None
    low, high = _ordered(column, chunk.min), _ordered(column, chunk.max)
    if low is None or high is None or low > high:
        return None
    if column.tag in _ZERO_FOR_NULL and column.physical == wire.PHYSICAL_INT32 and _has_nulls(column, chunk):
        low, high = min(low, 0), max(high, 0)
    if _is_date_of_days(column):
        low, high = low * MILLISECONDS_OF_A_DAY, high * MILLISECONDS_OF_A_DAY
    return low, high
