"""Find reads that our decoder finishes sooner than pyarrow, for columns of which both return the same values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from ... import kernels, wire
from ...footer.model import Form
from ..pyarrow_reading import SMALL_ROWS
from ..read_plan import Step
from .assemble_plan import LeafPlan
from .local_columns import has_own_codec
from .wanted_columns import Column

__all__ = ["are_alike", "is_large", "is_sooner"]

# rows per row group; in smaller row groups pyarrow is faster, because its overhead per chunk is lower
LEAST_ROWS = 1 << 12
STORED = (
    wire.PHYSICAL_BOOLEAN,
    wire.PHYSICAL_INT32,
    wire.PHYSICAL_INT64,
    wire.PHYSICAL_FLOAT,
    wire.PHYSICAL_DOUBLE,
    wire.PHYSICAL_BYTE_ARRAY,
)
BYTES_OF_DIGITS = [next(size for size in range(1, 33) if 10**digits <= 1 << 8 * size - 1) for digits in range(77)]
ENCODINGS = sum(
    1 << encoding
    for encoding in (
        wire.ENCODING_PLAIN,
        wire.ENCODING_PLAIN_DICTIONARY,
        wire.ENCODING_RLE,
        wire.ENCODING_RLE_DICTIONARY,
        wire.ENCODING_DELTA_BINARY_PACKED,
        wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY,
        wire.ENCODING_DELTA_BYTE_ARRAY,
        wire.ENCODING_BYTE_STREAM_SPLIT,
    )
)


def is_large(step: Step) -> bool:
    """Return True if the kernels are compiled and the step is large enough for our decoder to be faster."""
    groups = max(len(step.row_groups), 1)
    values = step.rows * (step.chunks // groups)
    return kernels.implementation() == "native" and step.rows >= LEAST_ROWS * groups and values >= SMALL_ROWS


def is_sooner(form: Form, columns: Sequence[Column]) -> bool:
    """Return True if all columns are flat and our decoder is likely to be faster than pyarrow's one thread per column.

    Chunks with a codec that the kernels do not implement are decompressed page by page in Python.
    """
    if not all(isinstance(column.plan, LeafPlan) for column in columns):
        return False
    return len(columns) == 1 or all(has_own_codec(form, column.plan) for column in columns)


def are_alike(form: Form, columns: Iterable[Column]) -> bool:
    """Return True if all columns, which are flat, have types and encodings that every decoder reads in the same way."""
    return all(_is_alike(form, column) for column in columns)


def _is_alike(form: Form, column: Column) -> bool:
    leaf, type = column.plan, column.field.type
    if leaf.levels.repetition or not _has_one_meaning(leaf, type):
        return False
    # pyarrow reads BIT_PACKED levels in another bit order. Writers also list BIT_PACKED if there are no levels. If
    # levels are BIT_PACKED but the footer does not list the encoding, the file is read as the format specifies.
    known = ENCODINGS if leaf.levels.definition else ENCODINGS | 1 << wire.ENCODING_BIT_PACKED
    return not any(listed & ~known for listed in form.column(leaf.leaf).array("encodings"))


def _has_one_meaning(leaf: LeafPlan, type: pa.DataType) -> bool:
    """Return True if the stored values equal those of the type bit for bit, or are decimals of minimal byte width."""
    if pa.types.is_decimal(type):
        is_fixed = leaf.kind.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
        return is_fixed and type == leaf.kind.arrow and leaf.kind.width == BYTES_OF_DIGITS[type.precision]
    if leaf.kind.physical not in STORED or type != leaf.kind.arrow:
        is_zoned = pa.types.is_timestamp(type) and leaf.kind.physical == wire.PHYSICAL_INT64
        return is_zoned and pa.types.is_timestamp(leaf.kind.arrow) and type.unit == leaf.kind.arrow.unit
    return pa.types.is_primitive(type) or pa.types.is_string(type) or pa.types.is_binary(type)
