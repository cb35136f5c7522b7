"""Leaf types: what Arrow type a leaf's values have, by the Parquet schema alone, and how bounds become such values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from .elements import Element

__all__ = ["CODECS", "PHYSICAL_TYPES", "REPETITIONS", "LeafType", "leaf_type"]

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = range(8)
PHYSICAL_TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")
REPETITIONS = ("REQUIRED", "OPTIONAL", "REPEATED")

_PLAIN = {BOOLEAN: pa.bool_(), INT32: pa.int32(), INT64: pa.int64(), INT96: pa.timestamp("ns"),
          FLOAT: pa.float32(), DOUBLE: pa.float64(), BYTE_ARRAY: pa.binary()}
_STORED = {INT32: pa.int32(), INT64: pa.int64(), FLOAT: pa.float32(), DOUBLE: pa.float64()}
_WIDTHS = {BOOLEAN: 1, INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8}
_INTEGERS = {(8, True): pa.int8(), (16, True): pa.int16(), (32, True): pa.int32(), (64, True): pa.int64(),
             (8, False): pa.uint8(), (16, False): pa.uint16(), (32, False): pa.uint32(), (64, False): pa.uint64()}
_MAX_DECIMAL = 76
_NANOSECONDS_PER_DAY = 86_400_000_000_000
_JULIAN_EPOCH = 2_440_588


@dataclass(frozen=True, slots=True)
class LeafType:
    """A leaf's physical type, its width in bytes (0: varies), and the Arrow type of its values."""

    physical: int
    width: int
    arrow: pa.DataType

    def array(self, values: Sequence[bytes | None]) -> pa.Array:
        """Bounds in Parquet's plain form, without lengths, as an array of `arrow`; what is no such value is null."""
        if pa.types.is_null(self.arrow):
            return pa.nulls(len(values))
        if self.width:
            values = [value if value is not None and len(value) == self.width else None for value in values]
        if self.is_viewed:
            return self.array_of(pa.array(values, pa.binary(self.width)))
        if pa.types.is_decimal(self.arrow):
            return self._decimals(values)
        if self.physical == INT96:
            return pa.array([_nanoseconds(value) for value in values], pa.int64()).view(self.arrow)
        if self.physical == BOOLEAN:
            return pa.array([None if value is None else value != b"\0" for value in values], self.arrow)
        return _text(values, self.arrow) if pa.types.is_string(self.arrow) else pa.array(values, self.arrow)

    @property
    def is_viewed(self) -> bool:
        """Whether stored bytes are Arrow's own."""
        return self.physical in (*_STORED, FIXED_LEN_BYTE_ARRAY) and not (
            pa.types.is_decimal(self.arrow) or pa.types.is_null(self.arrow))

    def array_of(self, raw: pa.Array) -> pa.Array:
        """The same of an array of bytes, of the width if there is one."""
        if not self.is_viewed:
            return self.array(raw.to_pylist())
        if self.physical == FIXED_LEN_BYTE_ARRAY:
            return raw.view(self.arrow)
        return _narrowed(raw.view(_STORED[self.physical]), self.arrow)

    def _decimals(self, values: Sequence[bytes | None]) -> pa.Array:
        order = "little" if self.physical in (INT32, INT64) else "big"
        width = self.arrow.bit_width // 8
        limit = 10 ** self.arrow.precision
        numbers = [None if value is None else int.from_bytes(value, order, signed=True) for value in values]
        stored = [None if n is None or abs(n) >= limit else n.to_bytes(width, "little", signed=True) for n in numbers]
        return pa.array(stored, pa.binary(width)).view(self.arrow)


def _text(values: Sequence[bytes | None], arrow: pa.DataType) -> pa.Array:
    """Strings; a bound that a writer cut inside a character is null."""
    def text(value: bytes | None) -> str | None:
        try:
            return None if value is None else value.decode()
        except UnicodeDecodeError:
            return None

    return pa.array([text(value) for value in values], arrow)


def _nanoseconds(value: bytes | None) -> int | None:
    """INT96: nanoseconds of the day, Julian day."""
    if value is None:
        return None
    days = int.from_bytes(value[8:], "little", signed=True) - _JULIAN_EPOCH
    nanoseconds = days * _NANOSECONDS_PER_DAY + int.from_bytes(value[:8], "little", signed=True)
    return nanoseconds if -(1 << 63) <= nanoseconds < 1 << 63 else None


def _narrowed(stored: pa.Array, arrow: pa.DataType) -> pa.Array:
    """Stored numbers as their logical type; those beyond a narrow integer's range are null."""
    if arrow == stored.type:
        return stored
    if not pa.types.is_integer(arrow):
        return stored.view(arrow)
    if arrow.bit_width == stored.type.bit_width:
        return stored.view(arrow)
    low, high = (0, (1 << arrow.bit_width) - 1)
    if pa.types.is_signed_integer(arrow):
        low, high = -(1 << (arrow.bit_width - 1)), (1 << (arrow.bit_width - 1)) - 1
    fits = pc.and_(pc.greater_equal(stored, low), pc.less_equal(stored, high))
    return pc.if_else(fits, stored, None).cast(arrow)


def leaf_type(element: Element) -> LeafType:
    """The type of a leaf's values by its schema element; an annotation that does not fit counts for nothing."""
    physical = element.type
    if physical is None or not 0 <= physical < len(PHYSICAL_TYPES):
        return LeafType(BYTE_ARRAY, 0, pa.binary())
    width = element.type_length or 0 if physical == FIXED_LEN_BYTE_ARRAY else _WIDTHS.get(physical, 0)
    if physical == FIXED_LEN_BYTE_ARRAY and width <= 0:
        return LeafType(BYTE_ARRAY, 0, pa.binary())
    plain = pa.binary(width) if physical == FIXED_LEN_BYTE_ARRAY else _PLAIN[physical]
    return LeafType(physical, width, _annotated(physical, width, element) or plain)


def _annotated(physical: int, width: int, element: Element) -> pa.DataType | None:
    logical = element.logical
    if logical is None:
        return None
    if logical.name == "UNKNOWN":
        return pa.null()
    if logical.name == "DECIMAL":
        return _decimal(physical, logical.precision, logical.scale)
    if physical == BYTE_ARRAY:
        return pa.string() if logical.name in ("STRING", "JSON") else None
    if physical == FIXED_LEN_BYTE_ARRAY:
        return pa.float16() if logical.name == "FLOAT16" and width == 2 else None
    if logical.name == "INTEGER":
        arrow = _INTEGERS.get((logical.bits, logical.signed))
        wide = arrow is not None and arrow.bit_width == 64
        return arrow if physical == (INT64 if wide else INT32) else None
    if logical.name == "DATE" and physical == INT32:
        return pa.date32()
    if logical.name == "TIME" and logical.unit:
        arrow = pa.time32("ms") if logical.unit == "ms" else pa.time64(logical.unit)
        return arrow if physical == (INT32 if logical.unit == "ms" else INT64) else None
    if logical.name == "TIMESTAMP" and logical.unit and physical == INT64:
        return pa.timestamp(logical.unit, tz="UTC" if logical.utc else None)
    return None


def _decimal(physical: int, precision: int, scale: int) -> pa.DataType | None:
    if physical not in (INT32, INT64, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY) or not 0 < precision <= _MAX_DECIMAL:
        return None
    if not 0 <= scale <= precision:
        return None
    return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)
