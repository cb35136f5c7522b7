"""Arrow arrays over the buffers of decoded values, in the physical type of their column."""

from __future__ import annotations

import pyarrow as pa

from .. import wire

STORED = {
    wire.PHYSICAL_BOOLEAN: pa.bool_(),
    wire.PHYSICAL_INT32: pa.int32(),
    wire.PHYSICAL_INT64: pa.int64(),
    wire.PHYSICAL_FLOAT: pa.float32(),
    wire.PHYSICAL_DOUBLE: pa.float64(),
    wire.PHYSICAL_BYTE_ARRAY: pa.binary(),
}


def stored_array(decoded, kind) -> pa.Array:
    """Return the decoded values of a `kernels.column.Column` in their physical type, without their annotation."""
    return viewed(decoded, stored_type(kind))


def stored_type(kind) -> pa.DataType:
    """Return the Arrow type of the stored values; `kind` has their `physical` type and `width`."""
    return STORED.get(kind.physical) or pa.binary(kind.width)


def viewed(decoded, wanted: pa.DataType) -> pa.Array:
    """Return an array of a type with the same layout over the decoded buffers."""
    return array_over(decoded, wanted, decoded.values, decoded.offsets)


def array_over(decoded, wanted: pa.DataType, values, offsets=None) -> pa.Array:
    """Return an array of other values, with the nulls of the decoded ones."""
    buffers = [decoded.valid, values] if offsets is None else [decoded.valid, offsets, values]
    wrapped = [None if buffer is None else pa.py_buffer(buffer) for buffer in buffers]
    return pa.Array.from_buffers(wanted, decoded.slots, wrapped, decoded.nulls)
