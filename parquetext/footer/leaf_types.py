"""The Arrow type of a leaf's values, according to the Parquet schema alone, and the conversion of bounds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache

import pyarrow as pa

from .. import compute as pc
from .. import kernels, wire
from ..errors import Unsupported
from ..logical_types import arrow_type
from ..records import frozen
from .elements import Element, parse_element

PHYSICAL_TYPES = tuple(wire.NAMES_OF_TYPE.values())
CODECS = tuple(wire.NAMES_OF_COMPRESSION_CODEC.values())
REPETITIONS = tuple(wire.NAMES_OF_FIELD_REPETITION_TYPE.values())

_STORED = {
    wire.PHYSICAL_INT32: pa.int32(),
    wire.PHYSICAL_INT64: pa.int64(),
    wire.PHYSICAL_FLOAT: pa.float32(),
    wire.PHYSICAL_DOUBLE: pa.float64(),
}
WIDEST, MOST_BYTES = 1 << 16, 1 << 24
OF_ONE_COLUMN = wire.SCHEMA_ELEMENT_NAME, wire.SCHEMA_ELEMENT_FIELD_ID


@frozen
class LeafType:
    """A leaf's physical type, its width in bytes (0: varies), and the Arrow type of its values."""

    physical: int
    width: int
    arrow: pa.DataType
    kind: tuple[int, int, int, int] | None = field(init=False, repr=False, compare=False)  # as kernels.values takes it

    def __post_init__(self):
        object.__setattr__(self, "kind", _kind(self.physical, self.width, self.arrow))

    def array(self, values: Sequence[bytes | None]) -> pa.Array:
        """Convert bounds in PLAIN encoding, without lengths, to an array of `arrow`; invalid values become null."""
        if self.kind is None:
            return pa.nulls(len(values))
        return self._of_buffers(len(values), kernels.values.buffers(list(values), self.kind))

    def check_count(self, count: int, stored: int) -> None:
        """Raise Unsupported if values or nulls take much more memory than their stored bytes."""
        if self.width > WIDEST and self.width * count > MOST_BYTES + stored:
            message = f"{self.width * count} bytes for {count} values of {self.width} bytes, most of them absent"
            raise Unsupported(message, expected=MOST_BYTES + stored, found=self.width * count)

    def bounds(self, chunks) -> tuple[pa.Array, pa.Array]:
        """Return the usable minima and maxima of a leaf's chunks as arrays of `arrow`."""
        count = len(chunks)
        if self.kind is None:
            return pa.nulls(count), pa.nulls(count)
        if self.width > WIDEST:
            has, _, minima, _, maxima = chunks.bounds()
            self.check_count(count, sum(minima) + sum(maxima) if any(has) else 0)
        minima, maxima = kernels.values.bound_buffers(chunks, self.kind)
        return self._of_buffers(count, minima), self._of_buffers(count, maxima)

    def _of_buffers(self, count: int, buffers: tuple) -> pa.Array:
        nulls, valid, offsets, values = buffers
        wrapped = [valid and pa.py_buffer(valid), pa.py_buffer(values)]
        if offsets is not None:
            wrapped.insert(1, pa.py_buffer(offsets))
        return pa.Array.from_buffers(self.arrow, count, wrapped, nulls)

    @property
    def is_long_timestamp(self) -> bool:
        """Return True for TIMESTAMP on FIXED_LEN_BYTE_ARRAY(12); Arrow represents values that fit 64 bits."""
        return self.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and pa.types.is_timestamp(self.arrow)

    @property
    def is_viewed(self) -> bool:
        """Return True if Arrow stores values as the same bytes."""
        return self.physical in (*_STORED, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY) and not (
            pa.types.is_decimal(self.arrow) or pa.types.is_null(self.arrow) or self.is_long_timestamp
        )

    def array_of(self, raw: pa.Array) -> pa.Array:
        """Convert an array of bytes, of the type's width if it has one, as `array` does."""
        if not self.is_viewed:
            return self.array(raw.to_pylist())
        if self.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            return raw.view(self.arrow)
        return _narrowed(raw.view(_STORED[self.physical]), self.arrow)


def _narrowed(stored: pa.Array, arrow: pa.DataType) -> pa.Array:
    """Convert stored numbers to their logical type; numbers beyond a narrow integer's range become null."""
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


def _kind(physical: int, width: int, arrow: pa.DataType) -> tuple[int, int, int, int] | None:
    """Return the kind that `kernels.values` takes to convert stored values to a type; None if all become null."""
    if pa.types.is_null(arrow):
        return None
    if pa.types.is_decimal(arrow):
        reading = (
            wire.READING_SIGNED if physical in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64) else wire.READING_DECIMAL
        )
        return reading, width, arrow.bit_width // 8, arrow.precision
    if physical == wire.PHYSICAL_BOOLEAN:
        return wire.READING_BOOLEAN, 1, 0, 0
    if physical == wire.PHYSICAL_INT96:
        return wire.READING_INT96, 12, 8, 0
    if physical in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64):
        is_unsigned = pa.types.is_unsigned_integer(arrow)
        return wire.READING_UNSIGNED if is_unsigned else wire.READING_SIGNED, width, arrow.byte_width, 0
    if physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and pa.types.is_timestamp(arrow):
        return wire.READING_SIGNED, width, arrow.byte_width, 0
    return wire.READING_TEXT if pa.types.is_string(arrow) else 0, width, width, 0


def leaf_type_of(thrift: bytes) -> LeafType:
    """Return the type of a SchemaElement's leaf; cached for all columns that differ only in name and field id."""
    return _leaf_type_of(kernels.thrift.blanked(thrift, OF_ONE_COLUMN))


@lru_cache(maxsize=1 << 10)
def _leaf_type_of(thrift: bytes) -> LeafType:
    return leaf_type(parse_element(thrift))


def leaf_type(element: Element) -> LeafType:
    """Return the type of a leaf's values by its schema element; an annotation that does not fit is ignored."""
    physical = element.type
    if physical is None or not 0 <= physical < len(PHYSICAL_TYPES):
        return LeafType(wire.PHYSICAL_BYTE_ARRAY, 0, pa.binary())
    is_array = physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
    width = element.type_length or 0 if is_array else wire.WIDTH_OF_TYPE.get(physical, 0)
    if is_array and width <= 0:
        return LeafType(wire.PHYSICAL_BYTE_ARRAY, 0, pa.binary())
    return LeafType(physical, width, arrow_type(element.logical, physical, width))
